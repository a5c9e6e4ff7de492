package signature

import (
	"bytes"
	"encoding/base64"
	"strings"
	"time"
	"unicode"

	"example.org/compose/internal/glob"
	"golang.org/x/crypto/ssh"
)

// allowed is one line of git's allowed-signers format: PRINCIPALS [OPTIONS] TYPE KEY [COMMENT].
type allowed struct {
	principals string // a list of patterns
	namespaces string // a list of patterns; "" for any
	authority  bool   // the key signs certificates, and is not itself a signer
	after      time.Time
	before     time.Time // the key is valid at this second still; both are zero for no limit
	key        ssh.PublicKey
	blob       []byte // the key as it is on the wire
}

// maxPattern is the most bytes that OpenSSH takes for one pattern of a list.
const maxPattern = 1022

// parseAllowed reads one line; nil for a comment and an empty one. The order is that of OpenSSH: the principals; then the
// key, or, where there is no key, options and the key.
func parseAllowed(line string) (*allowed, *listFault) {
	rest := strings.TrimLeft(line, " \t")
	if rest == "" || rest[0] == '#' {
		return nil, nil
	}
	if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
		return nil, faulty("the line holds a control character")
	}
	a := &allowed{}
	var fault *listFault
	if a.principals, rest, fault = cutPrincipals(rest); fault != nil {
		return nil, fault
	}
	kind, _, _ := strings.Cut(rest, " ")
	kind, _, _ = strings.Cut(kind, "\t")
	if isKeyType(a.principals) && strings.HasPrefix(kind, "AAAA") { // as each key does in base64, and no option
		return nil, faulty("this is a public key; a line of allowed signers begins with a principal, such as alice@example.org")
	}
	if !isKeyType(kind) && !isCertificate(kind) {
		if rest, fault = a.parseOptions(rest); fault != nil {
			return nil, fault
		}
	}
	return a, a.parseKey(rest)
}

// cutPrincipals returns the principals of a line, which may stand in quotes, and what follows.
func cutPrincipals(line string) (principals, rest string, fault *listFault) {
	const want = "; want PRINCIPALS [OPTIONS] TYPE KEY, such as alice@example.org ssh-ed25519 AAAA..."
	if line[0] == '"' {
		var closed bool
		principals, rest, closed = strings.Cut(line[1:], `"`)
		if !closed || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			return "", "", faulty("the principals open a quote that is not closed before a space" + want)
		}
	} else {
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			return "", "", faulty("the line has no key" + want)
		}
		principals, rest = line[:end], line[end:]
		if strings.Contains(principals, `"`) {
			return "", "", faulty("the principals hold a quote; quotes stand around them all, or nowhere")
		}
	}
	positive := false
	for pattern := range strings.SplitSeq(principals, ",") {
		switch bare := strings.TrimPrefix(pattern, "!"); {
		case bare == "":
			return "", "", faulty("the principals %q have an empty entry", clip(principals))
		case len(pattern) > maxPattern:
			return "", "", faulty("the principal %q is longer than OpenSSH takes", clip(pattern))
		case bare == pattern:
			positive = true
		}
	}
	if !positive {
		return "", "", faulty("the principals %q say only who it is not; add who it is", clip(principals))
	}
	return principals, strings.TrimLeft(rest, " \t"), nil
}

// isKeyType reports whether a word names a kind of key that a line may have.
func isKeyType(word string) bool {
	switch word {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoRSA,
		ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256:
		return true
	}
	return false
}

// isCertificate reports whether a word names a kind of certificate.
func isCertificate(word string) bool { return strings.Contains(word, "-cert-v0") }

// parseKey reads the type and the key; what follows is a comment.
func (a *allowed) parseKey(text string) *listFault {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(fields) == 0 {
		return faulty("the line has no key")
	}
	kind := fields[0]
	switch {
	case isCertificate(kind):
		return faulty("the key is a certificate; list the key that signs the certificates, with the option cert-authority")
	case !isKeyType(kind):
		return faulty("%q is no kind of key that may sign here; want ssh-ed25519, ecdsa-sha2-nistp256, -384 or -521, ssh-rsa, or one of a security key", clip(kind))
	case len(fields) == 1:
		return faulty("the line has a type of key, and no key")
	}
	blob, err := base64.StdEncoding.DecodeString(fields[1])
	if err != nil {
		return faulty("the key is no base64; copy the line of the .pub file whole")
	}
	key, err := ssh.ParsePublicKey(blob)
	switch {
	case err != nil:
		return faulty("the key can't be read; copy the line of the .pub file whole")
	case key.Type() != kind || !bytes.Equal(key.Marshal(), blob):
		return faulty("the key is of another kind than %q; copy the line of the .pub file whole", kind)
	}
	a.key, a.blob = key, blob
	return nil
}

// parseOptions reads options, separated by commas, up to a space outside of quotes; names in any letter case.
func (a *allowed) parseOptions(text string) (rest string, fault *listFault) {
	seen := map[string]bool{}
	for {
		end := strings.IndexAny(text, "=, \t")
		if end < 0 {
			end = len(text)
		}
		name := strings.ToLower(text[:end])
		text = text[end:]
		if seen[name] && name != "cert-authority" {
			return "", faulty("the option %q stands twice", clip(name))
		}
		seen[name] = true
		switch name {
		case "cert-authority":
			a.authority = true
		case "namespaces", "valid-after", "valid-before":
			var value string
			if value, text, fault = cutQuoted(name, text); fault != nil {
				return "", fault
			}
			if fault = a.set(name, value); fault != nil {
				return "", fault
			}
		default:
			return "", faulty("%q is neither a kind of key nor an option; want cert-authority, namespaces=\"...\", valid-after=\"...\" or valid-before=\"...\"", clip(name))
		}
		switch {
		case text == "":
			return "", faulty("the line has no key after its options")
		case text[0] == ' ' || text[0] == '\t':
			if !a.after.IsZero() && !a.before.IsZero() && !a.before.After(a.after) {
				return "", faulty("valid-before is not later than valid-after, so the key is never valid")
			}
			return strings.TrimLeft(text, " \t"), nil
		case text[0] != ',':
			return "", faulty("the option %q is followed by %q; want a comma or a space", name, clip(text))
		}
		text = text[1:]
	}
}

// cutQuoted returns the value of ="VALUE" and what follows; \" in it stands for a quote.
func cutQuoted(name, text string) (value, rest string, fault *listFault) {
	text, found := strings.CutPrefix(text, `="`)
	if !found {
		return "", "", faulty("the option %s has no value in quotes; write %s=\"...\"", name, name)
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:], nil
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '"':
			i++
		}
		b.WriteByte(text[i])
	}
	return "", "", faulty("the value of the option %s has no closing quote", name)
}

func (a *allowed) set(name, value string) *listFault {
	if name == "namespaces" {
		if value == "" {
			return faulty("the option namespaces is empty, so the key may sign nothing; want namespaces=\"git\", or leave it out")
		}
		a.namespaces = value
		return nil
	}
	at, ok := parseTime(value)
	if !ok {
		return faulty("%s is %q; want a date that exists, as YYYYMMDD, or with a time as YYYYMMDDHHMM or YYYYMMDDHHMMSS, in UTC, which a Z at the end may say", name, clip(value))
	}
	if name == "valid-after" {
		a.after = at
	} else {
		a.before = at
	}
	return nil
}

// parseTime reads a time of the format. ssh-keygen takes the local zone where no Z says UTC; here it is always UTC, because
// the answer must not hang on the machine.
func parseTime(text string) (time.Time, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "Z"), "z")
	for _, layout := range [...]string{"20060102", "200601021504", "20060102150405"} {
		if len(text) == len(layout) {
			at, err := time.Parse(layout, text)
			return at, err == nil && at.Unix() > 0
		}
	}
	return time.Time{}, false
}

// matchList reports whether text matches patterns that commas separate.
func matchList(text, list string) bool { return glob.Any(strings.Split(list, ","), text) }

// principal returns the first of the line's own names that the line allows: that is what git asks for.
func (a *allowed) principal() (string, bool) {
	for pattern := range strings.SplitSeq(a.principals, ",") {
		if pattern[0] != '!' && matchList(pattern, a.principals) {
			return pattern, true
		}
	}
	return "", false
}

// allows says why a signature for git at that time is not allowed, though the key is; nil where it is.
func (a *allowed) allows(at time.Time) *refusal {
	switch {
	case a.namespaces != "" && !matchList(namespace, a.namespaces):
		return notAllowed("the commit's signer is listed for the namespaces %q alone, not for %q", clip(a.namespaces), namespace)
	case !a.after.IsZero() && at.Before(a.after):
		return notValid("the commit is of %s, and its signer's key is listed from %s on", stamp(at), stamp(a.after))
	case !a.before.IsZero() && at.After(a.before):
		return notValid("the commit is of %s, and its signer's key is listed until %s", stamp(at), stamp(a.before))
	}
	return nil
}

// stamp shows a time in messages.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
