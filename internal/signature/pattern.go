package signature

import "strings"

// matchList reports whether text matches a list of patterns as OpenSSH does: one pattern matches, and none that is
// negated with "!".
func matchList(text, list string) bool {
	matched := false
	for pattern := range strings.SplitSeq(list, ",") {
		pattern, negated := strings.CutPrefix(pattern, "!")
		if match(text, pattern) {
			if negated {
				return false
			}
			matched = true
		}
	}
	return matched
}

// match reports whether text matches a pattern: "*" stands for any bytes, "?" for one. Its time is at most the product
// of the two lengths.
func match(text, pattern string) bool {
	t, p := 0, 0
	star, from := -1, 0 // the last "*", and where the text begins that it does not cover yet
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			t++
			p++
		case star >= 0:
			from++
			t, p = from, star+1
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
