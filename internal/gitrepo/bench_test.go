package gitrepo_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
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

// BenchmarkBlobs reads every blob of a pack without deltas, of one with chains of up to 50, and of loose objects: at once, one by one,
// and by git, which does not hold a blob against its id.
func BenchmarkBlobs(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{1_000, 10_000} {
		for _, stored := range []string{"whole", "chains", "loose"} {
			var g *gitRepo
			var ids []plumbing.Hash
			if stored == "chains" {
				g, ids = grown(b, n/50, 50, 7<<10)
				g.run("repack", "-q", "-a", "-d", "-f", "--depth=50")
			} else {
				var names []string
				g, names = many(b, n, 7<<10)
				for _, name := range names {
					ids = append(ids, plumbing.NewHash(name))
				}
				if stored == "loose" {
					g.unpack()
				}
			}
			run := func(name string, read func() error) {
				b.Run(fmt.Sprintf("%s/n=%d/%s", stored, n, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := read(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			run("Blobs", func() error {
				r := mustOpen(b, g.path)
				defer r.Close()
				return r.Blobs(ctx, ids, 1<<20, func(_ int, _ *gitrepo.BlobContent, err error) error { return err })
			})
			run("Blob", func() error {
				r := mustOpen(b, g.path)
				defer r.Close()
				for _, id := range ids {
					if _, err := r.Blob(ctx, id, 1<<20); err != nil {
						return err
					}
				}
				return nil
			})
			run("git", func() error {
				var input strings.Builder
				for _, id := range ids {
					fmt.Fprintln(&input, id)
				}
				cmd := g.command("cat-file", "--batch", "--buffer")
				cmd.Stdin = strings.NewReader(input.String())
				return cmd.Run()
			})
		}
	}
}

// unpack makes loose objects of all packs.
func (g *gitRepo) unpack() {
	packs, err := filepath.Glob(g.file(".git/objects/pack/*.pack"))
	g.must(err)
	for _, name := range packs {
		pack, err := os.ReadFile(name)
		g.must(err)
		for _, extension := range []string{".pack", ".idx", ".rev"} {
			os.Remove(strings.TrimSuffix(name, ".pack") + extension)
		}
		cmd := g.command("unpack-objects", "-q")
		cmd.Stdin = bytes.NewReader(pack)
		g.must(cmd.Run())
	}
}

// BenchmarkTrees reads all trees of a revision of 10,000 files, and git does.
func BenchmarkTrees(b *testing.B) {
	g, ids := many(b, 10_000, 100)
	root := plumbing.NewHash(g.run("rev-parse", "HEAD^{tree}"))
	b.Run("gitrepo", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := mustOpen(b, g.path)
			files := 0
			for trees := []plumbing.Hash{root}; len(trees) > 0; trees = trees[1:] {
				entries, err := r.ReadTree(context.Background(), trees[0])
				if err != nil {
					b.Fatal(err)
				}
				for _, e := range entries {
					if e.Mode == gitrepo.Tree {
						trees = append(trees, e.ID)
					} else {
						files++
					}
				}
			}
			r.Close()
			if files != len(ids) {
				b.Fatal(files)
			}
		}
	})
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			if err := g.command("ls-tree", "-r", "HEAD").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
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
