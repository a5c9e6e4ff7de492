package starter

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

func TestBuildIsDeterministic(t *testing.T) {
	_, first, err := build()
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, second) {
		t.Errorf("two builds differ: %v, %v", first, second)
	}
}

func TestStoreIsReadOnly(t *testing.T) {
	s, commits, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetEncodedObject(s.NewEncodedObject()); err == nil {
		t.Error("SetEncodedObject: no error")
	}
	if err := s.AddAlternate("/"); err == nil {
		t.Error("AddAlternate: no error")
	}
	if _, err := s.EncodedObject(plumbing.TreeObject, commits[0]); err != plumbing.ErrObjectNotFound {
		t.Errorf("a commit asked for as a tree: got %v", err)
	}
	o, err := s.EncodedObject(plumbing.CommitObject, commits[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Writer(); err == nil {
		t.Error("Writer: no error")
	}
}

// git itself finds nothing wrong with the objects, and reads them as they were meant.
func TestGitAgrees(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	s, commits, err := build()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", folder}, args...)...)
		// A hook that runs the tests has variables of git.
		env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
		cmd.Env = append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("init", "--quiet", "--bare", "--object-format=sha1")
	for id, o := range s.objects {
		name := filepath.Join(folder, "objects", id.String()[:2], id.String()[2:])
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		var loose bytes.Buffer
		w := zlib.NewWriter(&loose)
		fmt.Fprintf(w, "%s %d\x00%s", o.kind, len(o.content), o.content)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, loose.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	head := commits[len(commits)-1].String()
	run("update-ref", "refs/heads/main", head)
	if got := run("fsck", "--strict", "--full", "--no-dangling"); strings.Contains(got, "error") || strings.Contains(got, "warning") {
		t.Errorf("git fsck: %s", got)
	}
	if got := strings.Fields(run("rev-list", head)); len(got) != len(history) {
		t.Errorf("git rev-list: %q, want %d revisions", got, len(history))
	}
	script := "components/artifact.skill-core/files/scripts/check-skill.sh"
	if got := run("ls-tree", head, script); !strings.HasPrefix(got, "100755 blob ") {
		t.Errorf("git ls-tree: %q, want mode 100755", got)
	}
}

// Each revision adds, changes or removes something, and an overlay holds no file that is as it was.
func TestOverlaysAreMinimal(t *testing.T) {
	for i, h := range history[1:] {
		before := treeAt(t, i)
		for path, content := range folderFiles(t, h.folder) {
			if path == removedFile {
				continue
			}
			if was, there := before[path]; there && was == content {
				t.Errorf("revision %s: %s is as before; take it out of the overlay", h.folder, path)
			}
		}
	}
}

func TestRemoveRefusesUnknownPath(t *testing.T) {
	if err := remove(map[string]entry{"a": {}}, "a\nb\n"); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("got %v, want an error that names b", err)
	}
}

// folderFiles returns the sources of one revision's folder by path.
func folderFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	sub, err := fs.Sub(sources, "revisions/"+folder)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	err = fs.WalkDir(sub, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(sub, path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// treeAt returns the whole tree of the i-th revision, by path.
func treeAt(t *testing.T, i int) map[string]string {
	t.Helper()
	s := &store{objects: make(map[plumbing.Hash]*object)}
	entries := make(map[string]entry)
	for _, h := range history[:i+1] {
		if err := overlay(s, entries, h.folder); err != nil {
			t.Fatal(err)
		}
	}
	files := make(map[string]string)
	for path, e := range entries {
		r, err := s.objects[e.id].Reader()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(content)
	}
	return files
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := build(); err != nil {
			b.Fatal(err)
		}
	}
}
