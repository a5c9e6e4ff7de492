package main

import (
	"context"
	"io"
	"os"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
)

// openTarget opens a target: nil when it is absent.
func openTarget(target string) (*rootfs.Root, error) {
	state, err := rootfs.Probe(target)
	if state == rootfs.Absent {
		return nil, nil
	}
	var root *rootfs.Root
	if state == rootfs.Folder {
		root, err = rootfs.Open(target)
	}
	if err != nil {
		return nil, &commandError{diag.Wrap(codeInvalidTarget, "", "the target is no folder to compose in", err)}
	}
	return root, nil
}

// readFile reads a file that the user named, and stops one byte past limit.
func readFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	return unblocked(ctx, func() ([]byte, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, readError(name, err)
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err != nil {
			err = readError(name, err)
		}
		return b, err
	})
}

// unblocked calls read, which may wait for a FIFO or a terminal without end, until it returns or ctx ends. What still waits
// then is left to the end of the process.
func unblocked[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// readError says that a file which the user named can't be read.
func readError(name string, err error) error {
	return &commandError{diag.Wrap(codeReadFailed, name, "the file can't be read", plainfile.Cause(err))}
}
