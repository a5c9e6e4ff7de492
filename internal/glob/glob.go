// Package glob matches names against patterns as OpenSSH does: "*" stands for any bytes, "?" for one, and in a list "!" is in
// front of a pattern of names that do not belong to it. Start with Any. Letter case counts.
//
// Rule: ssh_config(5), PATTERNS. The patterns of policies, which are URLs, are package giturl's.
package glob

import "strings"

// Any reports whether name matches a list of patterns: one of them matches, and none that begins with "!".
func Any(patterns []string, name string) bool {
	found := false
	for _, pattern := range patterns {
		pattern, negated := strings.CutPrefix(pattern, "!")
		if !Match(pattern, name) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// Match reports whether name matches one pattern. It takes as many steps as the product of the two lengths at most.
func Match(pattern, name string) bool {
	p, n := 0, 0
	star, from := -1, 0 // the last "*", and where the name begins that it does not cover yet
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
