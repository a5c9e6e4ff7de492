package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// texts are what a working copy may hold on one system or another.
var texts = map[string]string{
	"lf.md":            "one\ntwo\n",
	"crlf.md":          "one\r\ntwo\r\n",
	"cr.md":            "one\rtwo\r\r\n",
	"bom.md":           "\ufeffone\n",
	"open.md":          "one",
	"empty.md":         "",
	"nel.md":           "a\u0085b\u2028c\vd\fe\n",
	"deep/größe.md":    "größe, gro\u0308ße, 大きさ, 🙂\r\n",
	"a,b \"c\"/nul.md": "a\x00b",
}

func folder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range texts {
		at := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// python runs filetable.py.
func python(t *testing.T, stdin []byte, args ...string) ([]byte, error) {
	t.Helper()
	name, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	cmd := exec.Command(name, append([]string{"-B", "filetable.py"}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	return cmd.Output()
}

// Python fills and Go checks.
func TestFilledByPython(t *testing.T) {
	root := folder(t)
	table, err := python(t, nil, "fill", root)
	if err != nil {
		t.Fatal(err)
	}
	if rows := bytes.Count(table, []byte("\n")); rows != len(texts)+1 {
		t.Fatalf("%d rows: %s", rows, table)
	}
	checkTable(t, root, table, func(table []byte) error { return run([]string{"check", root}, bytes.NewReader(table), nil) })
}

// Go fills and Python checks.
func TestFilledByGo(t *testing.T) {
	root := folder(t)
	var table bytes.Buffer
	if err := run([]string{"fill", root}, nil, &table); err != nil {
		t.Fatal(err)
	}
	if rows := bytes.Count(table.Bytes(), []byte("\n")); rows != len(texts)+1 {
		t.Fatalf("%d rows: %s", rows, table.Bytes())
	}
	checkTable(t, root, table.Bytes(), func(table []byte) error { _, err := python(t, table, "check", root); return err })
}

// checkTable wants a table to hold for a folder, also with other line ends, and not after a change.
func checkTable(t *testing.T, root string, table []byte, check func([]byte) error) {
	t.Helper()
	if err := check(table); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(root, "lf.md")
	for text, same := range map[string]bool{"one\r\ntwo\r\n": true, "one\rtwo\r": true, "one\ntwo": false, "one\ntwo\n\n": false, "\ufeffone\ntwo\n": false, "one\xff": false} {
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := check(table); (err == nil) != same {
			t.Errorf("%q: error %v", text, err)
		}
	}
	os.Remove(at)
	if check(table) == nil {
		t.Error("a file that is gone is not missed")
	}
}

func TestRefused(t *testing.T) {
	for table, want := range map[string]string{"": "does not begin", "a,b\n": "does not begin", "path,sha256\nx\n": "wrong number"} {
		if err := run([]string{"check", t.TempDir()}, strings.NewReader(table), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v", table, err)
		}
	}
}
