package gitrepo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
)

// TestSubmoduleIgnore holds every setting of what to ignore about submodules against git, in every situation.
func TestSubmoduleIgnore(t *testing.T) {
	t.Parallel()
	base := newGit(t)
	other := base.at("other")
	base.must(os.Mkdir(other.path, 0o755))
	other.run("init", "-q", "-b", "main")
	other.writeOld("s.txt", "s\n")
	other.commit("sub")
	for _, path := range []string{"sub", "d/sub"} {
		base.run("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.path, path)
	}
	base.commit("submodules")

	situations := []struct {
		name  string
		build func(g *gitRepo)
	}{
		{"clean", func(g *gitRepo) {}},
		{"another commit", func(g *gitRepo) { g.at(g.file("sub")).commit("more") }},
		{"changes inside", func(g *gitRepo) { g.write("sub/s.txt", "longer\n") }},
		{"changes staged inside", func(g *gitRepo) {
			g.write("sub/new", "x")
			g.at(g.file("sub")).run("add", "new")
		}},
		{"removed", func(g *gitRepo) { g.must(os.RemoveAll(g.file("sub"))) }},
		{"a file", func(g *gitRepo) {
			g.must(os.RemoveAll(g.file("sub")))
			g.write("sub", "x")
		}},
		{"a symlink", func(g *gitRepo) {
			g.must(os.Rename(g.file("sub"), g.at("moved").path))
			g.must(os.Symlink("../moved", g.file("sub")))
		}},
		{"its parent removed", func(g *gitRepo) { g.must(os.RemoveAll(g.file("d"))) }},
		{"its parent a file", func(g *gitRepo) {
			g.must(os.RemoveAll(g.file("d")))
			g.write("d", "x")
		}},
		{"its parent a symlink", func(g *gitRepo) {
			g.must(os.Rename(g.file("d"), g.at("moved").path))
			g.must(os.Symlink("../moved", g.file("d")))
		}},
		{"an empty folder", func(g *gitRepo) {
			g.must(os.RemoveAll(g.file("sub")))
			g.must(os.Mkdir(g.file("sub"), 0o755))
		}},
		{"a folder without a repository", func(g *gitRepo) { g.must(os.Remove(g.file("sub/.git"))) }},
		{"its repository gone", func(g *gitRepo) { g.must(os.RemoveAll(g.file(".git/modules/sub"))) }},
		{"an empty .git folder", func(g *gitRepo) {
			g.must(os.Remove(g.file("sub/.git")))
			g.must(os.Mkdir(g.file("sub/.git"), 0o755))
		}},
		{"an unborn branch inside", func(g *gitRepo) { g.at(g.file("sub")).run("symbolic-ref", "HEAD", "refs/heads/none") }},
		{"another commit staged", func(g *gitRepo) {
			g.at(g.file("sub")).commit("more")
			g.run("add", "sub")
		}},
		{"its removal staged", func(g *gitRepo) { g.run("rm", "-q", "--cached", "sub") }},
		{"assume-unchanged", func(g *gitRepo) {
			g.run("update-index", "--assume-unchanged", "sub")
			g.must(os.RemoveAll(g.file("sub")))
		}},
	}

	type settings struct{ config, modules, diff, more string }
	var all []settings
	values := []string{"", "all", "dirty", "untracked", "none"}
	for _, v := range values {
		all = append(all, settings{config: v})
	}
	for _, v := range values[1:] {
		all = append(all, settings{modules: v}, settings{diff: v},
			settings{modules: v, more: "no .gitmodules"}, settings{modules: v, more: "no .gitmodules in the index"})
	}
	for i, v := range values[1:] {
		w := values[1+(i+1)%4]
		all = append(all, settings{config: v, modules: w}, settings{config: v, diff: w}, settings{modules: v, diff: w})
	}
	all = append(all,
		settings{modules: "bogus", diff: "all"}, settings{modules: "all", more: "a second submodule of that path"},
		settings{modules: "all", more: ".gitmodules in conflict"}, settings{diff: "all", more: ".gitmodules in conflict"},
		settings{modules: "ALL"})

	set := func(g *gitRepo, s settings) {
		modules, err := os.ReadFile(g.file(".gitmodules"))
		g.must(err)
		config, err := os.ReadFile(g.file(".git/config"))
		g.must(err)
		text, setup := string(modules), string(config)
		for _, name := range []string{"sub", "d/sub"} {
			if s.modules != "" {
				text += fmt.Sprintf("[submodule %q]\n\tignore = %s\n", name, s.modules)
			}
			if s.config != "" {
				setup += fmt.Sprintf("[submodule %q]\n\tignore = %s\n", name, s.config)
			}
		}
		if s.diff != "" {
			setup += fmt.Sprintf("[diff]\n\tignoreSubmodules = %s\n", s.diff)
		}
		if s.more == "a second submodule of that path" {
			text += "[submodule \"x\"]\n\tpath = sub\n[submodule \"d/sub\"]\n\tignore\n"
		}
		g.write(".git/config", setup)
		if text == string(modules) && s.more == "" {
			return
		}
		g.write(".gitmodules", text)
		if strings.HasPrefix(s.more, "no .gitmodules") || s.more == ".gitmodules in conflict" {
			g.run("add", ".gitmodules")
			g.run("commit", "-q", "--allow-empty", "-m", "modules", ".gitmodules")
			g.must(os.Remove(g.file(".gitmodules")))
		}
		switch s.more {
		case "no .gitmodules in the index":
			g.run("rm", "-q", "--cached", ".gitmodules")
		case ".gitmodules in conflict":
			cmd := g.command("update-index", "--index-info")
			id := g.run("rev-parse", ":.gitmodules")
			cmd.Stdin = strings.NewReader("0 " + strings.Repeat("0", 40) + "\t.gitmodules\n100644 " + id + " 1\t.gitmodules\n100644 " + id + " 2\t.gitmodules\n")
			g.must(cmd.Run())
			g.write(".gitmodules", text)
		}
	}

	step := 13
	if testing.Short() {
		step = 23
	}
	for i, situation := range situations {
		t.Run(situation.name, func(t *testing.T) {
			t.Parallel()
			for k, s := range all {
				if !*full && (i+k)%step != 0 {
					continue
				}
				g := base.copyTo(t)
				situation.build(g)
				set(g, s)
				want, gitErr := g.tryStatus()
				r, err := gitrepo.OpenWith(g.path, g.options())
				if err != nil {
					t.Fatal(err)
				}
				got, err := r.Dirty(context.Background(), 0)
				r.Close()
				switch {
				case gitErr != nil && err == nil && len(got) == 0:
					t.Errorf("%+v: called clean, and git: %v", s, gitErr)
				case gitErr == nil && (err != nil || !slices.Equal(got, want)):
					t.Errorf("%+v: got %q, %v, and git lists %q", s, got, err, want)
				}
				g.must(os.RemoveAll(filepath.Dir(g.path)))
			}
		})
	}
}
