package gitrepo

import "strings"

// wildmatch matches git's shell patterns: ? * [a-z] \c. With path set, "*" and "?" stop at "/", and "**" between
// slashes, or at an end, stands for any folders. fold ignores ASCII case.
//
// Steps are bounded: a pattern of many stars against a long name is a classic way to hang a reader. Past the
// bound there is no match.
func wildmatch(pattern, text string, path, fold bool) bool {
	m := matcher{path: path, fold: fold, steps: 1 << 20}
	return m.match(pattern, text, true) == matched
}

type matchResult uint8

// As in git's wildmatch.c: without the last two, each "*" of a failing match would try all that those after it tried.
const (
	matched        matchResult = iota
	unmatched                  // here; a star before may still take more
	abortedToCross             // a "*" met "/": only a star that crosses it can help
	aborted                    // the text is used up, or the bound is reached: nothing before can help
)

type matcher struct {
	path, fold bool
	steps      int
}

// match reports whether the whole text fits; start says that pattern is the start of the whole, where "**/" may stand.
func (m *matcher) match(pattern, text string, start bool) matchResult {
	afterSlash := start
	for len(pattern) > 0 {
		if m.steps--; m.steps < 0 {
			return aborted
		}
		c := pattern[0]
		if c == '*' {
			return m.star(pattern, text, afterSlash)
		}
		if text == "" {
			return aborted
		}
		t := text[0]
		switch c {
		case '?':
			if m.path && t == '/' {
				return unmatched
			}
			pattern = pattern[1:]
		case '[':
			ok, rest, valid := m.class(pattern[1:], t)
			if !valid {
				return aborted
			}
			if !ok || m.path && t == '/' {
				return unmatched
			}
			pattern = rest
		default:
			if c == '\\' {
				if pattern = pattern[1:]; pattern == "" {
					return aborted
				}
				c = pattern[0]
			}
			if !m.same(c, t) {
				return unmatched
			}
			pattern = pattern[1:]
		}
		afterSlash = t == '/'
		text = text[1:]
	}
	if text != "" {
		return unmatched
	}
	return matched
}

// star matches a pattern that begins with "*".
func (m *matcher) star(pattern, text string, afterSlash bool) matchResult {
	rest := strings.TrimLeft(pattern, "*")
	crosses := !m.path // whether it may take "/"
	if stars := len(pattern) - len(rest); m.path && stars >= 2 && afterSlash &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		crosses = true
		// "**/" may stand for no folder at all.
		if strings.HasPrefix(rest, "/") && m.match(rest[1:], text, true) == matched {
			return matched
		}
	}
	if rest == "" {
		if !crosses && strings.Contains(text, "/") {
			return abortedToCross
		}
		return matched
	}
	for ; text != ""; text = text[1:] {
		if m.steps--; m.steps < 0 {
			return aborted
		}
		switch r := m.match(rest, text, false); {
		case r == unmatched:
			if !crosses && text[0] == '/' {
				return abortedToCross
			}
		case r != abortedToCross || !crosses:
			return r
		}
	}
	return aborted
}

func (m *matcher) same(a, b byte) bool {
	if m.fold {
		return lower(a) == lower(b)
	}
	return a == b
}

// class matches what follows "["; valid is false where there is no "]".
func (m *matcher) class(pattern string, t byte) (ok bool, rest string, valid bool) {
	negate := pattern != "" && (pattern[0] == '!' || pattern[0] == '^')
	if negate {
		pattern = pattern[1:]
	}
	hit := func(from, to byte) bool {
		return from <= t && t <= to || m.fold && (from <= lower(t) && lower(t) <= to || from <= upper(t) && upper(t) <= to)
	}
	for first := true; ; first = false {
		if pattern == "" {
			return false, "", false
		}
		c := pattern[0]
		if c == ']' && !first {
			return ok != negate, pattern[1:], true
		}
		if c == '[' && strings.HasPrefix(pattern, "[:") {
			name, after, found := strings.Cut(pattern[2:], ":]")
			if found && !strings.Contains(name, "]") {
				in, known := inClass(name, t, m.fold)
				if !known {
					return false, "", false
				}
				ok = ok || in
				pattern = after
				continue
			}
		}
		if c == '\\' {
			if pattern = pattern[1:]; pattern == "" {
				return false, "", false
			}
			c = pattern[0]
		}
		pattern = pattern[1:]
		to := c
		if len(pattern) > 1 && pattern[0] == '-' && pattern[1] != ']' {
			to = pattern[1]
			pattern = pattern[2:]
			if to == '\\' {
				if pattern == "" {
					return false, "", false
				}
				to, pattern = pattern[0], pattern[1:]
			}
		}
		ok = ok || hit(c, to)
	}
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c &^ 0x20
	}
	return c
}

// inClass is [:name:] for ASCII.
func inClass(name string, t byte, fold bool) (in, known bool) {
	letter, digit := isLetter(t), t >= '0' && t <= '9'
	switch name {
	case "alnum":
		return letter || digit, true
	case "alpha":
		return letter, true
	case "blank":
		return t == ' ' || t == '\t', true
	case "cntrl":
		return t < 32 || t == 127, true
	case "digit":
		return digit, true
	case "graph":
		return t > 32 && t < 127, true
	case "lower":
		return t >= 'a' && t <= 'z' || fold && letter, true
	case "print":
		return t >= 32 && t < 127, true
	case "punct":
		return t > 32 && t < 127 && !letter && !digit, true
	case "space":
		return t == ' ' || t >= '\t' && t <= '\r', true
	case "upper":
		return t >= 'A' && t <= 'Z' || fold && letter, true
	case "xdigit":
		return digit || lower(t) >= 'a' && lower(t) <= 'f', true
	}
	return false, false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
