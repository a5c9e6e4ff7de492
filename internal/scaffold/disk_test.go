package scaffold_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/scaffold"
)

func code(err error) string {
	var coded diag.Coded
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return fmt.Sprint(err)
}

// tree returns what is below a folder: files with their content, folders with "/", links with their target.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return nil
		}
		if err != nil || name == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir():
			all[rel+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			all[rel], err = os.Readlink(name)
			all[rel] = "-> " + all[rel]
		default:
			var b []byte
			b, err = os.ReadFile(name)
			all[rel] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWrite(t *testing.T) {
	files := []scaffold.File{
		{Path: "list", Content: []byte("a b\n"), Replaces: []byte("a\n")},
		{Path: "x/y/one", Content: []byte("1")},
		{Path: "x/two", Content: []byte("2")},
		{Path: "empty", Content: []byte{}},
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"list": "a\n", "x/other": "mine", "x/two": "2"})
	if err := os.Chmod(filepath.Join(dir, "list"), 0o600); err != nil {
		t.Fatal(err)
	}
	written, err := scaffold.Write(context.Background(), dir, files)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"list": "a b\n", "empty": "", "x/": "", "x/y/": "", "x/y/one": "1", "x/two": "2", "x/other": "mine"}
	if got := tree(t, dir); !maps.Equal(got, want) {
		t.Errorf("tree %q, want %q", got, want)
	}
	if fmt.Sprint(written) != "{[x/y/one empty] [x/two] [list]}" {
		t.Errorf("written %v", written)
	}
	if info, err := os.Stat(filepath.Join(dir, "list")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the replaced file has mode %v, %v", info.Mode(), err)
	}
	// Again: nothing is left to do.
	written, err = scaffold.Write(context.Background(), dir, files)
	if err != nil || len(written.Created)+len(written.Replaced) > 0 || len(written.Kept) != 4 {
		t.Errorf("again: %v, %v", written, err)
	}
}

func TestWriteMakesFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if _, err := scaffold.Write(context.Background(), dir, []scaffold.File{{Path: "f", Content: []byte("1")}}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); !maps.Equal(got, map[string]string{"f": "1"}) {
		t.Errorf("tree %q", got)
	}
}

// What is in the way is named, and nothing is written.
func TestWriteRefuses(t *testing.T) {
	for _, test := range []struct {
		name     string
		there    map[string]string
		link     string // a symlink of this name, to the folder "elsewhere"
		file     scaffold.File
		obstacle string
		code     string
	}{
		{"other bytes", map[string]string{"f": "2"}, "", scaffold.File{Path: "f", Content: []byte("1")}, `"f" is there`, scaffold.CodeFileExists},
		{"a folder", map[string]string{"f/x": "2"}, "", scaffold.File{Path: "f", Content: []byte("1")}, `"f" is there`, scaffold.CodeFileExists},
		{"a file on the way", map[string]string{"d": "2"}, "", scaffold.File{Path: "d/f", Content: []byte("1")}, `"d" is no folder`, scaffold.CodeFileExists},
		{"a symlink on the way", nil, "d", scaffold.File{Path: "d/f", Content: []byte("1")}, `"d" is no folder`, scaffold.CodeFileExists},
		{"a symlink", nil, "f", scaffold.File{Path: "f", Content: []byte("1")}, `"f" is there`, scaffold.CodeFileExists},
		{"a symlink to be replaced", nil, "f", scaffold.File{Path: "f", Content: []byte("1"), Replaces: []byte("2")}, `"f" is there`, scaffold.CodeFileExists},
		{"replaced by somebody else", map[string]string{"f": "3"}, "", scaffold.File{Path: "f", Content: []byte("1"), Replaces: []byte("2")}, "changed while", scaffold.CodeFileExists},
		{"gone", nil, "", scaffold.File{Path: "f", Content: []byte("1"), Replaces: []byte("2")}, "changed while", scaffold.CodeFileExists},
		{"too large to be ours", map[string]string{"f": strings.Repeat("x", 5<<20)}, "", scaffold.File{Path: "f", Content: []byte("1")}, `"f" is there`, scaffold.CodeFileExists},
		{"staging that is somebody else's", map[string]string{".compose-new/mine": "x"}, "", scaffold.File{Path: "f", Content: []byte("1")}, ".compose-new", scaffold.CodeWriteFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, test.there)
			if test.link != "" {
				if err := os.Symlink("elsewhere", filepath.Join(dir, test.link)); err != nil {
					t.Skip("no symlinks here:", err)
				}
			}
			before := tree(t, dir)
			files := []scaffold.File{{Path: "first", Content: []byte("1")}, test.file}
			written, err := scaffold.Write(context.Background(), dir, files)
			if code(err) != test.code || !strings.Contains(fmt.Sprint(err), test.obstacle) {
				t.Errorf("error %v, want %s about %s", err, test.code, test.obstacle)
			}
			if len(written.Created)+len(written.Kept)+len(written.Replaced) > 0 {
				t.Errorf("written %v", written)
			}
			if after := tree(t, dir); !maps.Equal(before, after) {
				t.Errorf("before %q, after %q", before, after)
			}
		})
	}
}

// countdown is a context that ends when it has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// A run that is stopped at any of its steps leaves what was there, and no more.
func TestWriteIsAllOrNothing(t *testing.T) {
	files := []scaffold.File{
		{Path: "a/b/one", Content: []byte("1")},
		{Path: "list", Content: []byte("a b\n"), Replaces: []byte("a\n")},
		{Path: "a/two", Content: []byte("2")},
		{Path: "c/three", Content: []byte("3")},
	}
	there := map[string]string{"list": "a\n", "a/mine": "x"}
	top := t.TempDir()
	stopped := 0
	for k := 0; ; k++ {
		dir := filepath.Join(top, fmt.Sprint(k))
		put(t, dir, there)
		before := tree(t, dir)
		_, err := scaffold.Write(&countdown{context.Background(), k}, dir, files)
		after := tree(t, dir)
		if err == nil {
			want := map[string]string{"list": "a b\n", "a/": "", "a/mine": "x", "a/b/": "", "a/b/one": "1", "a/two": "2", "c/": "", "c/three": "3"}
			if !maps.Equal(after, want) {
				t.Errorf("tree %q, want %q", after, want)
			}
			break
		}
		if stopped++; !maps.Equal(before, after) {
			t.Fatalf("stopped at step %d: before %q, after %q", k, before, after)
		}
	}
	if stopped < 8 {
		t.Errorf("stopped at %d steps; want at least the folders and files", stopped)
	}
	// In a folder that is not there yet, not even that is left.
	for k := 0; k < stopped; k++ {
		dir := filepath.Join(top, "new", "deep")
		_, err := scaffold.Write(&countdown{context.Background(), k}, dir, files[:1])
		if err == nil {
			break
		}
		if names, err := os.ReadDir(top); err != nil || slices.ContainsFunc(names, func(d fs.DirEntry) bool { return d.Name() == "new" }) {
			t.Fatalf("stopped at step %d: a folder is left, %v", k, err)
		}
	}
}

// What a killed run left in staging is cleared, and what it wrote already is kept.
func TestWriteGoesOn(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{".compose-new/0": "half", ".compose-new/1": "", ".compose-new/.gitignore": "*\n", "one": "1"})
	written, err := scaffold.Write(context.Background(), dir, []scaffold.File{{Path: "one", Content: []byte("1")}, {Path: "two", Content: []byte("2")}})
	if err != nil || fmt.Sprint(written) != "{[two] [one] []}" {
		t.Fatalf("%v, %v", written, err)
	}
	if got := tree(t, dir); !maps.Equal(got, map[string]string{"one": "1", "two": "2"}) {
		t.Errorf("tree %q", got)
	}
}
