package gitwire_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/gitwire"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"
)

// fixture is a bare repository with two commits, two branches, an annotated tag, and a big file.
type fixture struct {
	root string // the folder that is served
	dir  string // root/team/x.git
	old  plumbing.Hash
	tip  plumbing.Hash
	side plumbing.Hash // of refs/heads/side
	tag  plumbing.Hash // of refs/tags/v1, which leads to old
	blob plumbing.Hash // of the file in tip
	// hidden is a commit that is there and that no ref leads to; lost is one that is not there.
	hidden, lost plumbing.Hash
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	root := t.TempDir()
	work, dir := filepath.Join(root, "work"), filepath.Join(root, "served", "team", "x.git")
	for _, folder := range []string{work, dir} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) plumbing.Hash { return plumbing.NewHash(gitserver.Git(t, work, args...)) }
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(work, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", name)
	}
	git("init", "-q")
	write("a", "one\n")
	git("commit", "-q", "-m", "one")
	f := fixture{root: filepath.Join(root, "served"), dir: dir, old: git("rev-parse", "HEAD")}
	git("tag", "-a", "-m", "v1", "v1")
	write("a", noise(300_000))
	git("commit", "-q", "-m", "two")
	f.tip, f.blob, f.tag = git("rev-parse", "HEAD"), git("rev-parse", "HEAD:a"), git("rev-parse", "v1")
	git("checkout", "-q", "-b", "side", "v1")
	write("b", "side\n")
	git("commit", "-q", "-m", "side")
	f.side = git("rev-parse", "HEAD")
	git("checkout", "-q", "--detach")
	git("commit", "-q", "--allow-empty", "-m", "hidden")
	f.hidden = git("rev-parse", "HEAD")
	git("update-ref", "refs/keep/hidden", "HEAD")
	git("commit", "-q", "--allow-empty", "-m", "lost")
	f.lost = git("rev-parse", "HEAD")
	git("checkout", "-q", "main")
	gitserver.Git(t, root, "clone", "-q", "--mirror", "--no-local", work, dir)
	gitserver.Git(t, dir, "update-ref", "-d", "refs/keep/hidden")
	gitserver.Git(t, dir, "config", "uploadpack.allowFilter", "true")
	return f
}

// noise does not compress, and is the same in every run.
func noise(n int) string {
	var b strings.Builder
	for i := uint32(0); b.Len() < n; i++ {
		var seed [4]byte
		binary.BigEndian.PutUint32(seed[:], i)
		sum := sha1.Sum(seed[:])
		b.Write(sum[:])
	}
	return b.String()[:n]
}

func parse(t *testing.T, text string) giturl.URL {
	t.Helper()
	u, _, err := giturl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func open(t *testing.T, text string, opts gitwire.Options) gitwire.Remote {
	t.Helper()
	r, err := gitwire.Open(context.Background(), parse(t, text), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// environment is a Getenv of pairs.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// wantCode checks a code, and that the message shows nothing that harms a terminal.
func wantCode(t *testing.T, err error, code, says string) {
	t.Helper()
	var coded diag.Coded
	if !errors.As(err, &coded) || coded.Code() != code || !strings.Contains(err.Error(), says) {
		t.Fatalf("got %v, want %s: ...%s...", err, code, says)
	}
	if strings.ContainsAny(err.Error(), "\x1b\x00\n") || len(err.Error()) > 1500 {
		t.Errorf("the error shows %q", err)
	}
}

// objects lists what a pack holds, by go-git.
func objects(t *testing.T, pack []byte) map[plumbing.Hash]string {
	t.Helper()
	store := memory.NewStorage()
	if err := packfile.UpdateObjectStorage(store, bytes.NewReader(pack)); err != nil {
		t.Fatal(err)
	}
	list := make(map[plumbing.Hash]string)
	for id, object := range store.Objects {
		list[id] = object.Type().String()
	}
	return list
}

func fetch(t *testing.T, r gitwire.Remote, ask gitwire.Request) map[plumbing.Hash]string {
	t.Helper()
	pack, err := tryFetch(r, ask)
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, pack)
}

func tryFetch(r gitwire.Remote, ask gitwire.Request) ([]byte, error) {
	var pack []byte
	err := r.Fetch(context.Background(), ask, func(from io.Reader) (err error) {
		pack, err = io.ReadAll(from)
		return err
	})
	return pack, err
}

func ids(list ...plumbing.Hash) []plumbing.Hash { return list }

// count says how many objects of each kind there are.
func count(objects map[plumbing.Hash]string) string {
	n := make(map[string]int)
	for _, kind := range objects {
		n[kind]++
	}
	return fmt.Sprintf("%d commits, %d trees, %d blobs, %d tags", n["commit"], n["tree"], n["blob"], n["tag"])
}

// brief is an Options.Idle for servers that stall for good.
const brief = 300 * time.Millisecond
