package planner

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// lockOfMade is a lock of what made returns, all managed and of one component.
func lockOfMade(t *testing.T, destinations ...string) *lockv2.Lock {
	t.Helper()
	lock := &lockv2.Lock{Intent: lockv2.Intent{Parameters: strictjson.Obj()}, Components: []lockv2.Component{{ID: "artifact.app"}}}
	for _, d := range slices.Sorted(slices.Values(destinations)) {
		lock.Files = append(lock.Files, lockv2.File{Destination: lockv2.Destination(d), Ownership: lockv2.Managed, Digest: sha256.Sum256([]byte(d))})
	}
	return lock
}

func madeManaged(t *testing.T, destinations ...string) *Composition {
	t.Helper()
	c := made(destinations...)
	c.Lock = *lockOfMade(t, destinations...)
	for i := range c.Materials {
		c.Materials[i].Ownership = lockv2.Managed
	}
	return c
}

func fill(t *testing.T, dir string, destinations ...string) {
	t.Helper()
	for _, d := range destinations {
		full := filepath.Join(dir, d)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err == nil {
			err = os.WriteFile(full, []byte(d), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func reconcile(ctx context.Context, op Operation, old *Managed, comp *Composition, root target) (*ManagedPlan, error) {
	seen := observe(ctx, root, old)
	defer seen.Close()
	return seen.reconcile(ctx, op, comp)
}

// readingTarget also remembers what was read.
type readingTarget struct {
	*countingTarget
	mu   sync.Mutex
	read map[lockv2.Destination]int
}

func (r *readingTarget) DigestWith(ctx context.Context, d lockv2.Destination, buf []byte, second rootfs.Second) (rootfs.Sum, error) {
	r.mu.Lock()
	r.read[d]++
	r.mu.Unlock()
	return r.countingTarget.DigestWith(ctx, d, buf, second)
}

// An update reads the files of the old lock, once each, lists the folders on the way to what is new, and the
// composer's own; of the rest of the target it sees nothing.
func TestUpdateLooksOnlyWhereItMust(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "a/b/old", "a/b/unrelated", "c/old", "c/unrelated", "d/unrelated", "other/x/y", "z", lockv2.LockPath)
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, c := range []struct {
		next   []string
		listed string
	}{
		{[]string{"a/b/old", "c/old", "z"}, "map[.template-composition:1]"},
		{[]string{"a/b/old", "c/old", "z", "d/new", "d/e/new", "n/e/w"}, "map[:1 .template-composition:1 d:1]"},
	} {
		seen := &readingTarget{countingTarget: &countingTarget{Root: root, listed: map[string]int{}}, read: map[lockv2.Destination]int{}}
		old := &Managed{Lock: lockOfMade(t, "a/b/old", "c/old", "z")}
		p, err := reconcile(t.Context(), Update, old, madeManaged(t, c.next...), seen)
		if err != nil || len(p.Conflicts) != 0 {
			t.Fatalf("%v, error %v", p, err)
		}
		if got := fmt.Sprint(seen.listed); got != c.listed {
			t.Errorf("listed %s, want %s", got, c.listed)
		}
		if got, want := fmt.Sprint(seen.read), "map[a/b/old:1 c/old:1 z:1]"; got != want {
			t.Errorf("read %s, want %s", got, want)
		}
		if len(seen.countingTarget.read) != 0 {
			t.Errorf("looked at %v", seen.countingTarget.read)
		}
	}
}

// Workers, modes, times and the order in which the files came leave no trace in a plan.
func TestUpdateIsTheSameOnAnyMachine(t *testing.T) {
	var old, next []string
	for i := range 400 {
		d := fmt.Sprintf("f%d/%d", i%7, i)
		if i%4 != 0 {
			old = append(old, d)
		}
		if i%5 != 0 {
			next = append(next, d)
		}
	}
	var first string
	for round, workers := range []int{1, 2, 7, 16} {
		dir := t.TempDir()
		order := slices.Clone(old)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for i, d := range order {
			fill(t, dir, d)
			full := filepath.Join(dir, d)
			err := os.Chmod(full, []os.FileMode{0o600, 0o644, 0o755, 0o777}[(i+round)%4])
			switch {
			case strings.HasSuffix(d, "7"):
				err = os.WriteFile(full, []byte("edited"), 0o644)
			case strings.HasSuffix(d, "9"):
				err = os.Remove(full)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		root, err := rootfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		before := runtime.GOMAXPROCS(workers)
		p, err := reconcile(t.Context(), Upgrade, &Managed{Lock: lockOfMade(t, old...)}, madeManaged(t, next...), root)
		runtime.GOMAXPROCS(before)
		root.Close()
		if err != nil {
			t.Fatal(err)
		}
		doc := string(strictjson.Encode(p.Document()))
		if first == "" {
			first = doc
		}
		if doc != first || len(p.Conflicts) == 0 || len(p.Actions()) == 0 {
			t.Errorf("%d workers give another plan", workers)
		}
	}
}

// hugeTarget has a file too long to be a material in every place.
type hugeTarget struct {
	*rootfs.Root
	t *testing.T
}

func (h hugeTarget) DigestWith(_ context.Context, _ lockv2.Destination, _ []byte, second rootfs.Second) (rootfs.Sum, error) {
	second.Begin(longest + 1)
	return rootfs.Sum{Digest: hashed("huge"), Size: longest + 1}, nil
}

func (h hugeTarget) DigestLF(_ context.Context, d lockv2.Destination, _ []byte) (rootfs.Sum, error) {
	h.t.Errorf("%s is read again", d)
	return rootfs.Sum{}, nil
}

// A file that is too long to be a material is read once, and not again for its line ends.
func TestHugeEditIsReadOnce(t *testing.T) {
	p, err := reconcile(t.Context(), Update, &Managed{Lock: lockOfMade(t, "x")}, madeManaged(t, "x"), hugeTarget{nil, t})
	if err != nil || len(p.Conflicts) != 1 || p.Conflicts[0].Code != CodeLocalModification {
		t.Errorf("%+v, error %v", p, err)
	}
}

func TestUpdateEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, next := range [][]string{{"x"}, {"x", "y"}} {
		if _, err := reconcile(ctx, Update, &Managed{Lock: lockOfMade(t, "x")}, madeManaged(t, next...), (*rootfs.Root)(nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

// What stood at a new destination and goes away before the look is in nobody's way.
func TestObstacleGoesAwayMeanwhile(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "x", "y")
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p, err := reconcile(t.Context(), Update, &Managed{Lock: lockOfMade(t, "y")}, madeManaged(t, "x", "y"), vanishing{root, dir})
	if err != nil || len(p.Conflicts) != 0 || len(p.Actions()) != 1 {
		t.Errorf("%+v, error %v", p, err)
	}
}
