package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.org/compose/internal/filelock"
)

func TestTry(t *testing.T) {
	const none = filelock.Kind(-1)
	for _, c := range []struct {
		name         string
		first, other filelock.Kind
		held         bool
	}{
		{"two readers", filelock.Shared, filelock.Shared, false},
		{"a writer beside a reader", filelock.Shared, filelock.Exclusive, true},
		{"a reader beside a writer", filelock.Exclusive, filelock.Shared, true},
		{"two writers", filelock.Exclusive, filelock.Exclusive, true},
		{"after nobody", none, filelock.Exclusive, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lock")
			first, other := open(t, path), open(t, path)
			if c.first != none {
				if err := filelock.Try(first, c.first); err != nil {
					t.Fatal(err)
				}
			}
			err := filelock.Try(other, c.other)
			if c.held != errors.Is(err, filelock.ErrHeld) || !c.held && err != nil {
				t.Fatalf("error %v, want held: %t", err, c.held)
			}
			first.Close()
			if err := filelock.Try(other, c.other); err != nil {
				t.Errorf("after the first let go: %v", err)
			}
		})
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
