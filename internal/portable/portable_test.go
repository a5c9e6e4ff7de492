package portable_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"example.org/compose/internal/portable"
)

func TestCheck(t *testing.T) {
	long := strings.Repeat("a", 255)
	tests := []struct {
		path    string
		segment string // that is at fault; "ok" for a portable path, "" for the whole
	}{
		{"a", "ok"}, {"a/b/c.txt", "ok"}, {"_x/.y", "ok"}, {"0", "ok"}, {"A-b_c.D", "ok"}, {"a-", "ok"},
		{".con", "ok"}, {"console.txt", "ok"}, {"auxiliary/x", "ok"}, {"com", "ok"}, {"com10", "ok"}, {"lpt", "ok"}, {"xnul", "ok"}, {"nul-", "ok"},
		{"...a", "ok"}, {"..a/b", "ok"}, {".github/x", "ok"}, {".gitignore", "ok"}, {"git", "ok"}, {"a.git", "ok"}, {".git.x", "ok"},
		{long, "ok"}, {long + "/" + long + "/" + long + "/" + long, "ok"},
		{strings.Repeat("a/", 511) + "aa", "ok"}, {strings.Repeat("a/", 512) + "a", ""},
		{"", ""}, {"/", ""}, {"/a", ""}, {"a//b", ""}, {"a/", ""}, {"./", "."},
		{".", "."}, {"..", ".."}, {"a/../b", ".."}, {"a/.", "."}, {"...", "..."},
		{"-a", "-a"}, {"a/-", "-"}, {"a.", "a."}, {"a./b", "a."},
		{".git", ".git"}, {"x/.GIT/y", ".GIT"}, {".Git", ".Git"},
		{"con", "con"}, {"CON.tar.gz", "CON.tar.gz"}, {"x/aux.py", "aux.py"}, {"lib/NUL", "NUL"}, {"prn.", "prn."}, {"COM1", "COM1"}, {"com0.x", "com0.x"}, {"Lpt9.txt", "Lpt9.txt"},
		{"a b", "a b"}, {"a:b", "a:b"}, {"C:/x", "C:"}, {`a\b`, `a\b`}, {"x?", "x?"}, {"é.md", "é.md"}, {"a\x00", "a\x00"}, {"a\n", "a\n"}, {"\xff", "\xff"}, {"com¹", "com¹"}, {"~", "~"},
		{long + "a", long + "a"}, {"x/" + long + "a/y", long + "a"},
	}
	for _, tt := range tests {
		err := portable.Check(tt.path)
		if tt.segment == "ok" {
			if err != nil {
				t.Errorf("%.40q: %v", tt.path, err)
			}
			continue
		}
		var e *portable.Error
		if !errors.As(err, &e) {
			t.Errorf("%.40q: error %v", tt.path, err)
			continue
		}
		if e.Segment != tt.segment || e.Reason == "" {
			t.Errorf("%.40q: segment %.40q, want %.40q (%s)", tt.path, e.Segment, tt.segment, e.Reason)
		}
	}
}

func TestFold(t *testing.T) {
	for path, want := range map[string]string{"": "", "a/b": "a/b", "A/b.MD": "a/b.md", "zZ[@`{": "zz[@`{", "É": "É"} {
		if got := portable.Fold(path); got != want {
			t.Errorf("Fold(%q) is %q, want %q", path, got, want)
		}
	}
}

// FuzzCheck holds Check against the rule as docs/paths.md has it, written another way.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"a/b", ".git", "con.x", "a//b", "-a", "é", "a.", strings.Repeat("a", 256), "lpt1", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if got, want := portable.Check(path) == nil, rule(path); got != want {
			t.Fatalf("Check(%q): portable is %v, want %v", path, got, want)
		}
		folded := portable.Fold(path)
		if portable.Fold(folded) != folded || (portable.Check(folded) == nil) != (portable.Check(path) == nil) {
			t.Fatalf("%q folds to %q, which is judged otherwise", path, folded)
		}
	})
}

var letters = regexp.MustCompile(`\A[A-Za-z0-9._-]*\z`)

func rule(path string) bool {
	if path == "" || len(path) > 1024 {
		return false
	}
	for _, s := range strings.Split(path, "/") {
		lower := strings.ToLower(s)
		stem := strings.SplitN(lower, ".", 2)[0]
		if s == "" || len(s) > 255 || strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".") || lower == ".git" || !letters.MatchString(s) {
			return false
		}
		switch {
		case stem == "con" || stem == "prn" || stem == "aux" || stem == "nul":
			return false
		case len(stem) == 4 && (stem[:3] == "com" || stem[:3] == "lpt") && strings.Contains("0123456789", stem[3:]):
			return false
		}
	}
	return true
}

func ExampleCheck() {
	fmt.Println(portable.Check("docs/guide.md"))
	fmt.Println(portable.Check("docs/aux.md"))
	// Output:
	// <nil>
	// segment "aux.md" is a device name on Windows
}
