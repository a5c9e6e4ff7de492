package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/compose/lockv2"
)

func TestNearest(t *testing.T) {
	names := []lockv2.Destination{".github/workflows/ci.yml", ".github/workflows/release.yml", "README.md", "docs/README.md", "docs/a.md", "docs/b.md", "docs/c.md", "docs/d.md", "x"}
	tests := map[string]struct{ asked, want string }{
		"a slip":                        {"REDME.md", "README.md"},
		"letters in the wrong order":    {"RAEDME.md", "README.md"},
		"other case":                    {"readme.MD", "README.md"},
		"a slip in a folder":            {".github/workflow/ci.yml", ".github/workflows/ci.yml"},
		"the last part alone":           {"ci.yml", ".github/workflows/ci.yml"},
		"another folder":                {"documentation/readme.md", "README.md docs/README.md"},
		"no more than three, by bytes":  {"docs/z.md", "docs/a.md docs/b.md docs/c.md"},
		"the nearest first":             {"docs/d.mdd", "docs/d.md docs/a.md docs/b.md"},
		"one letter is anything":        {"y", "x"},
		"nothing like it":               {"src/entirely/else.go", ""},
		"empty":                         {"", "x"},
		"long, and with a slip in each": {".githab/workflaws/releese.yml", ".github/workflows/release.yml"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := strings.Trim(fmt.Sprint(nearest(lockv2.Destination(tt.asked), names)), "[]"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// slowDistance is the distance without a bound, cell by cell.
func slowDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		next := []int{i + 1}
		for k := range len(b) {
			change := row[k]
			if a[i] != b[k] {
				change++
			}
			next = append(next, min(change, row[k+1]+1, next[k]+1))
		}
		row = next
	}
	return row[len(b)]
}

func FuzzDistance(f *testing.F) {
	f.Add("README.md", "REDME.md", 4)
	f.Add("", "abc", 3)
	f.Add("abcabc", "bcabca", 1)
	f.Fuzz(func(t *testing.T, a, b string, most int) {
		if len(a) > 64 || len(b) > 64 || most < 0 || most > 8 {
			t.Skip()
		}
		want := slowDistance(a, b)
		got, near := distance(a, b, most)
		if near != (want <= most) || near && got != want {
			t.Errorf("distance(%q, %q, %d) = %d, %v, want %d", a, b, most, got, near, want)
		}
	})
}

// A name with a hostile length or many names near it cost no more than looking at them.
func BenchmarkNearest(b *testing.B) {
	names := make([]lockv2.Destination, 200_000)
	for i := range names {
		names[i] = lockv2.Destination(fmt.Sprintf("docs/%s/%06d.md", strings.Repeat("a", 200), i))
	}
	slices.Sort(names)
	asked := lockv2.Destination("docs/" + strings.Repeat("a", 200) + "/x.md")
	for b.Loop() {
		nearest(asked, names)
	}
}
