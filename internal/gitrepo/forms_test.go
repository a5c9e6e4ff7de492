package gitrepo_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.org/compose/internal/gitrepo"
)

// TestDirtyForms looks for one edit in each kind of checkout, opened by its top folder and by its git folder.
func TestDirtyForms(t *testing.T) {
	tests := []struct {
		name  string
		build func(g *gitRepo) (top, folder string)
	}{
		{"a checkout", func(g *gitRepo) (string, string) { return g.path, g.file(".git") }},
		{"a linked worktree", func(g *gitRepo) (string, string) {
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			return g.at("linked").path, g.file(".git/worktrees/linked")
		}},
		{"a linked worktree of a bare repository", func(g *gitRepo) (string, string) {
			g.run("clone", "-q", "--bare", g.path, "../bare.git")
			g.at("bare.git").run("worktree", "add", "-q", "../linked", "main")
			return g.at("linked").path, g.at("bare.git/worktrees/linked").path
		}},
		{"a linked worktree with a configuration of its own", func(g *gitRepo) (string, string) {
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			g.run("config", "extensions.worktreeConfig", "true")
			g.at("linked").run("config", "--worktree", "core.autocrlf", "input")
			return g.at("linked").path, g.file(".git/worktrees/linked")
		}},
		{"a submodule's checkout", func(g *gitRepo) (string, string) {
			super := g.at("super")
			g.must(os.Mkdir(super.path, 0o755))
			super.run("init", "-q", "-b", "main")
			super.run("-c", "protocol.file.allow=always", "submodule", "add", "-q", g.path, "sub")
			return super.file("sub"), super.file(".git/modules/sub")
		}},
		{"a separate git folder", func(g *gitRepo) (string, string) {
			g.run("init", "-q", "--separate-git-dir", "../elsewhere")
			return g.path, g.path
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _, _ := sample(t)
			top, folder := tt.build(g)
			check := func(path string, want ...string) {
				t.Helper()
				got, err := mustOpen(t, path).Dirty(context.Background(), 0)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("Dirty of %s: %q, %v; want %q", path, got, err, want)
				}
			}
			check(top)
			check(folder)
			g.must(os.WriteFile(filepath.Join(top, "a.txt"), []byte("another length\n"), 0o644))
			check(top, "a.txt")
			check(folder, "a.txt")
		})
	}
}

func TestDirtyLimit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g, _, _ := sample(t)
	for _, name := range []string{"run.sh", "a.txt", "a/b.txt", "empty"} {
		g.write(name, "edited, another length\n")
	}
	g.run("add", "empty")
	r := mustOpen(t, g.path)
	all, err := r.Dirty(ctx, 0)
	if want := []string{"a.txt", "a/b.txt", "empty", "run.sh"}; err != nil || !slices.Equal(all, want) {
		t.Fatalf("%q, %v", all, err)
	}
	for limit := 1; limit <= 5; limit++ {
		got, err := r.Dirty(ctx, limit)
		if err != nil || !slices.Equal(got, all[:min(limit, len(all))]) {
			t.Errorf("limit %d: %q, %v", limit, got, err)
		}
	}
}

func TestDirtyBare(t *testing.T) {
	t.Parallel()
	g, _, _ := sample(t)
	g.run("clone", "-q", "--bare", g.path, "../bare.git")
	if paths, err := mustOpen(t, g.at("bare.git").path).Dirty(context.Background(), 0); err != nil || paths != nil {
		t.Errorf("%q, %v", paths, err)
	}
}

// TestDirtyFilter shows what is reported where git would run a program.
func TestDirtyFilter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g := newGit(t)
	g.writeOld(".gitattributes", "*.up filter=upper\n*.bin filter=lfs\n")
	g.run("config", "filter.upper.clean", "tr a-z A-Z")
	g.writeOld("w.up", "one\n")
	g.commit("filtered")
	// What Git LFS does, without it: the pointer is in git, the content in the work tree.
	g.write("w.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\nsize 5\n")
	g.commit("pointer")
	g.run("config", "filter.lfs.clean", "git-lfs clean -- %f")
	g.writeOld("w.bin", "hello")
	g.run("update-index", "--cacheinfo", "100644,"+g.run("rev-parse", "HEAD:w.bin")+",w.bin")

	r := mustOpen(t, g.path)
	if got, err := r.Dirty(ctx, 0); err != nil || got != nil {
		t.Errorf("clean, but %q, %v", got, err)
	}
	g.writeOld("w.bin", "hullo")
	g.touch("w.up", old.Add(time.Minute))
	changes, err := r.Changes(ctx, 0)
	want := []gitrepo.Change{
		{Path: "w.bin", Reason: "modified"},
		{Path: "w.up", Reason: `it can't be told whether it is modified: the filter "upper", a program, would have to run`},
	}
	if err != nil || !slices.Equal(changes, want) {
		t.Errorf("got %q, %v\nwant %q", changes, err, want)
	}
}

func TestDirtyRefuses(t *testing.T) {
	tests := []struct {
		name  string
		build func(g *gitRepo)
	}{
		{"an index that is none", func(g *gitRepo) { g.write(".git/index", "hello, this is no index at all") }},
		{"an index cut off", func(g *gitRepo) {
			text, err := os.ReadFile(g.file(".git/index"))
			g.must(err)
			g.write(".git/index", string(text[:len(text)-30]))
		}},
		{"a byte of the index changed", func(g *gitRepo) {
			text, err := os.ReadFile(g.file(".git/index"))
			g.must(err)
			text[60] ^= 1
			g.write(".git/index", string(text))
		}},
		{"a split index without its shared part", func(g *gitRepo) {
			g.run("update-index", "--split-index")
			shared, _ := filepath.Glob(g.file(".git/sharedindex.*"))
			g.must(os.Remove(shared[0]))
		}},
		{"a user's configuration that git refuses", func(g *gitRepo) {
			g.must(os.WriteFile(filepath.Join(g.home(), ".gitconfig"), []byte("[core\n"), 0o644))
		}},
		{"a configuration that includes itself", func(g *gitRepo) { g.run("config", "include.path", "config") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _, _ := sample(t)
			tt.build(g)
			r, err := gitrepo.OpenWith(g.path, g.options())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			_, err = r.Dirty(context.Background(), 0)
			wantCode(t, err, gitrepo.CodeReadFailed)
		})
	}
}
