package glob_test

import (
	"strings"
	"testing"

	"example.org/compose/internal/glob"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"*", "", true}, {"?", "", false}, {"a", "a", true}, {"A", "a", false}, {"a", "b", false}, {"a*", "abc", true}, {"*c", "abc", true},
		{"a*c", "ac", true}, {"a*b*c", "axbxbxc", true}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"**", "x", true}, {"*a", "ab", false}, {"[ab]", "a", false},
		{"a", "ab", false}, {"ab", "a", false}, {"?", "\xff", true}, {"*/x", "a/b/x", true}, {"", "a", false}, {"*b", "abc", false}, {"a**c", "abc", true}, {"a?", "abc", false},
		{"*ab", "abab", true}, {"*ab", "aab", true}, {"a*b", "a*b", true}, {"*@*.c", "a@b.c", true}, {"*@*.c", "a@b.c.d", false},
		{strings.Repeat("*a", 2000) + "b", strings.Repeat("a", 4000), false}, // in a moment
	} {
		if got := glob.Match(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%.20q, %.20q: %v", tt.pattern, tt.name, got)
		}
	}
}

func TestAny(t *testing.T) {
	for _, tt := range []struct {
		patterns, name string
		want           bool
	}{
		{"a,b", "b", true}, {"a,b", "c", false}, {"*,!b", "b", false}, {"!b,*", "b", false}, {"!b", "a", false}, {"", "a", false}, {"", "", true}, {"!!a,*", "!a", false},
	} {
		if got := glob.Any(strings.Split(tt.patterns, ","), tt.name); got != tt.want {
			t.Errorf("%q, %q: %v", tt.patterns, tt.name, got)
		}
	}
}
