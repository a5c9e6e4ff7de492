package gitrepo_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
)

// full asks for what takes minutes: all seeds, bytes and situations instead of a sample.
var full = flag.Bool("git.full", false, "try all cases instead of a sample")

// gitRepo is a repository that the real git builds, with fixed author and dates.
type gitRepo struct {
	t    testing.TB
	path string
	env  []string
}

// built are repositories that git has built once, for copies, by what they are.
var built struct {
	sync.Mutex
	folder string // removed by TestMain
	byName map[string]*gitRepo
}

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "gitrepo-test-")
	if err != nil {
		panic(err)
	}
	built.folder, built.byName = folder, map[string]*gitRepo{}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// copyOf is a copy of the repository of that name, which build makes the first time. With a home of its own.
func copyOf(t testing.TB, name string, build func(path string) *gitRepo) *gitRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	original := func() *gitRepo {
		built.Lock()
		defer built.Unlock()
		if built.byName[name] == nil {
			built.byName[name] = build(filepath.Join(built.folder, fmt.Sprint(len(built.byName)), "repo"))
		}
		return built.byName[name]
	}()
	g := original.copyTo(t)
	g.env = testEnv(t, t.TempDir())
	return g
}

// testEnv is an environment in which git builds the same on every machine, and never waits for a disk. Of git's own variables,
// which a hook has that runs the tests, none is left.
func testEnv(t testing.TB, home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	return append(env, "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE=1700000000 +0000", "LC_ALL=C",
		"GIT_TEMPLATE_DIR=", "GIT_TEST_FSYNC=0")
}

// newGit is a repository without commits.
func newGit(t testing.TB, args ...string) *gitRepo {
	t.Helper()
	return copyOf(t, "init "+strings.Join(args, " "), func(path string) *gitRepo { return initGit(t, path, args...) })
}

func initGit(t testing.TB, path string, args ...string) *gitRepo {
	t.Helper()
	g := &gitRepo{t: t, path: path, env: testEnv(t, t.TempDir())}
	g.must(os.MkdirAll(g.path, 0o755))
	g.run(append([]string{"init", "-q", "-b", "main", "--template="}, args...)...)
	config, err := os.OpenFile(g.file(".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	g.must(err)
	defer config.Close()
	_, err = config.WriteString("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
	g.must(err)
	return g
}

// at is the same git in another folder.
func (g *gitRepo) at(path string) *gitRepo {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(g.path), path)
	}
	return &gitRepo{t: g.t, path: path, env: g.env}
}

// copyTo is a copy of the repository and of what stands beside it, for t. The stat data of its index are stale.
func (g *gitRepo) copyTo(t testing.TB) *gitRepo {
	t.Helper()
	folder, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Dir(g.path)
	err = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, relative)
		switch entry.Type() {
		case fs.ModeDir:
			return os.MkdirAll(to, 0o755)
		case fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, to)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, text, info.Mode().Perm()|0o200); err != nil {
			return err
		}
		return os.Chtimes(to, info.ModTime(), info.ModTime())
	})
	if err != nil {
		t.Fatal(err)
	}
	return &gitRepo{t: t, path: filepath.Join(folder, filepath.Base(g.path)), env: g.env}
}

func (g *gitRepo) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = g.path, g.env
	return cmd
}

func (g *gitRepo) run(args ...string) string {
	g.t.Helper()
	out, err := g.command(args...).CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (g *gitRepo) file(name string) string { return filepath.Join(g.path, filepath.FromSlash(name)) }

func (g *gitRepo) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *gitRepo) write(name, text string) {
	g.t.Helper()
	g.must(os.MkdirAll(filepath.Dir(g.file(name)), 0o755))
	g.must(os.WriteFile(g.file(name), []byte(text), 0o644))
}

// commit adds everything and returns the revision.
func (g *gitRepo) commit(message string) string {
	g.t.Helper()
	g.run("add", "-A")
	g.run("commit", "-q", "--allow-empty", "-m", message)
	if id, err := os.ReadFile(g.file(".git/refs/heads/main")); err == nil {
		if head, err := os.ReadFile(g.file(".git/HEAD")); err == nil && string(head) == "ref: refs/heads/main\n" {
			return strings.TrimSpace(string(id))
		}
	}
	return g.run("rev-parse", "HEAD")
}

func mustOpen(t testing.TB, path string) *gitrepo.Repository {
	t.Helper()
	r, err := gitrepo.Open(path)
	if err != nil {
		t.Fatalf("Open(%q): %v", path, err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// wantCode fails unless err is an *Error with the code; it returns the whole text, hint included.
func wantCode(t testing.TB, err error, code string) string {
	t.Helper()
	var e *gitrepo.Error
	if !errors.As(err, &e) || e.Code() != code {
		t.Fatalf("got error %v, want code %s", err, code)
	}
	var _ diag.Coded = e
	return e.Error() + "\n" + e.Hint()
}
