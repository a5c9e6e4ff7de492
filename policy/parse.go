package policy

import (
	"strings"
	"unicode"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Parse reads a policy: strict JSON, then every rule of docs/policy.md. name is the file for messages. The error is an
// *Error, INVALID_POLICY: the first fault in the order of the fields on that page.
func Parse(name string, b []byte) (*Policy, error) {
	if len(b) > MaxSize {
		return nil, Unusable(name, "has more than 1 MiB, which no policy needs; shorten it")
	}
	doc, err := strictjson.Parse(b, 0)
	if err != nil {
		return nil, Unusable(name, err.Error())
	}
	p := &Policy{}
	fault := strictjson.Decode(doc, func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			if hint, found := f.Lookup("$schema"); found {
				hint.Text()
			}
			version := f.Get("schema_version")
			if v := version.Int(); v != 1 {
				version.Fail("is %d; this compose knows version 1", v)
			}
			p.Repositories = list(f, "repositories", checkRepository)
			p.Sources = list(f, "sources", checkSource)
			p.Signers = list(f, "signers", checkSigner)
			p.OpenPGP = list(f, "openpgp", checkKey)
		})
	})
	if fault != nil {
		return nil, &Error{Pointer: fault.Pointer, code: CodeInvalidPolicy, file: name, msg: fault.Reason}
	}
	return p, nil
}

// list reads one list; nil where it is left out. check says what is wrong with an entry, "" for nothing.
func list(f *strictjson.Fields, name string, check func(entry string) string) []string {
	field, found := f.Lookup(name)
	if !found {
		return nil
	}
	var entries []string
	place := map[string]int{}
	field.Items(func(i int, item strictjson.Node) {
		entry := item.Text()
		if reason := check(entry); reason != "" {
			item.Fail("%s", reason)
		}
		if first, twice := place[entry]; twice {
			item.Fail("is the same as entry %d; remove one of the two", first)
		}
		place[entry] = i
		entries = append(entries, entry)
	})
	if len(entries) == 0 {
		field.Fail("is empty, and would allow nothing; leave %q out to allow everything, or list what is allowed", name)
	}
	return entries
}

func checkRepository(identity string) string {
	if err := lockv2.CheckRepository(identity); err != nil {
		return err.Error()
	}
	return ""
}

func checkSource(source string) string {
	switch {
	case source == "":
		return "is empty; want a URL, a URL that ends in \"/*\", builtin:starter or local"
	case strings.ContainsFunc(source, unicode.IsControl):
		return "holds a control character; want a URL, a URL that ends in \"/*\", builtin:starter or local"
	}
	return ""
}

func checkSigner(line string) string {
	const want = "; want one line of git's allowed-signers format, such as alice@example.org ssh-ed25519 AAAA..."
	switch text := strings.TrimLeft(line, " \t"); {
	case text == "":
		return "is empty" + want
	case text[0] == '#':
		return "is a comment" + want
	case strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }):
		return "holds a control character, or more than one line" + want
	}
	return ""
}

func checkKey(key string) string {
	const want = "; want what gpg --armor --export prints, its line ends written as \\n"
	switch text := strings.TrimSpace(key); {
	case text == "":
		return "is empty" + want
	case strings.Contains(text, "-----BEGIN PGP PRIVATE KEY BLOCK-----"):
		return "is a private key, which belongs nowhere but with its owner: replace the key, then list the public one"
	case !strings.HasPrefix(text, "-----BEGIN PGP PUBLIC KEY BLOCK-----"):
		return "is no armored OpenPGP key" + want
	case strings.ContainsFunc(key, func(r rune) bool { return r != '\n' && r != '\r' && r != '\t' && unicode.IsControl(r) }):
		return "holds a control character" + want
	}
	return ""
}
