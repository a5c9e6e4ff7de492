package gitwire

import (
	"slices"
	"strings"
)

// agent begins with "git/": there are servers that answer nobody else.
const agent = "git/compose"

const (
	maxCapabilities = 1000      // lines of version 2
	maxLineRefs     = 256 << 20 // bytes of all lines of refs
)

// advertisement is what a server says of itself before it is asked.
type advertisement struct {
	version int      // 2 or 0; 1 is 0 with a line before it
	words   []string // capabilities: key or key=value
	refs    *refList // of version 0
}

// readAdvertisement reads the server's first words up to their flush.
func readAdvertisement(p *packets, maxRefs int) (*advertisement, error) {
	line, kind, err := p.line()
	if err != nil {
		return nil, err
	}
	if kind == text && strings.HasPrefix(line, "# service=") { // of http
		if line != "# service=git-upload-pack" {
			return nil, p.invalid("it is for another service")
		}
		if _, kind, err = p.line(); err != nil {
			return nil, err
		}
		if kind != flush {
			return nil, p.invalid("no flush follows the name of the service")
		}
		if line, kind, err = p.line(); err != nil {
			return nil, err
		}
	}
	switch {
	case kind == text && line == "version 2":
		return readCapabilities(p)
	case kind == text && line == "version 1":
		if line, kind, err = p.line(); err != nil {
			return nil, err
		}
	case kind == text && strings.HasPrefix(line, "version "):
		return nil, p.invalid("it is of %q, and versions 0 to 2 are spoken", said(line))
	}
	return readOldAdvertisement(p, line, kind, maxRefs)
}

// readCapabilities reads what follows "version 2".
func readCapabilities(p *packets) (*advertisement, error) {
	a := &advertisement{version: 2}
	for {
		line, kind, err := p.line()
		switch {
		case err != nil:
			return nil, err
		case kind == flush:
			return a, a.check(p, "ls-refs", "fetch")
		case kind != text || len(a.words) == maxCapabilities:
			return nil, p.invalid("its capabilities have no end")
		}
		a.words = append(a.words, line)
	}
}

// readOldAdvertisement reads refs, the first with capabilities behind a NUL, from a line that was read.
func readOldAdvertisement(p *packets, line string, kind kind, maxRefs int) (*advertisement, error) {
	a := &advertisement{refs: newRefList(p, maxRefs)}
	for first := true; kind == text; first = false {
		entry, words, found := strings.Cut(line, "\x00")
		if found && first {
			a.words = strings.Fields(words)
			if err := a.check(p); err != nil {
				return nil, err
			}
		}
		if err := a.refs.line(line); err != nil {
			return nil, err
		}
		if err := a.addOld(p, entry, first); err != nil {
			return nil, err
		}
		var err error
		if line, kind, err = p.line(); err != nil {
			return nil, err
		}
	}
	if kind != flush {
		return nil, p.invalid("no flush ends its refs")
	}
	for _, word := range a.words {
		if link, found := strings.CutPrefix(word, "symref="); found {
			from, to, _ := strings.Cut(link, ":")
			a.refs.link(from, to)
		}
	}
	return a, nil
}

// addOld takes one line: an id and a name, a name with ^{} for what a tag leads to, or a commit that the server's history is
// cut at.
func (a *advertisement) addOld(p *packets, entry string, first bool) error {
	if cut, found := strings.CutPrefix(entry, "shallow "); found {
		if _, ok := parseID(cut); !ok {
			return p.invalid("%q is no line of its refs", said(entry))
		}
		return nil
	}
	digits, name, _ := strings.Cut(entry, " ")
	id, ok := parseID(digits)
	if !ok || name == "" {
		return p.invalid("%q is no line of its refs", said(entry))
	}
	if tag, peeled := strings.CutSuffix(name, "^{}"); peeled {
		if first && tag == "capabilities" && id.IsZero() { // there are no refs
			return nil
		}
		if !id.IsZero() {
			return a.refs.peel(tag, id)
		}
	}
	if id.IsZero() {
		return p.invalid("%q has an id that no object has", said(entry))
	}
	return a.refs.add(Ref{Name: name, ID: id})
}

// check refuses what is not spoken here.
func (a *advertisement) check(p *packets, commands ...string) error {
	if formats := a.values("object-format"); len(formats) > 0 && !slices.Contains(formats, "sha1") {
		return fault(CodeInvalidSource, p.name, "its objects are named by %s, and only repositories of SHA-1 are read; name one that has not been converted", said(formats[0]))
	}
	for _, command := range commands {
		if !a.has(command) {
			return p.invalid("it is of version 2 and knows no %s", command)
		}
	}
	return nil
}

// has reports whether a capability is there, with a value or without.
func (a *advertisement) has(key string) bool {
	return slices.ContainsFunc(a.words, func(word string) bool {
		before, _, _ := strings.Cut(word, "=")
		return before == key
	})
}

// values returns what stands behind a capability's =, in words.
func (a *advertisement) values(key string) []string {
	var list []string
	for _, word := range a.words {
		if value, found := strings.CutPrefix(word, key+"="); found {
			list = append(list, strings.Fields(value)...)
		}
	}
	return list
}

// offers reports whether a capability of version 2 has a feature: fetch=shallow filter.
func (a *advertisement) offers(key, feature string) bool {
	return slices.Contains(a.values(key), feature)
}

// ability says what may be asked for.
func (a *advertisement) ability() Ability {
	if a.version == 2 {
		// Nothing in version 2 says which objects are given out; git gives out all, and who does not answers "not our ref".
		return Ability{Filter: a.offers("fetch", "filter"), AnyObject: true}
	}
	// Where git gives out any object it says "tip" and "reachable" alone, as it does for less.
	return Ability{Filter: a.has("filter"), AnyObject: a.has("allow-any-sha1-in-want")}
}
