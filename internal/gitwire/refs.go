package gitwire

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"github.com/go-git/go-git/v5/plumbing"
)

// maxRefName is far more than a file system takes.
const maxRefName = 1024

// refList collects refs within bounds.
type refList struct {
	p     *packets
	max   int
	names int // of refs, those that are left out with them
	lines int
	bytes int // of all lines
	refs  []Ref
	at    map[string]int // by name
}

func newRefList(p *packets, maxRefs int) *refList {
	return &refList{p: p, max: maxRefs, at: make(map[string]int)}
}

// line counts a line before anything else is made of it, so that none is free. A ref has two at most, one for what its tag leads
// to, and a history may be cut at as many commits as there are refs.
func (l *refList) line(text string) error {
	l.lines++
	l.bytes += len(text)
	if l.lines > 3*l.max || l.bytes > maxLineRefs {
		return l.tooLarge()
	}
	return nil
}

func (l *refList) tooLarge() error {
	return fault(CodeTooLarge, l.p.name, "the server lists more than %d refs, or more than %d MiB of them; name a repository with fewer", l.max, maxLineRefs>>20)
}

// add takes a ref. One whose name git would not take is left out: nobody can ask for it by name.
func (l *refList) add(ref Ref) error {
	if l.names++; l.names > l.max {
		return l.tooLarge()
	}
	if !validRefName(ref.Name) {
		return nil
	}
	if _, twice := l.at[ref.Name]; twice {
		return l.p.invalid("it lists %q twice", ref.Name)
	}
	l.at[ref.Name] = len(l.refs)
	l.refs = append(l.refs, ref)
	return nil
}

// peel notes what a tag that was added leads to.
func (l *refList) peel(name string, id plumbing.Hash) error {
	if i, found := l.at[name]; found {
		l.refs[i].Peeled = id
	} else if validRefName(name) {
		return l.p.invalid("it peels %q, which it does not list", name)
	}
	return nil
}

// link notes that a ref is symbolic. One that is not listed is HEAD before the first commit.
func (l *refList) link(from, to string) {
	if !validRefName(to) {
		return
	}
	if i, found := l.at[from]; found {
		l.refs[i].Target = to
	} else if from == "HEAD" {
		l.at[from] = len(l.refs)
		l.refs = append(l.refs, Ref{Name: from, Target: to})
	}
}

// sorted returns the refs that begin with one of prefixes, HEAD first.
func (l *refList) sorted(prefixes []string) []Ref {
	var list []Ref
	for _, ref := range l.refs {
		if len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(ref.Name, prefix) }) {
			list = append(list, ref)
		}
	}
	slices.SortFunc(list, func(a, b Ref) int {
		if a.Name == "HEAD" || b.Name == "HEAD" {
			return cmp.Compare(isHead(b), isHead(a))
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

func isHead(ref Ref) int {
	if ref.Name == "HEAD" {
		return 1
	}
	return 0
}

// lsRefs asks a server of version 2 for refs.
func lsRefs(a *advertisement, prefixes []string) []byte {
	b := appendLine(nil, "command=ls-refs")
	b = append(appendCommon(b, a), delimPacket...)
	b = appendLine(appendLine(b, "peel"), "symrefs")
	if a.offers("ls-refs", "unborn") {
		b = appendLine(b, "unborn")
	}
	for _, prefix := range prefixes {
		if len(prefix) <= maxRefName {
			b = appendLine(b, "ref-prefix %s", prefix)
		}
	}
	return append(b, flushPacket...)
}

// appendCommon adds the capabilities that every command of version 2 says.
func appendCommon(b []byte, a *advertisement) []byte {
	if a.has("agent") {
		b = appendLine(b, "agent=%s", agent)
	}
	if a.has("object-format") {
		b = appendLine(b, "object-format=sha1")
	}
	return b
}

// readRefs reads what answers lsRefs.
func readRefs(p *packets, maxRefs int) (*refList, error) {
	list := newRefList(p, maxRefs)
	for {
		line, kind, err := p.line()
		switch {
		case err != nil:
			return nil, err
		case kind == flush:
			return list, nil
		case kind != text:
			return nil, p.invalid("no flush ends its refs")
		}
		if err := list.line(line); err != nil {
			return nil, err
		}
		ref, ok := parseRef(line)
		switch {
		case !ok:
			return nil, p.invalid("%q is no line of its refs", said(line))
		case ref.ID.IsZero() && (ref.Name != "HEAD" || ref.Target == ""):
			continue // it leads nowhere, and nobody can ask for it
		}
		if err := list.add(ref); err != nil {
			return nil, err
		}
	}
}

// parseRef reads a line of ls-refs: an id or "unborn", a name, and attributes. Only what is unborn has a zero id.
func parseRef(line string) (Ref, bool) {
	digits, rest, found := strings.Cut(line, " ")
	name, attributes, _ := strings.Cut(rest, " ")
	ref := Ref{Name: name}
	if !found || name == "" {
		return ref, false
	}
	if digits != "unborn" {
		id, ok := parseID(digits)
		if !ok || id.IsZero() {
			return ref, false
		}
		ref.ID = id
	}
	for attribute := range strings.SplitSeq(attributes, " ") {
		if target, found := strings.CutPrefix(attribute, "symref-target:"); found && validRefName(target) {
			ref.Target = target
		}
		if digits, found := strings.CutPrefix(attribute, "peeled:"); found {
			id, ok := parseID(digits)
			if !ok || id.IsZero() {
				return ref, false
			}
			ref.Peeled = id
		}
	}
	return ref, true
}

// parseID reads an id in hexadecimal digits; git writes small letters.
func parseID(digits string) (plumbing.Hash, bool) {
	var id plumbing.Hash
	if len(digits) != hex.EncodedLen(len(id)) {
		return id, false
	}
	n, err := hex.Decode(id[:], []byte(digits))
	return id, err == nil && n == len(id)
}

// validRefName has the rules of git-check-ref-format(1), and asks for letters that can be shown.
func validRefName(name string) bool {
	if name == "" || len(name) > maxRefName || name[len(name)-1] == '.' || name == "@" || strings.Contains(name, "..") || strings.Contains(name, "@{") ||
		strings.ContainsAny(name, " ~^:?*[\\") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return diag.IsPrintable(name)
}
