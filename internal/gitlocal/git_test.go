package gitlocal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitlocal"
	"example.org/compose/internal/gitwire"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"
)

// scratch is a folder for what all tests use; TestMain removes it.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "gitlocal-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(scratch)
	os.Exit(status)
}

// repository is one that the real git builds, with fixed author and dates.
type repository struct {
	t    testing.TB
	path string
	date int // seconds of the next commit
}

func newRepository(t testing.TB, args ...string) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	return initRepository(t, filepath.Join(t.TempDir(), "repo"), args...)
}

func initRepository(t testing.TB, path string, args ...string) *repository {
	r := &repository{t: t, path: path, date: 1_700_000_000}
	if err := os.Mkdir(r.path, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git(append([]string{"init", "-q", "-b", "main", "--template="}, args...)...)
	r.git("config", "gc.auto", "0")
	return r
}

// at is the same with another folder.
func (r *repository) at(path string) *repository {
	return &repository{t: r.t, path: path, date: r.date}
}

func (r *repository) git(args ...string) string { r.t.Helper(); return r.gitWith("", args...) }

func (r *repository) gitWith(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = r.path, strings.NewReader(stdin)
	date := fmt.Sprintf("%d +0000", r.date)
	cmd.Env = append(os.Environ(), "HOME="+r.path, "XDG_CONFIG_HOME="+r.path, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_TEST_FSYNC=0",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE="+date)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) file(name string) string { return filepath.Join(r.path, filepath.FromSlash(name)) }

func (r *repository) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.file(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.file(name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// commit writes a file and commits all.
func (r *repository) commit(name, text string) string {
	r.t.Helper()
	r.write(name, text)
	r.git("add", "-A")
	r.date++
	r.git("commit", "-q", "-m", "change "+name)
	return r.git("rev-parse", "HEAD")
}

func (r *repository) open() gitwire.Remote {
	r.t.Helper()
	remote, err := gitlocal.Open(context.Background(), r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { remote.Close() })
	return remote
}

// ids are those of revisions, in git's notation.
func (r *repository) ids(revisions ...string) []plumbing.Hash {
	r.t.Helper()
	var ids []plumbing.Hash
	for _, id := range strings.Fields(r.git(append([]string{"rev-parse"}, revisions...)...)) {
		ids = append(ids, plumbing.NewHash(id))
	}
	return ids
}

// fetch returns the ids of what a request gives, sorted. go-git reads the pack, and hashes what is in it.
func fetch(t testing.TB, remote gitwire.Remote, ask gitwire.Request) ([]string, error) {
	t.Helper()
	got := memory.NewStorage()
	err := remote.Fetch(context.Background(), ask, func(pack io.Reader) error {
		err := packfile.UpdateObjectStorage(got, pack)
		if errors.Is(err, packfile.ErrEmptyPackfile) {
			err = nil
		}
		return err
	})
	var ids []string
	for id := range got.Objects {
		ids = append(ids, id.String())
	}
	slices.Sort(ids)
	return ids, err
}

func mustFetch(t testing.TB, remote gitwire.Remote, ask gitwire.Request) []string {
	t.Helper()
	ids, err := fetch(t, remote, ask)
	if err != nil {
		t.Fatalf("%+v: %v", ask, err)
	}
	return ids
}

// revList returns what git rev-list --objects says, sorted.
func (r *repository) revList(args ...string) []string {
	r.t.Helper()
	var ids []string
	for line := range strings.Lines(r.git(slices.Concat([]string{"rev-list", "--objects", "--no-object-names"}, args, []string{"--"})...)) {
		ids = append(ids, strings.TrimSpace(line))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func wantIDs(t testing.TB, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for _, id := range got {
		if !slices.Contains(want, id) {
			t.Errorf("%s: %s is given out, and git does not", what, id)
		}
	}
	for _, id := range want {
		if !slices.Contains(got, id) {
			t.Errorf("%s: %s is not given out", what, id)
		}
	}
}

// wantCode fails unless err has the code, and says in its text or its hint.
func wantCode(t testing.TB, err error, code, says string) {
	t.Helper()
	var coded diag.Coded
	if !errors.As(err, &coded) || coded.Code() != code || !strings.Contains(coded.Error()+"\n"+coded.Hint(), says) {
		t.Errorf("got error %v, want %s with %q", err, code, says)
	}
}

// grow adds commits on random parents that change random files. skew is by how many seconds clocks lie.
func (r *repository) grow(rng *rand.Rand, n, skew int) (commits []string) {
	r.t.Helper()
	var b strings.Builder
	for c := range n {
		date := 1_700_000_000 + 10*c
		if skew > 0 {
			date += rng.Intn(2*skew) - skew
		}
		fmt.Fprintf(&b, "commit refs/heads/c%d\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata 0\n", c, c+1, date)
		if c > 0 && rng.Intn(20) > 0 {
			fmt.Fprintf(&b, "from :%d\n", c-rng.Intn(min(c, 3)))
			for range rng.Intn(8) / 6 {
				fmt.Fprintf(&b, "merge :%d\n", 1+rng.Intn(c))
			}
		}
		for range rng.Intn(3) {
			text := fmt.Sprint(rng.Intn(40))
			fmt.Fprintf(&b, "M 100644 inline d%d/e%d/f%d\ndata %d\n%s\n", rng.Intn(3), rng.Intn(3), rng.Intn(3), len(text), text)
		}
	}
	r.gitWith(b.String(), "fast-import", "--quiet")
	return strings.Fields(r.git("for-each-ref", "--format=%(objectname)", "refs/heads/"))
}
