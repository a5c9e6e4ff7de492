package gitrepo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/lockv2"
)

// What git shows in the place of objects is ignored, and that is said where git does show it.
func TestNotes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		build func(g *gitRepo) string // returns the path to open
		notes string                  // the first words that tell one from another
		shows bool                    // git shows another history or other objects
	}{
		{"neither", func(g *gitRepo) string { return g.path }, "", false},
		{"a replace ref", func(g *gitRepo) string { g.run("replace", "HEAD", "HEAD~1"); return g.path }, "replace refs", true},
		{"a replace ref that is packed", func(g *gitRepo) string {
			g.run("replace", "HEAD", "HEAD~1")
			g.run("pack-refs", "--all", "--prune")
			if _, err := os.Stat(g.file(".git/refs/replace/" + sampleTwo)); err == nil {
				g.t.Fatal("the ref is not packed")
			}
			return g.path
		}, "replace refs", true},
		{"a replaced file, from a linked worktree", func(g *gitRepo) string {
			g.run("replace", "HEAD:a.txt", "HEAD~1:a.txt")
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			return g.at("linked").path
		}, "replace refs", true},
		{"a replace ref in a bare clone", func(g *gitRepo) string {
			g.run("replace", "--edit", "HEAD")
			g.run("clone", "-q", "--mirror", g.path, "../bare.git")
			return g.at("bare.git").path
		}, "replace refs", true},
		{"a replace ref that was deleted", func(g *gitRepo) string {
			g.run("replace", "HEAD", "HEAD~1")
			g.run("pack-refs", "--all")
			g.run("replace", "-d", "HEAD")
			return g.path
		}, "", false},
		{"replace refs that git does not use either", func(g *gitRepo) string {
			g.run("replace", "HEAD", "HEAD~1")
			g.run("config", "core.useReplaceRefs", "false")
			return g.path
		}, "", false},
		{"a name below refs/replace that is no id", func(g *gitRepo) string {
			g.run("update-ref", "refs/replace/none", "HEAD")
			g.run("pack-refs", "--all")
			g.run("update-ref", "refs/replace/nor/this", "HEAD")
			return g.path
		}, "", false},
		{"an alternate with a replace ref", func(g *gitRepo) string {
			g.run("replace", "HEAD", "HEAD~1")
			g.run("clone", "-q", "--shared", g.path, "../shared")
			return g.at("shared").path
		}, "", false},
		{"grafts", func(g *gitRepo) string { g.write(".git/info/grafts", sampleTwo+"\n"); return g.path }, "grafts", true},
		{"grafts, from a linked worktree", func(g *gitRepo) string {
			g.write(".git/info/grafts", "# comment\n"+sampleTwo+"\r\n")
			g.run("worktree", "add", "-q", "../linked", "-b", "side")
			return g.at("linked").path
		}, "grafts", true},
		{"grafts without a graft", func(g *gitRepo) string { g.write(".git/info/grafts", "# comment\n\n"); return g.path }, "", false},
		{"both", func(g *gitRepo) string {
			g.run("replace", "HEAD:a.txt", "HEAD~1:a.txt")
			g.write(".git/info/grafts", sampleOne+"\n"+sampleTwo+"\n")
			return g.path
		}, "grafts, replace refs", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, r1, r2 := sample(t)
			g.env = append(g.env, "GIT_EDITOR=sed -i s/two/other/", "GIT_ADVICE=0")
			look := func(path string) string {
				var text strings.Builder
				for _, command := range [][]string{{"log", "--format=%H %P %s"}, {"cat-file", "-p", r2 + ":a.txt"}} {
					out, err := g.at(path).command(command...).Output()
					g.must(err)
					text.Write(out)
				}
				return text.String()
			}
			want, seen := g.lsTree(r2), look(g.path)
			path := tt.build(g)
			if shows := look(path) != seen; shows != tt.shows {
				t.Errorf("git shows something else: %v, want %v", shows, tt.shows)
			}
			r := mustOpen(t, path)
			notes := r.Notes()
			var kinds []string
			for _, note := range notes {
				what, _, _ := strings.Cut(strings.TrimPrefix(note, "the source has "), " (")
				kinds = append(kinds, what)
			}
			if got := strings.Join(kinds, ", "); got != tt.notes {
				t.Errorf("got %q, want %q", notes, tt.notes)
			}
			if joined := strings.Join(notes, "\n"); strings.Contains(joined, filepath.Dir(g.path)) {
				t.Errorf("%q names a path of this machine", joined)
			}
			if got := list(t, r, r2); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if descends, err := r.IsAncestor(context.Background(), lockv2.Revision(r1), lockv2.Revision(r2)); err != nil || !descends {
				t.Errorf("the second revision descends from the first: %v, %v", descends, err)
			}
		})
	}
	t.Run("in memory", func(t *testing.T) {
		if r, _ := inMemory(t); r.Notes() != nil {
			t.Error(r.Notes())
		}
	})
}
