package gitcache_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/giturl"
	"example.org/compose/lockv2"
)

// folders are those of a catalog.
var folders = []string{"catalog", "components"}

// repository is a bare repository that is served. Its history, oldest first: first, second and third on main, where a large file stands
// beside the catalog; fork descends from first on no branch; side is a branch that begins at first; v1 is an annotated tag of second.
type repository struct {
	t                                *testing.T
	path                             string
	first, second, third, fork, side lockv2.Revision
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git makes the repository of this test, and is not installed")
	}
	r := &repository{t: t, path: filepath.Join(t.TempDir(), "templates.git")}
	r.git("init", "--quiet", "--bare", "--initial-branch=main", r.path)
	r.first = r.commit("", map[string]string{"catalog/catalog.json": "1", "components/a/b": "one"})
	r.second = r.commit(r.first, map[string]string{"catalog/catalog.json": "2", "components/a/b": "two", "large": strings.Repeat("x", 1<<20)})
	r.third = r.commit(r.second, map[string]string{"catalog/catalog.json": "3", "components/a/b": "three", "components/a/same": "three"})
	r.fork = r.commit(r.first, map[string]string{"catalog/catalog.json": "evil"})
	r.side = r.commit(r.first, map[string]string{"catalog/catalog.json": "side"})
	r.set("refs/heads/main", r.third)
	r.set("refs/heads/side", r.side)
	r.git("tag", "-a", "-m", "one", "v1", string(r.second))
	return r
}

// commit makes a commit of these files and returns it; no ref leads to it.
func (r *repository) commit(parent lockv2.Revision, files map[string]string) lockv2.Revision {
	r.t.Helper()
	index := filepath.Join(r.t.TempDir(), "index")
	for name, content := range files {
		blob := r.feed(content, nil, "hash-object", "-w", "--stdin")
		r.feed("", []string{"GIT_INDEX_FILE=" + index}, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+name)
	}
	tree := r.feed("", []string{"GIT_INDEX_FILE=" + index}, "write-tree")
	args := []string{"commit-tree", tree, "-m", "catalog"}
	if parent != "" {
		args = append(args, "-p", string(parent))
	}
	return lockv2.Revision(r.git(args...))
}

// set makes a ref name a commit.
func (r *repository) set(ref string, to lockv2.Revision) {
	r.t.Helper()
	r.git("update-ref", ref, string(to))
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	return r.feed("", nil, args...)
}

// feed runs git in the repository.
func (r *repository) feed(input string, env []string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(append(os.Environ(), "GIT_DIR="+r.path, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"), env...)
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v: %s", args, err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// url returns the file URL of the repository.
func (r *repository) url() giturl.URL { return parse(r.t, "file://"+r.path) }

func parse(t *testing.T, text string) giturl.URL {
	t.Helper()
	u, remote, err := giturl.Parse(text)
	if err != nil || !remote {
		t.Fatalf("%s: remote %t, error %v", text, remote, err)
	}
	return u
}

// read returns what a source has at a path of its bound revision.
func read(t *testing.T, s *gitcache.Source, revision lockv2.Revision, path string) (string, error) {
	t.Helper()
	repo := s.Repository()
	id, err := repo.Commit(t.Context(), revision)
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(path, "/") {
		entries, err := repo.ReadTree(t.Context(), id)
		if err != nil {
			return "", err
		}
		found := false
		for _, e := range entries {
			if e.Name == name {
				id, found = e.ID, true
			}
		}
		if !found {
			return "", os.ErrNotExist
		}
	}
	b, err := repo.Blob(t.Context(), id, 8<<20)
	return string(b), err
}

func code(err error) string {
	var coded diag.Coded
	if errors.As(err, &coded) {
		return coded.Code()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
