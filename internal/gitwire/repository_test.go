package gitwire_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/gitwire"
	"github.com/go-git/go-git/v5/plumbing"
)

// served runs a test against the repository at dir/x.git, in both versions.
func served(t *testing.T, dir string, test func(t *testing.T, r gitwire.Remote, version int)) {
	for version, protocol := range map[int]string{2: "", 0: "0"} {
		t.Run(fmt.Sprint("http ", version), func(t *testing.T) {
			test(t, open(t, gitserver.ServeHTTP(t, dir, gitserver.HTTPOptions{Protocol: protocol}).URL+"/x.git", gitwire.Options{}), version)
		})
		t.Run(fmt.Sprint("git ", version), func(t *testing.T) {
			test(t, open(t, gitserver.ServeDaemon(t, dir, gitserver.DaemonOptions{Protocol: protocol}).URL+"/x.git", gitwire.Options{}), version)
		})
	}
}

func TestNoCommits(t *testing.T) {
	dir := t.TempDir()
	gitserver.Git(t, dir, "init", "-q", "--bare", "x.git")
	gitserver.Git(t, filepath.Join(dir, "x.git"), "symbolic-ref", "HEAD", "refs/heads/trunk")
	served(t, dir, func(t *testing.T, r gitwire.Remote, version int) {
		want := []gitwire.Ref{{Name: "HEAD", Target: "refs/heads/trunk"}}
		if version == 0 {
			want = nil // it says nothing of such a HEAD
		}
		if got, err := r.Refs(context.Background()); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	})
}

func TestDetachedHead(t *testing.T) {
	f := newFixture(t)
	gitserver.Git(t, f.dir, "update-ref", "--no-deref", "HEAD", f.old.String())
	dir := filepath.Dir(f.dir)
	served(t, dir, func(t *testing.T, r gitwire.Remote, version int) {
		want := []gitwire.Ref{{Name: "HEAD", ID: f.old}}
		if got, err := r.Refs(context.Background(), "HEAD"); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	})
}

func TestSHA256(t *testing.T) {
	dir := t.TempDir()
	gitserver.Git(t, dir, "init", "-q", "--object-format=sha256", "x.git")
	gitserver.Git(t, filepath.Join(dir, "x.git"), "commit", "-q", "--allow-empty", "-m", "one")
	served(t, dir, func(t *testing.T, r gitwire.Remote, version int) {
		_, err := r.Refs(context.Background())
		wantCode(t, err, gitwire.CodeInvalidSource, "sha256")
	})
}

func TestNoRepository(t *testing.T) {
	dir := t.TempDir()
	served(t, dir, func(t *testing.T, r gitwire.Remote, version int) {
		_, err := r.Refs(context.Background())
		wantCode(t, err, gitwire.CodeNotFound, "check the")
	})
	t.Run("ssh", func(t *testing.T) {
		_, err := openSSH(t, filepath.Join(dir, "x'y!.git")).Refs(context.Background())
		wantCode(t, err, gitwire.CodeNotFound, `x'y!.git`)
	})
}

// A path goes to the server as it is, whatever its signs.
func TestOddPaths(t *testing.T) {
	f := newFixture(t)
	odd := filepath.Join(filepath.Dir(f.dir), "a b'c!$(d)%é;.git")
	if err := os.Rename(f.dir, odd); err != nil {
		t.Fatal(err)
	}
	const escaped = "/a%20b%27c%21%24%28d%29%25%C3%A9%3B.git"
	for name, serve := range map[string]func(t *testing.T) gitwire.Remote{
		"http": func(t *testing.T) gitwire.Remote {
			return open(t, gitserver.ServeHTTP(t, filepath.Dir(odd), gitserver.HTTPOptions{}).URL+escaped, gitwire.Options{})
		},
		"git": func(t *testing.T) gitwire.Remote {
			return open(t, gitserver.ServeDaemon(t, filepath.Dir(odd), gitserver.DaemonOptions{}).URL+escaped, gitwire.Options{})
		},
		"ssh": func(t *testing.T) gitwire.Remote { return openSSH(t, filepath.Dir(odd)+escaped) },
	} {
		t.Run(name, func(t *testing.T) {
			if refs, err := serve(t).Refs(context.Background()); err != nil || len(refs) != 4 {
				t.Errorf("got %v, %v", refs, err)
			}
		})
	}
}

// A shallow repository gives out what it has.
func TestShallowServer(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	gitserver.Git(t, dir, "clone", "-q", "--bare", "--depth=1", "file://"+f.dir, "x.git")
	served(t, dir, func(t *testing.T, r gitwire.Remote, version int) {
		for _, depth := range []int{0, 1} {
			if got := count(fetch(t, r, gitwire.Request{Wants: ids(f.tip), Depth: depth})); got != "1 commits, 1 trees, 1 blobs, 0 tags" {
				t.Errorf("got %s", got)
			}
		}
	})
}

// Many wants, and many haves that the server does not have, go in one request.
func TestManyIDs(t *testing.T) {
	f := newFixture(t)
	dir := filepath.Dir(f.dir)
	var commits strings.Builder
	const n = 2000
	for i := range n {
		fmt.Fprintf(&commits, "commit refs/heads/many\nmark :%d\ncommitter a <a@example.org> %d +0000\ndata 0\n", i+1, 1_700_000_000+i)
	}
	gitserver.GitInput(t, f.dir, commits.String(), "fast-import", "--quiet")
	gitserver.Git(t, f.dir, "update-ref", "HEAD", f.tip.String())
	var all []plumbing.Hash
	for _, id := range strings.Fields(gitserver.Git(t, f.dir, "rev-list", "many")) {
		all = append(all, plumbing.NewHash(id))
	}
	var unknown []plumbing.Hash
	for i := range n {
		unknown = append(unknown, plumbing.NewHash(fmt.Sprintf("%040x", i+1)))
	}
	served(t, dir, func(t *testing.T, r gitwire.Remote, version int) {
		if version == 2 {
			got := fetch(t, r, gitwire.Request{Wants: all, Haves: unknown})
			if len(got) != n+1 {
				t.Errorf("%d objects came, not %d", len(got), n+1)
			}
		}
		got := fetch(t, r, gitwire.Request{Wants: all[:1], Haves: append(unknown, all[10:]...)})
		if len(got) != 10 {
			t.Errorf("%d objects came, not 10", len(got))
		}
	})
}
