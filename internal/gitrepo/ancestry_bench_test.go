package gitrepo_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
)

// longHistory is a repository with a packed history of n commits on main, one in ten a merge, a branch that left it
// three commits before the end (side), and an unrelated root (lone).
func longHistory(b testing.TB, n int) *gitRepo {
	g := newGit(b)
	cmd := g.command("fast-import", "--quiet")
	pipe, err := cmd.StdinPipe()
	g.must(err)
	g.must(cmd.Start())
	w := bufio.NewWriter(pipe)
	rng := rand.New(rand.NewSource(1))
	words := strings.Fields("the of and a to in is you that it he was for on are as with his they I at be this have from")
	commit := func(ref string, mark, date int) {
		var message strings.Builder
		for range 10 + rng.Intn(40) {
			message.WriteString(words[rng.Intn(len(words))] + " ")
		}
		fmt.Fprintf(w, "commit refs/heads/%s\nmark :%d\nauthor Author %d <a%d@example.org> %d +0000\ncommitter C <c@example.org> %d +0000\ndata %d\n%s\n",
			ref, mark, mark%30, mark%30, date-rng.Intn(10000), date, message.Len(), message.String())
	}
	for i := 1; i <= n; i++ {
		commit("main", i, 1_000_000_000+600*i)
		if i > 1 {
			fmt.Fprintf(w, "from :%d\n", i-1)
		}
		if i > 20 && i%10 == 0 {
			fmt.Fprintf(w, "merge :%d\n", i-2-rng.Intn(10))
		}
		fmt.Fprintf(w, "M 100644 inline f%d\ndata <<.\n%d\n.\n\n", i%50, i)
	}
	commit("side", n+1, 1_000_000_000+600*n)
	fmt.Fprintf(w, "from :%d\n\n", n-3)
	commit("lone", n+2, 1_000_000_000)
	fmt.Fprintf(w, "\n")
	g.must(w.Flush())
	g.must(pipe.Close())
	g.must(cmd.Wait())
	g.run("repack", "-adq")
	return g
}

// BenchmarkIsAncestor asks of 100,000 commits, with a commit-graph and without, and lets git do so too. The
// time for gitrepo includes opening the repository, that for git the start of a process.
func BenchmarkIsAncestor(b *testing.B) {
	const n = 100_000
	g := longHistory(b, n)
	id := func(name string) lockv2.Revision { return lockv2.Revision(g.run("rev-parse", name)) }
	root := lockv2.Revision(g.run("rev-list", "--max-parents=0", "main"))
	questions := []struct {
		name    string
		old, of lockv2.Revision
		want    verdict
	}{
		{"root", root, id("main"), yes},
		{"unrelated", id("lone"), id("main"), no},
		{"sibling", id("side"), id("main"), no},
		{"behind", id("main"), root, no},
		{"near", id("main~10"), id("main"), yes},
	}
	for _, graph := range []string{"walk", "graph"} {
		if graph == "graph" {
			g.run("commit-graph", "write", "--reachable")
		}
		for _, q := range questions {
			b.Run(graph+"/"+q.name+"/gitrepo", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r, err := gitrepo.Open(g.path)
					if err != nil {
						b.Fatal(err)
					}
					if ok, err := r.IsAncestor(context.Background(), q.old, q.of); err != nil || ok != (q.want == yes) {
						b.Fatal(ok, err)
					}
					r.Close()
				}
			})
			b.Run(graph+"/"+q.name+"/git", func(b *testing.B) {
				for b.Loop() {
					if err := g.command("merge-base", "--is-ancestor", string(q.old), string(q.of)).Run(); (err == nil) != (q.want == yes) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
