package validator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

// wide returns a lock that keeps the rules and lists n more files, of which none is there.
func wide(n int) *lockv2.Lock {
	lock := targettest.Lock()
	for i := range n {
		d := lockv2.Destination(fmt.Sprintf("z/%02d/%05d", i%7, i))
		lock.Files = append(lock.Files, lockv2.File{Destination: d, Component: "artifact.app-core", Ownership: lockv2.Managed})
	}
	slices.SortFunc(lock.Files, func(a, b lockv2.File) int { return strings.Compare(string(a.Destination), string(b.Destination)) })
	return lock
}

// Faults come in the order of the lock, from whichever core and however many there are.
func TestFaultsAreInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 40, 3000} {
		dir := t.TempDir()
		targettest.Write(t, dir)
		lock := wide(n)
		encoded, err := lockv2.Encode(lock)
		if err != nil {
			t.Fatal(err)
		}
		targettest.File(t, dir, lockv2.LockPath, string(encoded))
		var want []string
		for _, f := range lock.Files {
			if strings.HasPrefix(string(f.Destination), "z/") {
				want = append(want, "MATERIAL_MISSING "+string(f.Destination))
			}
		}
		report := validate(t, dir)
		if got := codes(report.Faults); !slices.Equal(got, want) || report.Checked != len(lock.Files) {
			t.Errorf("%d files: got %d faults of %d files: %v", n, len(got), report.Checked, got)
		}
		if composition, ok := report.Composition(); !ok || composition != report.Lock.Composition() {
			t.Errorf("%d files: composition %s, want %s", n, composition, report.Lock.Composition())
		}
	}
}

// What is found at the files of a lock that turns out to be none is not told.
func TestFilesOfAnUnsoundLock(t *testing.T) {
	encoded, err := lockv2.Encode(wide(3000))
	if err != nil {
		t.Fatal(err)
	}
	const last = `"destination": "z/06/02995"`
	if !strings.Contains(string(encoded), last) {
		t.Fatal("the lock has changed")
	}
	for name, text := range map[string]string{
		"at its last file": strings.Replace(string(encoded), last, `"destination": "z/06/../02995"`, 1),
		"by a collision":   strings.Replace(string(encoded), last, `"destination": "z/06/02988/x"`, 1),
		"cut off":          string(encoded[:len(encoded)-3]),
	} {
		dir := t.TempDir()
		targettest.Write(t, dir)
		targettest.File(t, dir, lockv2.LockPath, text)
		report := validate(t, dir)
		if len(report.Faults) != 1 || report.Faults[0].Destination != "" || report.Lock != nil || report.Checked != 0 {
			t.Errorf("%s: got %d faults, the first %+v", name, len(report.Faults), report.Faults[0])
		}
	}
}

// A context that has ended leaves nothing waiting, however long the lock is.
func TestContextThatEndedBeforeManyFiles(t *testing.T) {
	dir := t.TempDir()
	lock := wide(5000)
	encoded, err := lockv2.Encode(lock)
	if err != nil {
		t.Fatal(err)
	}
	targettest.File(t, dir, lockv2.LockPath, string(encoded))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := validator.Validate(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := validator.Check(ctx, nil, lock); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
