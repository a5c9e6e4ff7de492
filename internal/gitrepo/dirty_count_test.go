package gitrepo_test

import (
	"context"
	"fmt"
	"testing"

	"example.org/compose/internal/gitrepo"
)

// A file that need not be read costs an allocation or two, for what the system calls its name; some systems take more.
func TestDirtyAllocations(t *testing.T) {
	count := func(files int) float64 {
		g := newGit(t)
		for i := range files {
			g.writeOld(fmt.Sprintf("folder%02d/file%04d", i/25, i), "text\n")
		}
		g.commit("files")
		r, err := gitrepo.OpenWith(g.path, g.options())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		return testing.AllocsPerRun(3, func() {
			if paths, err := r.Dirty(context.Background(), 0); err != nil || paths != nil {
				t.Fatal(paths, err)
			}
		})
	}
	few, many := count(100), count(1_000)
	if many > few+8*900 {
		t.Errorf("%v allocations for 100 files, %v for 1,000", few, many)
	}
}

// A ref is found among many without an allocation for each.
func TestPackedRefAllocations(t *testing.T) {
	count := func(refs int) float64 {
		g := newGit(t)
		g.write("file", "text\n")
		g.commit("file")
		head := g.run("rev-parse", "HEAD")
		var text []byte
		for i := range refs {
			text = fmt.Appendf(text, "%s refs/heads/aa/%06d\n", head, i)
		}
		branch := g.run("symbolic-ref", "HEAD")
		g.run("pack-refs", "--all")
		g.write(".git/packed-refs", string(text)+head+" "+branch+"\n")
		r := mustOpen(t, g.path)
		defer r.Close()
		return testing.AllocsPerRun(3, func() {
			if got, err := r.Head(); err != nil || string(got) != head {
				t.Fatal(got, err)
			}
			if notes := r.Notes(); notes != nil {
				t.Fatal(notes)
			}
		})
	}
	if few, many := count(10), count(10_000); many > few+10 {
		t.Errorf("%v allocations for 10 refs, %v for 10,000", few, many)
	}
}
