package gitconfig_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/gitconfig"
)

// TestParse holds the reader against git's own.
func TestParse(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is missing: nothing to hold the reader against")
	}
	folder := t.TempDir()
	tests := []string{
		"",
		"[core]\n\tbare = false\n",
		"[core] bare = true ; on one line\n",
		"[Core]Bare=TRUE\n[core]\n\tbare\n",
		"\ufeff[core]\n\ta = 1\n",
		"[a \"B c\"]\n\tkey = x\n[a \"q\\\"u\\\\o\\te\"]\n\tk = y\n",
		"[a.B.C]\nk = v\n",
		"[a]\nk = one two   three  # comment\n",
		"[a]\nk = \"one  # two\" ; x\n",
		"[a]\nk = \"  padded  \"\n",
		"[a]\nk = a\\tb\\nc\\\\d\\\"e\n",
		"[a]\nk = one \\\n  two\n",
		"[a]\nk = one \\\r\n  two\r\nl = x\r\n",
		"[a]\r\nk = v\r\n",
		"[a]\nk =\n",
		"[a]\nk = \n",
		"[a]\nk-2 = v\nk3 = w\n",
		"[a]\nk = v",
		"[a]\nk",
		"[a]\nk = tab\there  x\n",
		"[a]\nk = v\"w\"x\n",
		"[a]\n# c\n; d\n\n  k = v\n",
		"[a]\nk = \"x\\\ny\"\n",
		"[a]\nk=v\n[a]\nk=w\n",
		"[a \"\"]\nk=v\n",
		"[a-b]\nk=v\n",
		// refused by git
		"k = v\n[a]\nl = w\n",
		"[a\nk = v\n",
		"[a] ]\n",
		"[a]\n2k = v\n",
		"[a]\nk_x = v\n",
		"[a]\nk = \"x\n",
		"[a]\nk = \\x\n",
		"[a \"b\nc\"]\nk = v\n",
		"[a b]\nk = v\n",
		"[a \"b\" ]\nk = v\n",
		"[a]\nk : v\n",
		"[a]\nk = v\\",
		"[a_b]\nk = v\n",
		"[a]\n-k = v\n",
	}
	for i, text := range tests {
		name := fmt.Sprintf("config-%d", i)
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, gitErr := exec.Command(git, "config", "-z", "-l", "-f", path).Output()
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if len(out) == 0 {
			want = nil
		}
		got, err := configLines(text)
		switch {
		case (err != nil) != (gitErr != nil):
			t.Errorf("%q: %v, and git: %v", text, err, gitErr)
		case err == nil && !slices.Equal(got, want):
			t.Errorf("%q:\ngot %q\ngit %q", text, got, want)
		}
	}
}

// configLines are the settings of a text as `git config -z -l` prints them.
func configLines(text string) ([]string, error) {
	entries, err := gitconfig.Parse(text)
	var lines []string
	for _, e := range entries {
		if e.Bare {
			lines = append(lines, e.Name)
		} else {
			lines = append(lines, e.Name+"\n"+e.Value)
		}
	}
	return lines, err
}

func FuzzParse(f *testing.F) {
	f.Add("[core]\n\tbare = false ; x\n[a \"b\\\"\"]\nk = \"x\\\ny\"\n")
	f.Add("\ufeff[a]\r\nk\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := gitconfig.Parse(text)
		if err == nil && len(entries) > len(text) {
			t.Errorf("%d entries of %d bytes", len(entries), len(text))
		}
	})
}
