package gitcache_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/giturl"
	"example.org/compose/lockv2"
)

// server is a way to serve a repository.
type server struct {
	name     string
	partial  bool // it sends what is asked for, and no more
	anything bool // it gives out commits that no ref leads to
	start    func(t *testing.T, r *repository) (giturl.URL, gitcache.Options)
}

func TestBind(t *testing.T) {
	for _, server := range servers() {
		t.Run(server.name, func(t *testing.T) {
			r := newRepository(t)
			r.git("tag", "snapshot", string(r.side)+"^{tree}")
			u, opts := server.start(t, r)
			for _, c := range []struct {
				name     string
				revision lockv2.Revision
				content  string // of components/a/b
				code     string
			}{
				{"the tip of the default branch", r.third, "three", ""},
				{"one before it", r.second, "two", ""},
				{"the first", r.first, "one", ""},
				{"of another branch", r.side, "", ""},
				{"of no branch", r.fork, "", unpublished(server)},
				{"nowhere", lockv2.Revision(strings.Repeat("1", 40)), "", "INVALID_REVISION"},
				{"a blob", lockv2.Revision(r.git("rev-parse", string(r.first)+":components/a/b")), "", "INVALID_REVISION"},
				{"a tree that a tag names", lockv2.Revision(r.git("rev-parse", string(r.side)+"^{tree}")), "", "INVALID_REVISION"},
				{"the object of a tag", lockv2.Revision(r.git("rev-parse", "v1")), "", "INVALID_REVISION"},
				{"no id", "main", "", "INVALID_REVISION"},
			} {
				t.Run(c.name, func(t *testing.T) {
					opts := opts
					opts.Folder = t.TempDir()
					bind(t, opts, u, c.revision, c.content, c.code)
					if c.code == "" {
						opts.Offline = true
						bind(t, opts, u, c.revision, c.content, "")
					}
				})
			}
		})
	}
}

// unpublished is the code of a commit that only a fork has.
func unpublished(s server) string {
	if s.anything {
		return "REVISION_NOT_PUBLISHED"
	}
	return "INVALID_REVISION"
}

// bind binds a revision and compares a file of it, or the code of the error.
func bind(t *testing.T, opts gitcache.Options, u giturl.URL, revision lockv2.Revision, content, want string) {
	t.Helper()
	s, err := gitcache.New(opts).Bind(t.Context(), u, revision, folders)
	if code(err) != want {
		t.Fatalf("error %v, want %q", err, want)
	}
	if err != nil {
		return
	}
	defer s.Close()
	if content == "" {
		return
	}
	if got, err := read(t, s, revision, "components/a/b"); got != content || err != nil {
		t.Errorf("got %q, error %v; want %q", got, err, content)
	}
}

// What is not of the catalog stays on a server that can leave it out.
func TestFetchesLittle(t *testing.T) {
	for _, server := range servers() {
		t.Run(server.name, func(t *testing.T) {
			if !server.partial {
				t.Skip("this server sends everything")
			}
			r := newRepository(t)
			u, opts := server.start(t, r)
			opts.Folder = t.TempDir()
			s, err := gitcache.New(opts).Bind(t.Context(), u, r.second, folders)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := read(t, s, r.second, "large"); code(err) != "READ_FAILED" {
				t.Errorf("the large file is there: error %v", err)
			}
			if _, err := s.Repository().Commit(t.Context(), r.first); code(err) != "INVALID_REVISION" {
				t.Errorf("the history is there before it is needed: %v", err)
			}
		})
	}
}

func TestIsAncestor(t *testing.T) {
	for _, server := range servers() {
		t.Run(server.name, func(t *testing.T) {
			r := newRepository(t)
			u, opts := server.start(t, r)
			missing := lockv2.Revision(strings.Repeat("1", 40))
			fork := [2]string{"false", ""}
			if !server.anything {
				fork = [2]string{"false", "OLD_SOURCE_REVISION_UNAVAILABLE"}
			}
			for _, c := range []struct {
				name    string
				old, of lockv2.Revision
				want    [2]string // answer and code
			}{
				{"equal", r.third, r.third, [2]string{"true", ""}},
				{"a grandparent", r.first, r.third, [2]string{"true", ""}},
				{"of another branch", r.side, r.third, [2]string{"false", ""}},
				{"newer", r.third, r.second, [2]string{"false", ""}},
				{"of no branch", r.fork, r.third, fork},
				{"nowhere", missing, r.third, [2]string{"false", "OLD_SOURCE_REVISION_UNAVAILABLE"}},
			} {
				t.Run(c.name, func(t *testing.T) {
					opts := opts
					opts.Folder = t.TempDir()
					s, err := gitcache.New(opts).Bind(t.Context(), u, c.of, folders)
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					repo := s.Repository()
					is, err := s.IsAncestor(t.Context(), c.old, c.of)
					if got := [2]string{map[bool]string{true: "true", false: "false"}[is], code(err)}; got != c.want {
						t.Fatalf("got %q, error %v; want %q", got, err, c.want)
					}
					if is {
						if err := s.ProvideAncestor(t.Context(), c.old, folders); err != nil {
							t.Fatal(err)
						}
						if _, err := read(t, s, c.old, "catalog/catalog.json"); err != nil {
							t.Errorf("a file of the old revision: %v", err)
						}
						if _, err := repo.Commit(t.Context(), c.of); err != nil || s.Repository() != repo {
							t.Errorf("the repository that was given out is no longer open: %v", err)
						}
					}
				})
			}
		})
	}
}

// After a push by force, what the cache had still works, nothing new descends from it, and who never had it does not get it.
func TestRewrittenHistory(t *testing.T) {
	for _, server := range servers() {
		t.Run(server.name, func(t *testing.T) {
			r := newRepository(t)
			u, opts := server.start(t, r)
			opts.Folder = t.TempDir()
			bind(t, opts, u, r.second, "two", "")
			other := r.commit("", map[string]string{"catalog/catalog.json": "9", "components/a/b": "other"})
			r.set("refs/heads/main", other)
			r.git("tag", "-d", "v1")
			bind(t, opts, u, r.second, "two", "")

			s, err := gitcache.New(opts).Bind(t.Context(), u, other, folders)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if is, err := s.IsAncestor(t.Context(), r.second, other); is || err != nil {
				t.Errorf("answer %t, error %v", is, err)
			}
			opts.Folder = t.TempDir()
			bind(t, opts, u, r.second, "", unpublished(server))
			r.git("reflog", "expire", "--expire=now", "--all")
			r.git("gc", "--quiet", "--prune=now")
			bind(t, opts, u, r.second, "", "INVALID_REVISION")
		})
	}
}

func TestOffline(t *testing.T) {
	r := newRepository(t)
	opts := gitcache.Options{Folder: t.TempDir(), Offline: true}
	bind(t, opts, r.url(), r.third, "", "SOURCE_OFFLINE")
	opts.Offline = false
	bind(t, opts, r.url(), r.third, "three", "")
	if err := os.RemoveAll(r.path); err != nil {
		t.Fatal(err)
	}
	bind(t, opts, r.url(), r.third, "three", "")
	opts.Offline = true
	bind(t, opts, r.url(), r.third, "three", "")
	bind(t, opts, r.url(), r.first, "", "SOURCE_OFFLINE")
	s, err := gitcache.New(opts).Bind(t.Context(), r.url(), r.third, folders)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.IsAncestor(t.Context(), r.first, r.third); code(err) != "OLD_SOURCE_REVISION_UNAVAILABLE" || !strings.Contains(err.Error(), "--offline") {
		t.Errorf("error %v", err)
	}
}

// git can look at an entry, and finds nothing wrong with it.
func TestGitReadsTheEntry(t *testing.T) {
	r := newRepository(t)
	opts := gitcache.Options{Folder: t.TempDir()}
	bind(t, opts, r.url(), r.second, "two", "")
	entries, err := gitcache.New(opts).List(t.Context())
	if err != nil || len(entries) != 1 || entries[0].URL != r.url().String() || !slices.Equal(entries[0].Revisions, []lockv2.Revision{r.second}) {
		t.Fatalf("entries %+v, error %v", entries, err)
	}
	folder := onlyFolder(t, opts.Folder)
	r.git("--git-dir", folder, "fsck", "--strict", "--no-dangling")
	if got := r.git("--git-dir", folder, "log", "--format=%H", string(r.second)); got != string(r.second)+"\n"+string(r.first) {
		t.Errorf("git log: %s", got)
	}
}

func onlyFolder(t *testing.T, cache string) string {
	t.Helper()
	names, err := os.ReadDir(cache)
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, error %v", names, err)
	}
	return filepath.Join(cache, names[0].Name())
}

// Many runs on one cache, on the same and on other revisions, all get theirs.
func TestShared(t *testing.T) {
	r := newRepository(t)
	opts := gitcache.Options{Folder: t.TempDir()}
	want := map[lockv2.Revision]string{r.first: "one", r.second: "two", r.third: "three"}
	var runs sync.WaitGroup
	for revision, content := range want {
		for range 4 {
			runs.Go(func() {
				s, err := gitcache.New(opts).Bind(t.Context(), r.url(), revision, folders)
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if got, err := read(t, s, revision, "components/a/b"); got != content || err != nil {
					t.Errorf("got %q, error %v; want %q", got, err, content)
				}
			})
		}
	}
	runs.Wait()
	entries, err := gitcache.New(opts).Check(t.Context(), folders, false)
	if err != nil || len(entries) != 1 || entries[0].Fault != nil || len(entries[0].Revisions) != 3 {
		t.Errorf("entries %+v, error %v", entries[0], err)
	}
}

// A run that is stopped while it waits for another says so.
func TestStopped(t *testing.T) {
	r := newRepository(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gitcache.New(gitcache.Options{Folder: t.TempDir()}).Bind(ctx, r.url(), r.third, folders); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
