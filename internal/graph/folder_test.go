package graph

import (
	"fmt"
	"strings"
	"testing"
)

func TestFolded(t *testing.T) {
	many := func(paths ...string) (list []Folder) {
		for i, p := range paths {
			list = append(list, Folder{Path: p, Files: Files{Managed: i + 1}})
		}
		return list
	}
	for name, tt := range map[string]struct {
		folders []Folder
		most    int
		want    string
	}{
		"few":             {many("", "a", "a/b"), 3, "./ 1 managed; a/ 2 managed; a/b/ 3 managed"},
		"deepest first":   {many("a", "a/b", "a/b/c", "d"), 3, "a/ 1 managed; a/b/… 5 managed; d/ 4 managed"},
		"up to the top":   {many("a", "a/b", "c/d/e", "c/f"), 2, "a/… 3 managed; c/… 7 managed"},
		"too many at top": {many("", "a", "b", "c/d", "e"), 3, "./ 1 managed; a/ 2 managed; and 3"},
		"one for a chain": {many("a/b/c/d"), 1, "a/b/c/d/ 1 managed"},
		"none":            {nil, 3, ""},
	} {
		before := fmt.Sprint(tt.folders)
		shown, more := folded(tt.folders, tt.most)
		var parts []string
		total := 0
		for _, f := range shown {
			parts = append(parts, f.label()+" "+f.Files.String())
			total += f.Total()
		}
		if more > 0 {
			parts = append(parts, fmt.Sprintf("and %d", more))
		}
		if got := strings.Join(parts, "; "); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if fmt.Sprint(tt.folders) != before {
			t.Errorf("%s: the argument changed", name)
		}
	}
}

func TestTexts(t *testing.T) {
	f := font{11, false}
	for _, s := range []string{"", "short", strings.Repeat("W", 500), strings.Repeat("漢", 100), "one two three four five six seven eight nine ten eleven twelve"} {
		if got := f.fit(s, 120); f.width(got) > 120 || f.width(s) <= 120 && got != s {
			t.Errorf("fit(%q) = %q", s, got)
		}
		if got := f.fitEnd(s, 120); f.width(got) > 120 || !strings.HasSuffix(s, strings.TrimPrefix(got, "…")) {
			t.Errorf("fitEnd(%q) = %q", s, got)
		}
		lines := f.wrap(s, 120, 2)
		for _, line := range lines {
			if f.width(line) > 120 {
				t.Errorf("wrap(%q) = %q", s, lines)
			}
		}
		if len(lines) > 2 {
			t.Errorf("wrap(%q) = %q", s, lines)
		}
	}
	if got := f.wrap("one two three four five six seven", 80, 3); strings.Join(got, " ") != "one two three four five six seven" || len(got) != 3 {
		t.Errorf("wrap = %q", got)
	}
	if bold := (font{11, true}); bold.width("abc") <= f.width("abc") {
		t.Error("bold is no wider")
	}
}
