package gitrepo_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

// manyBlobs is a packed repository with n blobs of 10 KB of text, and their ids.
func manyBlobs(b *testing.B, n int) (*gitRepo, []string) {
	g := newGit(b)
	words := strings.Fields("the of and a to in is you that it he was for on are as with his they I at be this have from")
	rng := rand.New(rand.NewSource(1))
	for i := range n {
		var text bytes.Buffer
		for text.Len() < 10<<10 {
			fmt.Fprintf(&text, "%s %d ", words[rng.Intn(len(words))], rng.Intn(1000))
		}
		g.write(fmt.Sprintf("d%02d/f%05d", i%40, i), text.String())
	}
	g.commit("many")
	g.run("gc", "-q")
	out := g.run("ls-tree", "-r", "--object-only", "HEAD")
	return g, strings.Fields(out)
}

func BenchmarkBlobs(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		g, ids := manyBlobs(b, n)
		b.Run(fmt.Sprintf("n=%d/gitrepo", n), func(b *testing.B) {
			for b.Loop() {
				r := mustOpen(b, g.path)
				var workers sync.WaitGroup
				for w := range 2 {
					workers.Go(func() {
						for i := w; i < len(ids); i += 2 {
							if _, err := r.Blob(context.Background(), plumbing.NewHash(ids[i]), 1<<20); err != nil {
								b.Error(err)
							}
						}
					})
				}
				workers.Wait()
				r.Close()
			}
		})
		b.Run(fmt.Sprintf("n=%d/git", n), func(b *testing.B) {
			for b.Loop() {
				cmd := g.command("cat-file", "--batch", "--buffer")
				cmd.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
				out, _ := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
				cmd.Stdout = out
				if err := cmd.Run(); err != nil {
					b.Error(err)
				}
				out.Close()
			}
		})
	}
	_ = gitrepo.Regular
}
