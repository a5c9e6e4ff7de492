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
)

// BenchmarkUpdate is the cost of an update in which n files change, and next to it the bare loop that does the same without a
// marker, a lock, or a thought about who else writes: hash the old file, read the new bytes from git, write, flush in bulk,
// rename, hash the result.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		var comps []*planner.Composition
		for _, version := range []string{"one", "two"} {
			c := catalogtest.Large(n, 40)
			for i := range c.Components {
				for k := range c.Components[i].Materials {
					c.Components[i].Materials[k].Content += version + "\n"
				}
			}
			cfg, err := resolver.FromSelection("app", nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			comp, err := planner.Materialize(b.Context(), catalogtest.Load(b, c.Files()), "example/catalog", cfg)
			if err != nil {
				b.Fatal(err)
			}
			comps = append(comps, comp)
		}
		dir := filepath.Join(b.TempDir(), "target")
		if _, err := txn.Initial(b.Context(), dir, planOnceFunc(comps[0]), txn.Options{}); err != nil {
			b.Fatal(err)
		}
		at := 0
		b.Run(fmt.Sprintf("apply/%d", n), func(b *testing.B) {
			for b.Loop() {
				at = 1 - at
				update(b, dir, comps[at])
			}
		})
		b.Run(fmt.Sprintf("plan/%d", n), func(b *testing.B) {
			for b.Loop() {
				planUpdate(b, dir, comps[1-at])
			}
		})
		b.Run(fmt.Sprintf("bare/%d", n), func(b *testing.B) {
			for b.Loop() {
				at = 1 - at
				bareUpdate(b, comps[1-at], comps[at], dir)
			}
		})
	}
}

func updatePlan(comp *planner.Composition) txn.ManagedPlanFunc {
	return func(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error) {
		old, err := planner.ReadManaged(root)
		if err != nil {
			return nil, err
		}
		return planner.Reconcile(ctx, planner.Update, old, comp, root)
	}
}

func update(b *testing.B, dir string, comp *planner.Composition) {
	result, err := txn.Reconcile(b.Context(), dir, updatePlan(comp), txn.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if len(result.Replaced) < 1000 {
		b.Fatalf("%d files were replaced", len(result.Replaced))
	}
}

func planUpdate(b *testing.B, dir string, comp *planner.Composition) {
	root, err := rootfs.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	if _, err := updatePlan(comp)(b.Context(), root); err != nil {
		b.Fatal(err)
	}
}

func bareUpdate(b *testing.B, old, comp *planner.Composition, dir string) {
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	staging := filepath.Join(dir, "staging")
	check(os.MkdirAll(staging, 0o755))
	for i := range comp.Materials {
		to := filepath.Join(dir, string(comp.Materials[i].Destination))
		content, err := os.ReadFile(to)
		check(err)
		if sha256.Sum256(content) != old.Materials[i].Digest {
			b.Fatal("other bytes")
		}
		r, err := comp.Open(b.Context(), &comp.Materials[i])
		check(err)
		content, err = io.ReadAll(r)
		check(err)
		r.Close()
		check(os.WriteFile(filepath.Join(staging, strconv.Itoa(i)), content, 0o644))
	}
	flushAll(b, dir)
	for i := range comp.Materials {
		check(os.Rename(filepath.Join(staging, strconv.Itoa(i)), filepath.Join(dir, string(comp.Materials[i].Destination))))
	}
	check(os.Remove(staging))
	check(os.WriteFile(filepath.Join(dir, ".template-composition", "lock.json"), comp.LockBytes(), 0o644))
	flushAll(b, dir)
	for i := range comp.Materials {
		content, err := os.ReadFile(filepath.Join(dir, string(comp.Materials[i].Destination)))
		check(err)
		if sha256.Sum256(content) != comp.Materials[i].Digest {
			b.Fatal("other bytes")
		}
	}
}
