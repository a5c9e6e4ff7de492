//go:build linux

package txn_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/txn"
	"golang.org/x/sys/unix"
)

// The cost of a first composition of n materials in 40 components, step by step, and next to it the bare loop that
// does the same writes: hash what git has, write, flush in bulk, rename, hash the result.
func BenchmarkInitial(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		cat := catalogtest.Load(b, catalogtest.Large(n, 40).Files())
		cfg, err := resolver.FromSelection("app", nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		comp, err := planner.Materialize(b.Context(), cat, "example/catalog", cfg)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("materialize/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := planner.Materialize(b.Context(), cat, "example/catalog", cfg); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("plan/%d", n), func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				planOnce(b, comp, dir)
			}
		})
		b.Run(fmt.Sprintf("apply/%d", n), func(b *testing.B) {
			base := b.TempDir()
			for i := 0; b.Loop(); i++ {
				plan := planOnceFunc(comp)
				if _, err := txn.Initial(b.Context(), filepath.Join(base, strconv.Itoa(i)), plan, txn.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("adopt/%d", n), func(b *testing.B) {
			base := b.TempDir()
			if _, err := txn.Initial(b.Context(), base, planOnceFunc(comp), txn.Options{}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := os.Remove(filepath.Join(base, ".template-composition", "lock.json")); err != nil {
					b.Fatal(err)
				}
				if _, err := txn.Initial(b.Context(), base, planOnceFunc(comp), txn.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("bare/%d", n), func(b *testing.B) {
			base := b.TempDir()
			for i := 0; b.Loop(); i++ {
				bareLoop(b, comp, filepath.Join(base, strconv.Itoa(i)))
			}
		})
	}
}

func planOnceFunc(comp *planner.Composition) txn.PlanFunc {
	return func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		return planner.Initial(ctx, comp, root)
	}
}

func planOnce(b *testing.B, comp *planner.Composition, dir string) {
	root, err := rootfs.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	if _, err := planner.Initial(b.Context(), comp, root); err != nil {
		b.Fatal(err)
	}
}

func bareLoop(b *testing.B, comp *planner.Composition, dir string) {
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	staging := filepath.Join(dir, "staging")
	check(os.MkdirAll(staging, 0o755))
	for i := range comp.Materials {
		r, err := comp.Open(b.Context(), &comp.Materials[i])
		check(err)
		content, err := io.ReadAll(r)
		check(err)
		r.Close()
		if sha256.Sum256(content) != comp.Materials[i].Digest {
			b.Fatal("other bytes")
		}
		check(os.WriteFile(filepath.Join(staging, strconv.Itoa(i)), content, 0o644))
	}
	flushAll(b, dir)
	for i := range comp.Materials {
		to := filepath.Join(dir, string(comp.Materials[i].Destination))
		check(os.MkdirAll(filepath.Dir(to), 0o755))
		check(os.Rename(filepath.Join(staging, strconv.Itoa(i)), to))
	}
	flushAll(b, dir)
	for i := range comp.Materials {
		content, err := os.ReadFile(filepath.Join(dir, string(comp.Materials[i].Destination)))
		check(err)
		if sha256.Sum256(content) != comp.Materials[i].Digest {
			b.Fatal("other bytes")
		}
	}
}

func flushAll(b *testing.B, dir string) {
	f, err := os.Open(dir)
	if err == nil {
		err = unix.Syncfs(int(f.Fd()))
		f.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
}
