package gitrepo

import (
	"maps"
	"strings"
)

const (
	maxAttributesBytes = 100 << 20 // git's own bound
	maxAttributesLine  = 2048      // git's own bound; longer lines are passed over
)

// attrState is what an attribute is set to.
type attrState uint8

const (
	attrUnspecified attrState = iota
	attrTrue
	attrFalse
	attrValue
)

// attribute is the state of one attribute.
type attribute struct {
	state attrState
	value string // for attrValue
}

// attrLine is one line of an attributes file.
type attrLine struct {
	pattern string
	macro   string // of "[attr]NAME": its name; there is no pattern then
	noDir   bool   // the pattern has no "/": it is held against the last part of a path
	sets    []attrSet
}

type attrSet struct {
	name string
	attribute
}

// attrFile is a parsed attributes file and the folder that its patterns are relative to ("" or "a/b/").
type attrFile struct {
	base  string
	lines []attrLine
}

// parseAttributes reads an attributes file as git does. Lines that git warns about and passes over are passed
// over. Macros count only where git takes them: at the top, in info/attributes and in the files of user and system.
func parseAttributes(text, base string, macros bool) attrFile {
	f := attrFile{base: base}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > maxAttributesLine {
			continue
		}
		if parsed, ok := parseAttrLine(line); ok && (macros || parsed.macro == "") {
			f.lines = append(f.lines, parsed)
		}
	}
	return f
}

const attrBlank = " \t\r\n"

func parseAttrLine(line string) (l attrLine, ok bool) {
	line = strings.TrimLeft(line, attrBlank)
	if line == "" || line[0] == '#' {
		return l, false
	}
	name, rest := line, ""
	if quoted, after, isQuoted := unquoteC(line); isQuoted {
		name, rest = quoted, after
	} else if i := strings.IndexAny(line, attrBlank); i >= 0 {
		name, rest = line[:i], line[i:]
	}
	if macro, isMacro := strings.CutPrefix(name, "[attr]"); isMacro && macro != "" {
		if !validAttrName(macro) {
			return l, false
		}
		l.macro = macro
	} else {
		if strings.HasPrefix(name, "!") || strings.HasSuffix(name, "/") {
			// A negative pattern is refused by git, and one for folders alone matches no file.
			return l, false
		}
		l.pattern = name
		l.noDir = !strings.Contains(name, "/")
	}
	for _, field := range strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune(attrBlank, c) }) {
		set := attrSet{name: field, attribute: attribute{state: attrTrue}}
		switch {
		case field[0] == '-':
			set.name, set.state = field[1:], attrFalse
		case field[0] == '!':
			set.name, set.state = field[1:], attrUnspecified
		default:
			if name, value, hasValue := strings.Cut(field, "="); hasValue {
				set.name, set.state, set.value = name, attrValue, value
			}
		}
		if !validAttrName(set.name) {
			return l, false
		}
		l.sets = append(l.sets, set)
	}
	return l, true
}

func validAttrName(name string) bool {
	if name == "" || name[0] == '-' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return true
}

// unquoteC reads a string in C quotes at the start of text.
func unquoteC(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	var out strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return out.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", text, false
			}
			c = text[i]
			if at := strings.IndexByte(`abfnrtv\"`, c); at >= 0 {
				out.WriteByte("\a\b\f\n\r\t\v\\\""[at])
				continue
			}
			if i+2 >= len(text) || c < '0' || c > '3' || text[i+1] < '0' || text[i+1] > '7' || text[i+2] < '0' || text[i+2] > '7' {
				return "", text, false
			}
			out.WriteByte((c-'0')<<6 | (text[i+1]-'0')<<3 | text[i+2] - '0')
			i += 2
		default:
			out.WriteByte(c)
		}
	}
	return "", text, false
}

// matches reports whether the line is about path, a file below the base of its file.
func (l *attrLine) matches(path, base string, fold bool) bool {
	if l.macro != "" {
		return false
	}
	if l.noDir {
		return wildmatch(l.pattern, path[strings.LastIndexByte(path, '/')+1:], false, fold)
	}
	pattern, name := strings.TrimPrefix(l.pattern, "/"), path[len(base):]
	// As in git, what comes before the first special character is compared on its own: "a**/x" is "a", then "**/x".
	literal := strings.IndexAny(pattern, `*?[\`)
	if literal < 0 {
		literal = len(pattern)
	}
	if literal > len(name) || !equalNames(pattern[:literal], name[:literal], fold) {
		return false
	}
	return wildmatch(pattern[literal:], name[literal:], true, fold)
}

func equalNames(a, b string, fold bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && (!fold || lower(a[i]) != lower(b[i])) {
			return false
		}
	}
	return true
}

// attributesOf returns what the files, the weakest first, say about a path.
func attributesOf(files []attrFile, path string, fold bool) map[string]attribute {
	macros := map[string][]attrSet{
		"binary": {{"diff", attribute{state: attrFalse}}, {"merge", attribute{state: attrFalse}}, {"text", attribute{state: attrFalse}}},
	}
	for _, f := range files {
		for _, l := range f.lines {
			if l.macro != "" {
				macros[l.macro] = l.sets
			}
		}
	}
	decided := map[string]attribute{}
	var decide func(sets []attrSet)
	decide = func(sets []attrSet) {
		for i := len(sets) - 1; i >= 0; i-- {
			set := sets[i]
			if _, done := decided[set.name]; done {
				continue
			}
			decided[set.name] = set.attribute
			if set.state == attrTrue {
				decide(macros[set.name])
			}
		}
	}
	for i := len(files) - 1; i >= 0; i-- {
		f := &files[i]
		for j := len(f.lines) - 1; j >= 0; j-- {
			if f.lines[j].matches(path, f.base, fold) {
				decide(f.lines[j].sets)
			}
		}
	}
	maps.DeleteFunc(decided, func(_ string, a attribute) bool { return a.state == attrUnspecified })
	return decided
}
