package gitrepo_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

// many is a packed repository with n files of size bytes of text in 40 folders, and the ids of its blobs.
func many(b *testing.B, n, size int) (*gitRepo, []string) {
	g := newGit(b)
	words := strings.Fields("the of and a to in is you that it he was for on are as with his they I at be this have from")
	rng := rand.New(rand.NewSource(1))
	var names []string
	for i := range n {
		var text bytes.Buffer
		for text.Len() < size {
			fmt.Fprintf(&text, "%s %d ", words[rng.Intn(len(words))], rng.Intn(1000))
		}
		names = append(names, fmt.Sprintf("d%02d/f%05d", i%40, i))
		g.writeOld(names[i], text.String())
	}
	g.commit("many")
	g.run("gc", "-q")
	return g, strings.Fields(g.run("ls-tree", "-r", "--object-only", "HEAD"))
}

// BenchmarkBlobs reads every blob by two workers, and by git cat-file for comparison.
func BenchmarkBlobs(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		g, ids := many(b, n, 10<<10)
		b.Run(fmt.Sprintf("gitrepo/n=%d", n), func(b *testing.B) {
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
		b.Run(fmt.Sprintf("git/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				cmd := g.command("cat-file", "--batch", "--buffer")
				cmd.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
				if err := cmd.Run(); err != nil {
					b.Error(err)
				}
			}
		})
	}
}

// BenchmarkDirty checks a clean checkout: with stat data that match, and with all of them stale; and git does.
func BenchmarkDirty(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		g, _ := many(b, n, 1<<10)
		r, err := gitrepo.OpenWith(g.path, g.options())
		if err != nil {
			b.Fatal(err)
		}
		defer r.Close()
		for _, state := range []string{"fresh", "stale"} {
			if state == "stale" {
				g.run("config", "core.trustctime", "false")
				for line := range strings.SplitSeq(g.run("ls-files"), "\n") {
					g.touch(line, old.Add(time.Minute))
				}
			}
			b.Run(fmt.Sprintf("gitrepo/%s/n=%d", state, n), func(b *testing.B) {
				for b.Loop() {
					if paths, err := r.Dirty(context.Background(), 10); err != nil || paths != nil {
						b.Fatal(paths, err)
					}
				}
			})
			b.Run(fmt.Sprintf("git/%s/n=%d", state, n), func(b *testing.B) {
				for b.Loop() {
					if paths := g.status(); paths != nil {
						b.Fatal(paths)
					}
				}
			})
		}
	}
}
