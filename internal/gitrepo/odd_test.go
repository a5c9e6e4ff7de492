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
