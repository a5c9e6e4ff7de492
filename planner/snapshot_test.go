package planner_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// observing calls use with what stands in a target.
func observing(t testing.TB, dir string, use func(root *rootfs.Root, seen *planner.Snapshot)) {
	t.Helper()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	old, err := planner.ReadManaged(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := planner.Observe(t.Context(), root, old)
	defer seen.Close()
	use(root, seen)
}

// checkSame holds a composition that was made beside a target against the one that reads every blob.
func checkSame(t testing.TB, comp *planner.Composition, seen *planner.Snapshot) (standing int) {
	t.Helper()
	again, err := comp.Again(t.Context(), seen)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.LockBytes(), comp.LockBytes()) {
		t.Errorf("beside the target the lock is\n%s\nwithout it\n%s", again.LockBytes(), comp.LockBytes())
	}
	for i := range comp.Materials {
		if a, b := &comp.Materials[i], &again.Materials[i]; a.Destination != b.Destination || a.Digest != b.Digest || a.Size != b.Size || a.Executable != b.Executable {
			t.Errorf("beside the target %+v, without it %+v", *b, *a)
		}
	}
	return again.Standing()
}

// What stands in the target with the bytes of a blob is not read from the source: that may even lack it.
func TestStandingBytesAreNotRead(t *testing.T) {
	files := app2().Files()
	repo := catalogtest.Repository(t)
	revision := repo.Commit(files)
	load := func() *catalog.Catalog {
		cat, err := catalog.Load(t.Context(), repo.Source(revision))
		if err != nil {
			t.Fatal(err)
		}
		return cat
	}
	next, err := planner.Materialize(t.Context(), load(), "example/catalog", choice(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := composed(t, materialize(t, app()))
	for _, path := range []string{"bin/run", "docs/deep/er.md"} {
		repo.Lose(string(files[sourceOf(next, path)].Content))
	}
	observing(t, dir, func(root *rootfs.Root, seen *planner.Snapshot) {
		if n := checkSame(t, next, seen); n != 3 { // with the state component's own
			t.Errorf("%d materials were taken from the target", n)
		}
	})
	var fault diag.Coded
	if _, err := planner.Materialize(t.Context(), load(), "example/catalog", choice(t)); !errors.As(err, &fault) || fault.Code() != planner.CodeReadFailed {
		t.Errorf("without the target: %v", err)
	}
	write(t, dir, "bin/run", "#!/bin/sh\nedited\n")
	observing(t, dir, func(_ *rootfs.Root, seen *planner.Snapshot) {
		if _, err := next.Again(t.Context(), seen); !errors.As(err, &fault) || fault.Code() != planner.CodeReadFailed || !strings.Contains(err.Error(), "bin/run") {
			t.Errorf("with another file there: %v", err)
		}
	})
}

func sourceOf(comp *planner.Composition, destination string) string {
	i := slices.IndexFunc(comp.Materials, func(m planner.Material) bool { return string(m.Destination) == destination })
	return comp.Materials[i].SourcePath()
}

// A lock that records other bytes than its revision supplied is not believed, though the target agrees with it.
func TestForgedLockIsNotBelieved(t *testing.T) {
	comp := materialize(t, app())
	dir := composed(t, comp)
	forged := comp.Lock
	forged.Files = slices.Clone(forged.Files)
	i := slices.IndexFunc(forged.Files, func(f lockv2.File) bool { return f.Destination == "ci/build.yml" })
	forged.Files[i].Digest = sha256.Sum256([]byte("steps: [mine]\n"))
	b, err := lockv2.Encode(&forged)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, lockv2.LockPath, string(b))
	write(t, dir, "ci/build.yml", "steps: [mine]\n")
	observing(t, dir, func(root *rootfs.Root, seen *planner.Snapshot) {
		checkSame(t, comp, seen)
		made, err := comp.Again(t.Context(), seen)
		if err != nil {
			t.Fatal(err)
		}
		p, err := seen.Reconcile(t.Context(), planner.Update, made)
		if err != nil {
			t.Fatal(err)
		}
		if got := told(p); p.Noop() || !slices.Equal(got, []string{"preserve README.md", "replace ci/build.yml"}) {
			t.Errorf("the plan is of %q", got)
		}
	})
}

// A pointer that stands in the target is refused as one that is read from the source is.
func TestStandingPointer(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	comp := materialize(t, app())
	dir := composed(t, comp)
	i := slices.IndexFunc(comp.Lock.Files, func(f lockv2.File) bool { return f.Destination == "ci/build.yml" })
	forged := comp.Lock
	forged.Files = slices.Clone(forged.Files)
	forged.Files[i].Digest = sha256.Sum256([]byte(pointer))
	b, err := lockv2.Encode(&forged)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, lockv2.LockPath, string(b))
	write(t, dir, "ci/build.yml", pointer)
	next := app()
	next.Components[0].Materials[2].Content = pointer
	observing(t, dir, func(_ *rootfs.Root, seen *planner.Snapshot) {
		_, plain := planner.Materialize(t.Context(), catalogtest.Load(t, next.Files()), "example/catalog", choice(t))
		_, beside := seen.Materialize(t.Context(), catalogtest.Load(t, next.Files()), "example/catalog", choice(t))
		var fault diag.Coded
		if !errors.As(beside, &fault) || fault.Code() != planner.CodeLFSPointer || plain == nil || beside.Error() != plain.Error() {
			t.Errorf("beside the target: %v; without it: %v", beside, plain)
		}
	})
}

// A snapshot that ended before it had read everything says so to whoever waits.
func TestSnapshotEnds(t *testing.T) {
	comp := materialize(t, app())
	observing(t, composed(t, comp), func(root *rootfs.Root, seen *planner.Snapshot) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		ended := planner.Observe(ctx, root, seen.Managed)
		ended.Close()
		if _, err := comp.Again(t.Context(), ended); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
