package codehost

import (
	"strings"

	"example.org/compose/internal/strictjson"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sourceRoot  = "%SRCROOT%" // the name that hosts know for the root of the checkout
)

// SARIF returns a log of one run, of that version of compose. prefix is that of Find: a host replaces the findings of a target by
// newer ones of the same target, and keeps those of others.
func SARIF(findings []Finding, version, prefix string) []byte {
	category := "compose/"
	if prefix != "" {
		category += escapePath(prefix) + "/"
	}
	driver := strictjson.Obj(
		strictjson.F("name", strictjson.Str("compose")),
		strictjson.F("semanticVersion", strictjson.Str(version)),
		strictjson.F("rules", strictjson.List(rules, rule.sarif)),
	)
	root := strictjson.Obj(strictjson.F("description", message("The root of the checkout.")))
	run := strictjson.Obj(
		strictjson.F("tool", strictjson.Obj(strictjson.F("driver", driver))),
		strictjson.F("automationDetails", strictjson.Obj(strictjson.F("id", strictjson.Str(category)))),
		strictjson.F("invocations", strictjson.Arr(strictjson.Obj(strictjson.F("executionSuccessful", strictjson.Boolean(true))))),
		strictjson.F("originalUriBaseIds", strictjson.Obj(strictjson.F(sourceRoot, root))),
		strictjson.F("columnKind", strictjson.Str("unicodeCodePoints")),
		strictjson.F("results", strictjson.List(findings, Finding.sarif)),
	)
	return strictjson.Encode(strictjson.Obj(
		strictjson.F("$schema", strictjson.Str(sarifSchema)),
		strictjson.F("version", strictjson.Str("2.1.0")),
		strictjson.F("runs", strictjson.Arr(run)),
	))
}

func (r rule) sarif() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("id", strictjson.Str(r.code)),
		strictjson.F("shortDescription", message(r.summary)),
		strictjson.F("fullDescription", message(r.summary+". "+r.help)),
		strictjson.F("help", message(r.help)),
		strictjson.F("defaultConfiguration", strictjson.Obj(strictjson.F("level", strictjson.Str("error")))),
	)
}

func (f Finding) sarif() strictjson.Value {
	region := []strictjson.Member{strictjson.F("startLine", strictjson.Int(int64(f.Line)))}
	if f.Column > 0 {
		region = append(region, strictjson.F("startColumn", strictjson.Int(int64(f.Column))))
	}
	location := strictjson.Obj(strictjson.F("physicalLocation", strictjson.Obj(
		strictjson.F("artifactLocation", strictjson.Obj(
			strictjson.F("uri", strictjson.Str(escapePath(f.Path))),
			strictjson.F("uriBaseId", strictjson.Str(sourceRoot)),
		)),
		strictjson.F("region", strictjson.Obj(region...)),
	)))
	members := []strictjson.Member{strictjson.F("ruleId", strictjson.Str(f.Code))}
	if i := ruleIndex(f.Code); i >= 0 {
		members = append(members, strictjson.F("ruleIndex", strictjson.Int(int64(i))))
	}
	return strictjson.Obj(append(members,
		strictjson.F("level", strictjson.Str("error")),
		strictjson.F("message", message(plainMessage(f.Message))),
		strictjson.F("locations", strictjson.Arr(location)),
		// Not primaryLocationLineHash: GitHub's upload works that one out itself, and warns of any other value.
		strictjson.F("partialFingerprints", strictjson.Obj(strictjson.F("composeFault/v1", strictjson.Str(f.Fingerprint)))),
	)...)
}

func message(text string) strictjson.Value {
	return strictjson.Obj(strictjson.F("text", strictjson.Str(text)))
}

// plainMessage escapes what a SARIF message takes for a link, [text](target), or for a placeholder, {0}: 3.11.5 and 3.11.6.
func plainMessage(text string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `{`, `{{`, `}`, `}}`).Replace(text)
}

// escapePath makes a relative URI reference of a path: what is not unreserved (RFC 3986) is escaped, a colon too, which
// would make a scheme of what stands before it.
func escapePath(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
	}
	return b.String()
}
