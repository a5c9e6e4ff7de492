package gitrepo_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// A pack index of version 1, which git writes on demand alone, is refused with a command that helps.
func TestFirstPackIndex(t *testing.T) {
	t.Parallel()
	g, r1, r2 := sample(t)
	g.run("-c", "pack.indexVersion=1", "repack", "-q", "-a", "-d", "-f")
	_, err := mustOpen(t, g.path).Commit(context.Background(), lockv2.Revision(r2))
	if text := wantCode(t, err, gitrepo.CodeReadFailed); !strings.Contains(text, "version 1") || strings.Contains(text, "damaged") {
		t.Error(text)
	}
	g.hint(err)
	g.sameAsGit(t, r1, r2)
}

// A history that was rewritten and pushed by force: what the branch was is no ancestor of what it is, as long as it is known; then
// it is not there, and nobody can say.
func TestForcePushed(t *testing.T) {
	t.Parallel()
	g, r1, r2 := sample(t)
	g.run("clone", "-q", "--bare", g.path, "../server.git")
	g.run("clone", "-q", "file://"+g.at("server.git").path, "../clone")
	clone := g.at("clone")
	g.run("reset", "-q", "--hard", r1)
	rewritten := g.commit("another second")
	g.run("push", "-q", "--force", "../server.git", "main")
	clone.run("fetch", "-q")
	clone.run("reset", "-q", "--hard", "origin/main")
	clone.sameAsGit(t, r1, r2, rewritten)
	r := mustOpen(t, clone.path)
	if got, err := answer(r, r2, rewritten); got != no {
		t.Errorf("got %s, %v", got, err)
	}
	list(t, r, r2) // by its id it can be composed from
	clone.run("reflog", "expire", "--expire=now", "--all")
	clone.run("gc", "-q", "--prune=now")
	r = mustOpen(t, clone.path)
	got, err := answer(r, r2, rewritten)
	if got != unknown {
		t.Errorf("got %s, %v", got, err)
	}
	wantCode(t, err, gitrepo.CodeOldSourceRevisionUnavailable)
	_, err = r.Commit(context.Background(), lockv2.Revision(r2))
	if text := wantCode(t, err, gitrepo.CodeInvalidRevision); !strings.Contains(text, "no such commit") {
		t.Error(text)
	}
}

// A HEAD without a commit is told apart: it stops who names no revision, and nobody else.
func TestUnbornHead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(g *gitRepo) *gitRepo
	}{
		{"nothing was committed", func(g *gitRepo) *gitRepo {
			g.run("checkout", "-q", "--orphan", "none")
			return g
		}},
		{"the branch was deleted", func(g *gitRepo) *gitRepo {
			g.run("branch", "keep")
			g.run("pack-refs", "--all")
			g.run("update-ref", "-d", "refs/heads/main")
			return g
		}},
		{"a bare repository whose HEAD names another branch than was pushed", func(g *gitRepo) *gitRepo {
			bare := g.at("bare.git")
			g.must(os.Mkdir(bare.path, 0o755))
			bare.run("init", "-q", "--bare", "-b", "master")
			g.run("push", "-q", bare.path, "main")
			return bare
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, _, r2 := sample(t)
			odd := tt.build(g)
			if err := odd.command("rev-parse", "--verify", "-q", "HEAD").Run(); err == nil {
				t.Fatal("git finds a commit")
			}
			r := mustOpen(t, odd.path)
			_, err := r.Head()
			if text := wantCode(t, err, gitrepo.CodeInvalidRevision); !strings.Contains(text, "no commit") || !strings.Contains(text, "git symbolic-ref") {
				t.Error(text)
			}
			if got, want := list(t, r, r2), odd.lsTree(r2); got != want {
				t.Errorf("got\n%s\ngit says\n%s", got, want)
			}
		})
	}
}

// Formats that would be misread are refused by name, in any form of a repository; of reftable this is what git 2.45 and later make.
func TestUnsupportedFormats(t *testing.T) {
	t.Parallel()
	reftable := func(g *gitRepo) *gitRepo {
		g.write(".git/config", "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\trefstorage = reftable\n")
		g.write(".git/HEAD", "ref: refs/heads/.invalid\n")
		g.must(os.RemoveAll(g.file(".git/refs")))
		g.write(".git/refs/heads", "this repository uses the reftable format\n")
		g.write(".git/reftable/tables.list", "0x000000000001-0x000000000002-f9a1c7f2.ref\n")
		g.write(".git/reftable/0x000000000001-0x000000000002-f9a1c7f2.ref", "REFT\x01\x00\x10\x00")
		return g
	}
	sha256 := func(g *gitRepo) *gitRepo {
		other := g.at("other")
		g.must(os.Mkdir(other.path, 0o755))
		other.run("init", "-q", "-b", "main", "--object-format=sha256")
		other.write("a", "a")
		other.run("add", "a")
		other.run("commit", "-q", "-m", "a")
		return other
	}
	for _, tt := range []struct {
		name  string
		build func(g *gitRepo) string
		says  []string
	}{
		{"reftable", func(g *gitRepo) string { return reftable(g).path }, []string{`"reftable"`, "git refs migrate --ref-format=files"}},
		{"reftable, bare", func(g *gitRepo) string { return reftable(g).file(".git") }, []string{`"reftable"`}},
		{"reftable, a linked worktree", func(g *gitRepo) string {
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			reftable(g)
			return g.at("linked").path
		}, []string{`"reftable"`}},
		{"SHA-256", func(g *gitRepo) string { return sha256(g).path }, []string{`"sha256"`, "--object-format=sha1"}},
		{"SHA-256, bare", func(g *gitRepo) string {
			sha256(g).run("clone", "-q", "--bare", ".", "../bare.git")
			return g.at("bare.git").path
		}, []string{`"sha256"`}},
		{"SHA-256, a linked worktree", func(g *gitRepo) string {
			sha256(g).run("worktree", "add", "-q", "../linked", "-b", "side")
			return g.at("linked").path
		}, []string{`"sha256"`}},
		{"SHA-256 that translates from SHA-1", func(g *gitRepo) string {
			other := sha256(g)
			other.write(".git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n\tcompatObjectFormat = sha1\n")
			return other.path
		}, []string{`"sha256"`}},
		{"SHA-1 that translates from SHA-256", func(g *gitRepo) string {
			g.write(".git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha1\n\tcompatObjectFormat = sha256\n")
			return g.path
		}, []string{`"compatobjectformat"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, _, _ := sample(t)
			r, err := gitrepo.Open(tt.build(g))
			if err == nil {
				r.Close()
			}
			text := wantCode(t, err, gitrepo.CodeInvalidSource)
			for _, part := range tt.says {
				if !strings.Contains(text, part) {
					t.Errorf("the message lacks %q: %s", part, text)
				}
			}
		})
	}
}

// An object that is missing in a partial clone ends in an error with its id, whatever needs it; nothing is fetched.
func TestPartialCloneLacks(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for filter, lacks := range map[string]string{"blob:none": "a.txt", "tree:0": "deep", "blob:limit=1k": "deep/er/and/deeper.txt"} {
		t.Run(filter, func(t *testing.T) {
			g, r1, r2 := sample(t)
			g.run("config", "uploadpack.allowFilter", "true")
			g.run("clone", "-q", "--bare", "--filter="+filter, "file://"+g.path, "../partial.git")
			partial := g.at("partial.git")
			before := partial.run("count-objects", "-v")
			r := mustOpen(t, partial.path)
			if got, err := answer(r, r1, r2); got != yes {
				t.Errorf("got %s, %v", got, err)
			}
			root, err := r.Commit(ctx, lockv2.Revision(r2))
			g.must(err)
			id := g.run("rev-parse", r2+":"+lacks)
			if filter == "tree:0" {
				id = root.String()
				_, err = r.ReadTree(ctx, root)
			} else {
				_, err = r.Blob(ctx, plumbing.NewHash(id), 1<<20)
			}
			if text := wantCode(t, err, gitrepo.CodeReadFailed); !strings.Contains(text, id) || !strings.Contains(text, "partial clone") {
				t.Error(text)
			}
			if after := partial.run("count-objects", "-v"); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			g.hint(err)
			partial.sameAsGit(t, r1, r2)
		})
	}
}
