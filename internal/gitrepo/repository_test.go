package gitrepo_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
)

// list returns every file of a revision as "MODE NAME ID SIZE", read through Commit, ReadTree, Blob and OpenBlob.
func list(t testing.TB, r *gitrepo.Repository, rev string) string {
	t.Helper()
	ctx := context.Background()
	root, err := r.Commit(ctx, lockv2.Revision(rev))
	if err != nil {
		t.Fatalf("Commit(%s): %v", rev, err)
	}
	var out strings.Builder
	var walk func(id gitrepo.ID, prefix string)
	walk = func(id gitrepo.ID, prefix string) {
		entries, err := r.ReadTree(ctx, id)
		if err != nil {
			t.Fatalf("ReadTree(%s): %v", id, err)
		}
		for _, e := range entries {
			switch e.Mode {
			case gitrepo.Tree:
				walk(e.ID, prefix+e.Name+"/")
				continue
			case gitrepo.Submodule:
				fmt.Fprintf(&out, "160000 %s%s %s -\n", prefix, e.Name, e.ID)
				continue
			}
			size, err := r.Size(ctx, e.ID)
			if err != nil {
				t.Fatalf("Size(%s): %v", e.ID, err)
			}
			blob, err := r.Blob(ctx, e.ID, size)
			if err != nil {
				t.Fatalf("Blob(%s): %v", e.ID, err)
			}
			stream, err := r.OpenBlob(ctx, e.ID, size)
			if err != nil {
				t.Fatalf("OpenBlob(%s): %v", e.ID, err)
			}
			streamed, err := io.ReadAll(stream)
			if err != nil || string(streamed) != string(blob) || int64(len(blob)) != size {
				t.Fatalf("%s: size %d, %d bytes, streamed %d, %v", e.Name, size, len(blob), len(streamed), err)
			}
			if err := stream.Close(); err != nil {
				t.Fatal(err)
			}
			mode := map[gitrepo.Mode]string{gitrepo.Regular: "100644", gitrepo.Executable: "100755", gitrepo.Symlink: "120000"}[e.Mode]
			fmt.Fprintf(&out, "%s %s%s %s %d\n", mode, prefix, e.Name, e.ID, size)
		}
	}
	walk(root, "")
	return out.String()
}

const lsTreeFormat = "--format=%(objectmode) %(path) %(objectname) %(objectsize)"

// lsTree is the same list by git.
func (g *gitRepo) lsTree(rev string) string {
	g.t.Helper()
	out := g.run("ls-tree", "-r", "--full-tree", lsTreeFormat, rev)
	if out == "" {
		return ""
	}
	return out + "\n"
}

// sample is a repository of two revisions with all kinds of entries.
func sample(t testing.TB) (g *gitRepo, r1, r2 string) {
	g = copyOf(t, "sample", func(path string) *gitRepo {
		g := initGit(t, path)
		g.write("a.txt", "one\n")
		g.write("a/b.txt", "two\n")
		g.write("a-b", "three\n")
		g.write("empty", "")
		g.write("run.sh", "#!/bin/sh\n")
		g.write("deep/er/and/deeper.txt", strings.Repeat("a line of text\n", 3000))
		g.must(os.Chmod(g.file("run.sh"), 0o755))
		g.must(os.Symlink("a.txt", g.file("link")))
		g.commit("one")
		g.write("a.txt", "one more\n")
		g.write("deep/er/and/deeper.txt", strings.Repeat("a line of text\n", 3000)+"and one\n")
		if r2 := g.commit("two"); r2 != sampleTwo || g.run("rev-parse", "HEAD~1") != sampleOne {
			t.Fatalf("the revisions are %s and %s", g.run("rev-parse", "HEAD~1"), r2)
		}
		return g
	})
	return g, sampleOne, sampleTwo
}

// The revisions of sample.
const (
	sampleOne = "633433ef431ad934a09719423d1e6e655394b8ec"
	sampleTwo = "0db393b80afa198499b48102f5fc0d915a76112b"
)

func TestRepositoryForms(t *testing.T) {
	tests := []struct {
		name  string
		build func(g *gitRepo) string // returns the path to open
		bare  bool
	}{
		{"a checkout, loose objects", func(g *gitRepo) string { return g.path }, false},
		{"a checkout, its .git folder", func(g *gitRepo) string { return filepath.Join(g.path, ".git") }, false},
		{"packed, with packed refs", func(g *gitRepo) string {
			g.run("gc", "-q", "--aggressive")
			if _, err := os.Stat(filepath.Join(g.path, ".git/refs/heads/main")); err == nil {
				g.t.Fatal("refs are not packed")
			}
			return g.path
		}, false},
		{"packed with ref deltas", func(g *gitRepo) string {
			g.run("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-f")
			return g.path
		}, false},
		{"many packs and a multi-pack index", func(g *gitRepo) string {
			g.run("repack", "-q", "-d")
			for i := range 3 {
				g.write("more", fmt.Sprint(i))
				g.commit("more")
				g.run("repack", "-q", "-d")
			}
			g.run("reset", "-q", "--hard", "HEAD~3")
			g.run("multi-pack-index", "write")
			return g.path
		}, false},
		{"a detached HEAD", func(g *gitRepo) string {
			g.run("checkout", "-q", "--detach")
			return g.path
		}, false},
		{"HEAD as a symbolic link", func(g *gitRepo) string {
			g.run("pack-refs", "--all")
			os.Remove(filepath.Join(g.path, ".git/HEAD"))
			os.Symlink("refs/heads/main", filepath.Join(g.path, ".git/HEAD"))
			return g.path
		}, false},
		{"a bare clone", func(g *gitRepo) string {
			g.run("clone", "-q", "--bare", g.path, "../bare.git")
			return g.at("bare.git").path
		}, true},
		{"a linked worktree", func(g *gitRepo) string {
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			return g.at("linked").path
		}, false},
		{"a linked worktree, detached, packed", func(g *gitRepo) string {
			g.run("worktree", "add", "-q", "--detach", "../linked")
			g.run("gc", "-q")
			return g.at("linked").path
		}, false},
		{"a linked worktree of a bare repository", func(g *gitRepo) string {
			g.run("clone", "-q", "--bare", g.path, "../bare.git")
			g.at("bare.git").run("worktree", "add", "-q", "../linked", "main")
			return g.at("linked").path
		}, false},
		{"worktreeConfig and a sparse checkout", func(g *gitRepo) string {
			g.run("sparse-checkout", "set", "--cone", "a")
			if g.run("config", "extensions.worktreeConfig") != "true" {
				g.t.Fatal("extensions.worktreeConfig is not set")
			}
			return g.path
		}, false},
		{"worktreeConfig in a linked worktree", func(g *gitRepo) string {
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			g.at("linked").run("sparse-checkout", "set", "--cone", "--sparse-index", "a")
			return g.at("linked").path
		}, false},
		{"an alternate", func(g *gitRepo) string {
			g.run("clone", "-q", "--shared", g.path, "../shared")
			return g.at("shared").path
		}, false},
		{"a chain of alternates, relative, with a cycle", func(g *gitRepo) string {
			g.run("clone", "-q", "--shared", g.path, "../two")
			g.run("clone", "-q", "--shared", g.at("two").path, "../three")
			os.WriteFile(filepath.Join(g.at("three").path, ".git/objects/info/alternates"), []byte("# comment\n../../../two/.git/objects\n"), 0o644)
			os.WriteFile(filepath.Join(g.path, ".git/objects/info/alternates"), []byte(filepath.Join(g.at("three").path, ".git/objects")+"\n"), 0o644)
			return g.at("three").path
		}, false},
		{"a submodule's checkout", func(g *gitRepo) string {
			super := g.at("super")
			os.Mkdir(super.path, 0o755)
			super.run("init", "-q", "-b", "main")
			super.run("-c", "protocol.file.allow=always", "submodule", "add", "-q", g.path, "sub")
			if info, err := os.Stat(filepath.Join(super.path, "sub/.git")); err != nil || info.IsDir() {
				g.t.Fatal("the submodule has no .git file")
			}
			return filepath.Join(super.path, "sub")
		}, false},
		{"a separate git folder", func(g *gitRepo) string {
			g.run("init", "-q", "--separate-git-dir", "../elsewhere")
			return g.path
		}, false},
		{"a .git that is a symbolic link", func(g *gitRepo) string {
			os.Rename(filepath.Join(g.path, ".git"), g.at("moved").path)
			os.Symlink("../moved", filepath.Join(g.path, ".git"))
			return g.path
		}, false},
		{"a shallow clone", func(g *gitRepo) string {
			g.run("clone", "-q", "--depth=1", "file://"+g.path, "../shallow")
			return g.at("shallow").path
		}, false},
		{"a replaced commit", func(g *gitRepo) string {
			g.run("replace", "HEAD", "HEAD~1")
			return g.path
		}, false},
		{"a graft", func(g *gitRepo) string {
			g.write(".git/info/grafts", g.run("rev-parse", "HEAD")+"\n")
			return g.path
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _, r2 := sample(t)
			want := g.lsTree(r2)
			r := mustOpen(t, tt.build(g))
			if r.Bare() != tt.bare {
				t.Errorf("Bare() = %v", r.Bare())
			}
			head, err := r.Head()
			if err != nil || string(head) != r2 {
				t.Fatalf("Head() = %s, %v; want %s", head, err, r2)
			}
			if got := list(t, r, r2); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestOldRevision(t *testing.T) {
	t.Parallel()
	g, r1, r2 := sample(t)
	r := mustOpen(t, g.path)
	if got, want := list(t, r, r1), g.lsTree(r1); got != want || got == g.lsTree(r2) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
