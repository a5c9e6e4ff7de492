package giturl_test

import (
	"testing"

	"example.org/compose/internal/giturl"
)

func TestScrub(t *testing.T) {
	for text, want := range map[string]string{
		"unexpected argument https://me:geheim@h/x": "unexpected argument https://...@h/x",
		"https://geheim@h/x and ssh://git@h/x":      "https://...@h/x and ssh://git@h/x",
		"ssh://git:geheim@h/x":                      "ssh://...@h/x",
		"'https://a:b@c@h'":                         "'https://...@h'",
		"https://h/a@b:c":                           "https://h/a@b:c",
		"no URL: a@b":                               "no URL: a@b",
		"://":                                       "://",
		"":                                          "",
	} {
		if got := giturl.Scrub(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
