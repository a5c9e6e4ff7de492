package skills

import (
	"regexp"
	"strings"
	"testing"
)

// Installers make one dash of everything that is no plain character, and none at the ends.
func FuzzInstalledName(f *testing.F) {
	for _, name := range []string{"", "a", "My Skill", "..x--y..", "-a_b.c-", "été", "a\xff\xfeb", "İ", "%%%", strings.Repeat("n ", 200)} {
		f.Add(name)
	}
	odd := regexp.MustCompile(`[^a-z0-9._]+`)
	f.Fuzz(func(t *testing.T, name string) {
		want := strings.Trim(odd.ReplaceAllString(strings.ToLower(name), "-"), ".-")
		if want == "" {
			want = "unnamed-skill"
		}
		if got := installedName(name); got != want[:min(len(want), 255)] {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	})
}
