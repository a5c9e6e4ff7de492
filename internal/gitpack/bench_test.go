package gitpack_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitpack"
)

// BenchmarkReceive takes in a pack of many commits, and git index-pack does.
func BenchmarkReceive(b *testing.B) {
	for _, commits := range []int{1_000, 10_000} {
		folder := b.TempDir()
		git(b, folder, nil, "init", "-q", "--bare", ".")
		git(b, folder, history(commits, 200), "fast-import", "--quiet")
		pack := git(b, folder, nil, "pack-objects", "--quiet", "--all", "--stdout", "--delta-base-offset")
		path := filepath.Join(folder, "x.pack")
		if err := os.WriteFile(path, pack, 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("gitpack/commits=%d", commits), func(b *testing.B) {
			b.SetBytes(int64(len(pack)))
			into := b.TempDir()
			for b.Loop() {
				if _, err := gitpack.Receive(context.Background(), into, bytes.NewReader(pack), gitpack.Limits{}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, threads := range []string{"1", "2"} {
			b.Run(fmt.Sprintf("git/threads=%s/commits=%d", threads, commits), func(b *testing.B) {
				b.SetBytes(int64(len(pack)))
				into := b.TempDir()
				git(b, into, nil, "init", "-q", "--bare", ".")
				for b.Loop() {
					cmd := gitCommand(b, into, "index-pack", "--stdin", "--threads="+threads)
					cmd.Stdin = io.Reader(bytes.NewReader(pack))
					if err := cmd.Run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
