//go:build unix

package main

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO that nobody writes to can be waited for until a signal comes, and no longer.
func TestReadFileEndsWithContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := makeFIFO(name); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	want := &interruption{signal: syscall.SIGTERM}
	cancel(want)
	if _, err := readFile(ctx, name, 1); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}
