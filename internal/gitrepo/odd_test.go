package gitrepo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// sameAsGit holds what a repository says against what git says of it: HEAD, the files of a revision, the clean check, and who
// descends from whom. git fetches nothing meanwhile.
func (g *gitRepo) sameAsGit(t *testing.T, revisions ...string) {
	t.Helper()
	g = &gitRepo{t: t, path: g.path, env: append(slices.Clone(g.env), "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1")}
	says := func(args ...string) string { // without warnings
		out, err := g.command(args...).Output()
		g.must(err)
		return string(out)
	}
	r, err := gitrepo.OpenWith(g.path, g.options())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	head, err := r.Head()
	if want := strings.TrimSpace(says("rev-parse", "HEAD")); err != nil || string(head) != want {
		t.Errorf("HEAD is %s, %v; git says %s", head, err, want)
	}
	if got, want := list(t, r, string(head)), says("ls-tree", "-r", "--full-tree", lsTreeFormat, string(head)); got != want {
		t.Errorf("got\n%s\ngit says\n%s", got, want)
	}
	if bare := says("rev-parse", "--is-bare-repository") == "true\n"; bare != r.Bare() {
		t.Errorf("bare: %v; git says %v", r.Bare(), bare)
	} else if !bare {
		got, err := r.Dirty(context.Background(), 0)
		if want := g.status(); err != nil || !slices.Equal(got, want) {
			t.Errorf("changed: %q, %v; git says %q", got, err, want)
		}
	}
	shallow := says("rev-parse", "--is-shallow-repository") == "true\n"
	for _, old := range revisions {
		for _, of := range revisions {
			if old == of || g.command("cat-file", "-e", of).Run() != nil {
				continue
			}
			got, err := answer(r, old, of)
			want := yes
			var exit *exec.ExitError
			if gitErr := g.command("merge-base", "--is-ancestor", old, of).Run(); errors.As(gitErr, &exit) {
				want = map[int]verdict{1: no, 128: unknown}[exit.ExitCode()]
			} else if gitErr != nil {
				t.Fatal(gitErr)
			}
			// git takes the boundary of a shallow clone for a beginning, and says no.
			if got != want && !(shallow && want == no && got == unknown) {
				t.Errorf("is %s an ancestor of %s: %s, %v; git says %s", old, of, got, err, want)
			}
		}
	}
}

// Repositories that git or a person has made something of, each looked at by git and by this package.
func TestOddRepositories(t *testing.T) {
	bare := func(g *gitRepo) *gitRepo {
		g.run("clone", "-q", "--bare", g.path, "../bare.git")
		return g.at("bare.git")
	}
	for _, tt := range []struct {
		name  string
		build func(g *gitRepo) *gitRepo // returns the repository to look at
		is    string                    // a file that shows that it is what it should be, below the common folder
	}{
		{"a commit-graph", func(g *gitRepo) *gitRepo {
			g.run("commit-graph", "write", "--reachable", "--changed-paths")
			return g
		}, "objects/info/commit-graph"},
		{"a chain of commit-graphs", func(g *gitRepo) *gitRepo {
			g.run("commit-graph", "write", "--reachable", "--split")
			for range 2 {
				g.commit("more")
				g.run("commit-graph", "write", "--reachable", "--split=no-merge")
			}
			if chain, err := os.ReadFile(g.file(".git/objects/info/commit-graphs/commit-graph-chain")); strings.Count(string(chain), "\n") != 3 {
				g.t.Fatalf("the chain is %q, %v", chain, err)
			}
			return g
		}, "objects/info/commit-graphs/commit-graph-chain"},
		{"a chain of commit-graphs, of which an alternate has the lower ones", func(g *gitRepo) *gitRepo {
			g.run("commit-graph", "write", "--reachable", "--split")
			g.run("clone", "-q", "--shared", g.path, "../shared")
			shared := g.at("shared")
			shared.commit("more")
			shared.run("commit-graph", "write", "--reachable", "--split=no-merge")
			return shared
		}, "objects/info/commit-graphs/commit-graph-chain"},
		{"a commit-graph that knows what is gone", func(g *gitRepo) *gitRepo {
			g.commit("more")
			g.run("commit-graph", "write", "--reachable")
			g.run("reset", "-q", "--hard", "HEAD~1")
			g.run("reflog", "expire", "--expire=now", "--all")
			g.run("-c", "gc.writeCommitGraph=false", "gc", "-q", "--prune=now")
			return g
		}, "objects/info/commit-graph"},
		{"a bitmap", func(g *gitRepo) *gitRepo {
			b := bare(g)
			b.run("repack", "-q", "-a", "-d", "-b")
			return b
		}, "objects/pack/pack-*.bitmap"},
		{"a multi-pack-index with a bitmap", func(g *gitRepo) *gitRepo {
			b := bare(g)
			b.run("repack", "-q", "-a", "-d")
			b.run("worktree", "add", "-q", "../linked", "main")
			b.at("linked").commit("more")
			b.run("repack", "-q", "-d")
			b.run("multi-pack-index", "write", "--bitmap")
			return b
		}, "objects/pack/multi-pack-index-*.bitmap"},
		{"a multi-pack-index that names a pack that is gone", func(g *gitRepo) *gitRepo {
			g.run("repack", "-q", "-d")
			g.commit("more")
			g.run("repack", "-q", "-d")
			g.run("multi-pack-index", "write")
			index, err := os.ReadFile(g.file(".git/objects/pack/multi-pack-index"))
			g.must(err)
			g.run("repack", "-q", "-a", "-d")
			g.must(os.WriteFile(g.file(".git/objects/pack/multi-pack-index"), index, 0o644))
			return g
		}, "objects/pack/multi-pack-index"},
		{"reverse indexes", func(g *gitRepo) *gitRepo {
			g.run("-c", "pack.writeReverseIndex=true", "repack", "-q", "-a", "-d")
			return g
		}, "objects/pack/pack-*.rev"},
		{"a pack that is kept, and one of what nobody reaches", func(g *gitRepo) *gitRepo {
			g.run("repack", "-q", "-a", "-d")
			packs, err := filepath.Glob(g.file(".git/objects/pack/pack-*.pack"))
			g.must(err)
			g.must(os.WriteFile(strings.TrimSuffix(packs[0], ".pack")+".keep", nil, 0o644))
			g.write("junk", "junk\n")
			g.run("hash-object", "-w", "junk")
			g.must(os.Remove(g.file("junk")))
			g.commit("more")
			g.run("repack", "-q", "--cruft", "-d")
			return g
		}, "objects/pack/pack-*.mtimes"},
		{"objects that are loose and packed, and not compressed", func(g *gitRepo) *gitRepo {
			g.run("config", "core.compression", "0")
			g.write("more", strings.Repeat("more\n", 1000))
			g.commit("more")
			g.run("repack", "-q", "-a")
			return g
		}, "objects/pack/pack-*.pack"},
		{"packed refs with peeled tags", func(g *gitRepo) *gitRepo {
			g.run("tag", "-a", "-m", "one", "v1", "HEAD~1")
			g.run("branch", "feature/one")
			g.run("checkout", "-q", "feature/one")
			g.run("pack-refs", "--all")
			g.must(os.MkdirAll(g.file(".git/refs/heads/feature"), 0o755))
			return g
		}, "packed-refs"},
		{"a packed ref with a newer loose one", func(g *gitRepo) *gitRepo {
			g.run("pack-refs", "--all")
			g.commit("more")
			return g
		}, "refs/heads/main"},
		{"a branch that is another name of a branch", func(g *gitRepo) *gitRepo {
			g.run("symbolic-ref", "refs/heads/alias", "refs/heads/main")
			g.run("symbolic-ref", "HEAD", "refs/heads/alias")
			return g
		}, "refs/heads/alias"},
		{"a renamed default branch", func(g *gitRepo) *gitRepo {
			g.run("branch", "-m", "main", "trunk")
			return g
		}, "refs/heads/trunk"},
		{"a clone of a repository whose default branch was renamed since", func(g *gitRepo) *gitRepo {
			g.run("clone", "-q", g.path, "../clone")
			g.run("branch", "-m", "main", "trunk")
			g.commit("more")
			g.at("clone").run("fetch", "-q", "--prune")
			return g.at("clone")
		}, "refs/remotes/origin/trunk"},
		{"a detached HEAD that no branch reaches", func(g *gitRepo) *gitRepo {
			g.run("checkout", "-q", "--detach")
			g.commit("more")
			return g
		}, "HEAD"},
		{"a shallow clone, deepened", func(g *gitRepo) *gitRepo {
			g.commit("more")
			g.commit("more")
			g.run("clone", "-q", "--depth=1", "file://"+g.path, "../shallow")
			g.at("shallow").run("fetch", "-q", "--deepen=1")
			return g.at("shallow")
		}, "shallow"},
		{"a linked worktree of a shallow clone", func(g *gitRepo) *gitRepo {
			g.run("clone", "-q", "--depth=1", "file://"+g.path, "../shallow")
			g.at("shallow").run("worktree", "add", "-q", "../linked", "-b", "side")
			return g.at("linked")
		}, "shallow"},
		{"a partial clone without blobs, checked out", func(g *gitRepo) *gitRepo {
			g.run("config", "uploadpack.allowFilter", "true")
			g.run("clone", "-q", "--filter=blob:none", "file://"+g.path, "../partial")
			return g.at("partial")
		}, "objects/pack/pack-*.promisor"},
		{"a partial clone without trees, checked out", func(g *gitRepo) *gitRepo {
			g.run("config", "uploadpack.allowFilter", "true")
			g.run("clone", "-q", "--filter=tree:0", "file://"+g.path, "../partial")
			return g.at("partial")
		}, "objects/pack/pack-*.promisor"},
		{"a shallow clone without blobs, checked out", func(g *gitRepo) *gitRepo {
			g.run("config", "uploadpack.allowFilter", "true")
			g.run("clone", "-q", "--filter=blob:none", "--depth=1", "file://"+g.path, "../partial")
			return g.at("partial")
		}, "shallow"},
		{"a clone with a reference repository", func(g *gitRepo) *gitRepo {
			g.run("clone", "-q", "--bare", g.path, "../reference.git")
			g.run("clone", "-q", "--reference", "../reference.git", g.path, "../clone")
			return g.at("clone")
		}, "objects/info/alternates"},
		{"an alternate that is gone", func(g *gitRepo) *gitRepo {
			g.write(".git/objects/info/alternates", "/nowhere/objects\n")
			return g
		}, "objects/info/alternates"},
		{"an alternate with ids in SHA-256", func(g *gitRepo) *gitRepo {
			other := g.at("other")
			g.must(os.Mkdir(other.path, 0o755))
			other.run("init", "-q", "--object-format=sha256")
			other.write("a", "a")
			other.commit("a")
			g.write(".git/objects/info/alternates", other.file(".git/objects")+"\n")
			return g
		}, "objects/info/alternates"},
		{"submodules in submodules", func(g *gitRepo) *gitRepo {
			for _, name := range []string{"inner", "outer"} {
				sub := g.at(name)
				g.must(os.Mkdir(sub.path, 0o755))
				sub.run("init", "-q", "-b", "main")
				sub.writeOld("f", name)
				sub.commit(name)
			}
			g.at("outer").run("-c", "protocol.file.allow=always", "submodule", "add", "-q", g.at("inner").path, "in")
			g.at("outer").commit("with inner")
			g.run("-c", "protocol.file.allow=always", "submodule", "add", "-q", g.at("outer").path, "out")
			g.run("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive")
			g.commit("with outer")
			g.write("out/in/f", "edited")
			return g
		}, "modules/out/modules/in/HEAD"},
		{"a linked worktree that was moved and locked", func(g *gitRepo) *gitRepo {
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			g.run("worktree", "move", "../linked", "../moved")
			g.run("worktree", "lock", "../moved")
			return g.at("moved")
		}, "worktrees/linked/locked"},
		{"precious objects", func(g *gitRepo) *gitRepo {
			g.run("config", "core.repositoryFormatVersion", "1")
			g.run("config", "extensions.preciousObjects", "true")
			return g
		}, "config"},
		{"the configuration of large repositories", func(g *gitRepo) *gitRepo {
			g.run("config", "feature.manyFiles", "true")
			g.run("config", "core.fsmonitor", "false")
			g.run("update-index", "--index-version", "4")
			g.run("update-index", "--force-untracked-cache")
			g.write("a.txt", "edited\n")
			return g
		}, "index"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, r1, r2 := sample(t)
			odd := tt.build(g)
			common := odd.run("rev-parse", "--git-common-dir")
			if !filepath.IsAbs(common) {
				common = filepath.Join(odd.path, common)
			}
			if names, err := filepath.Glob(filepath.Join(common, tt.is)); err != nil || len(names) == 0 {
				t.Fatalf("no %s in %s", tt.is, common)
			}
			odd.sameAsGit(t, r1, r2, odd.run("rev-parse", "HEAD"))
		})
	}
}

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
