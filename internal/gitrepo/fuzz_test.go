package gitrepo_test

import (
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
)

func FuzzParseBitmap(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x03\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00"), uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, positions uint16) {
		b, _, err := gitrepo.ParseBitmap(data, int(positions))
		if err == nil && len(b) > (int(positions)+63)/64 {
			t.Errorf("%d words for %d positions", len(b), positions)
		}
	})
}

func FuzzParseTree(f *testing.F) {
	id := strings.Repeat("\x01", 20)
	f.Add([]byte("100644 a\x00" + id + "40000 b\x00" + id + "120000 c\x00" + id))
	f.Add([]byte("100644 a\x00" + id + "100644 a.b\x00" + id + "40000 a\x00" + id))
	f.Add([]byte("100644 a"))
	f.Fuzz(func(t *testing.T, content []byte) {
		entries, err := gitrepo.ParseTree(content)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, e := range entries {
			if e.Name == "" || strings.ContainsAny(e.Name, "/\x00") || seen[e.Name] {
				t.Errorf("accepted the name %q", e.Name)
			}
			seen[e.Name] = true
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("tree " + id + "\nparent " + id + "\nauthor A <a> 0 +0000\ncommitter A <a> 0 +0000\n\nx"))
	f.Add([]byte("tree " + id + "\nparent"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if tree, err := gitrepo.ParseCommit(content); err == nil && !strings.HasPrefix(string(content), "tree "+tree.String()+"\n") {
			t.Errorf("tree %s of %q", tree, content)
		}
	})
}

func FuzzParseAlternates(f *testing.F) {
	f.Add("/a\n# c\n\"q\\t\"\n../b\r\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range gitrepo.ParseAlternates(text) {
			if !strings.Contains(text, path) && !strings.Contains(text, `"`) {
				t.Errorf("%q of %q", path, text)
			}
		}
	})
}

func FuzzAttributes(f *testing.F) {
	f.Add("*.txt text eol=crlf\n[attr]x -y !z w=v\n\"a\\t\\101\" x\n", "a/b.txt")
	f.Add("a**/[!a-z[:alpha:]]*?\\x text", "a/b/1bx")
	f.Fuzz(func(t *testing.T, text, path string) {
		gitrepo.AttributeValue(text, path, "text", false)
		gitrepo.Wildmatch(text, path, true, true)
	})
}
