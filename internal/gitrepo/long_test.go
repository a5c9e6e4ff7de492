package gitrepo_test

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// A long history, of 100,000 commits with -git.full: the answers are git's, with a commit-graph, with a chain of them, with one that
// is older than the last commits, and with none. Reading a revision takes what it takes anywhere.
func TestLongHistory(t *testing.T) {
	n := 3000
	if *full {
		n = 100_000
	}
	g := longHistory(t, n)
	id := func(name string) string { return g.run("rev-parse", name) }
	root := g.run("rev-list", "--max-parents=0", "main")
	g.run("reset", "-q", "--hard")
	for _, tt := range []struct {
		name  string
		build func()
		graph bool
	}{
		{"no commit-graph", func() {}, false},
		{"a commit-graph", func() { g.run("commit-graph", "write", "--reachable") }, true},
		{"a chain of commit-graphs, and commits after it", func() {
			g.must(os.Remove(g.file(".git/objects/info/commit-graph")))
			g.run("branch", "half", id("main~500"))
			cmd := g.command("commit-graph", "write", "--stdin-commits", "--split")
			pipe, err := cmd.StdinPipe()
			g.must(err)
			g.must(cmd.Start())
			_, err = pipe.Write([]byte(id("half") + "\n"))
			g.must(err)
			g.must(pipe.Close())
			g.must(cmd.Wait())
			g.run("commit-graph", "write", "--reachable", "--split=no-merge")
			g.commit("after")
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.build()
			r := mustOpen(t, g.path)
			if commits, leveled := r.CommitGraph(); leveled != tt.graph || tt.graph && commits < n {
				t.Fatalf("a graph of %d commits, levels %v", commits, leveled)
			}
			r.Close()
			g.sameAsGit(t, root, id("main"), id("main~10"), id("side"), id("lone"))
			for _, q := range []struct {
				old, of string
				want    verdict
			}{{root, id("main"), yes}, {id("lone"), id("main"), no}, {id("side"), id("main"), no}, {id("main"), root, no}} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				r := mustOpen(t, g.path)
				got, err := answer(r, q.old, q.of)
				took := time.Since(start)
				runtime.ReadMemStats(&after)
				if got != q.want {
					t.Errorf("is %s an ancestor of %s: %s, %v; want %s", q.old, q.of, got, err, q.want)
				}
				t.Logf("%d commits: %s in %v, with %d KiB", n, got, took, (after.TotalAlloc-before.TotalAlloc)>>10)
			}
			if got := list(t, mustOpen(t, g.path), id("main")); got != g.lsTree("main") {
				t.Error(got)
			}
		})
	}
}
