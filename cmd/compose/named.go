package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// pending is a file that takes the place of another when it is whole.
type pending interface {
	io.Writer
	CloseAtomicallyReplace() error
	Cleanup() error // without the other, leaves nothing behind
}

// writeNamed writes a file that the user named: a regular file whole or not at all, also where a link leads to it; into a
// device, a FIFO or a link to nowhere as any program would.
func writeNamed(name string, b []byte) error {
	place, whole := replaceable(name)
	if !whole {
		return os.WriteFile(name, b, 0o644)
	}
	file, err := newPending(place)
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if _, err := file.Write(b); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// replaceable returns the regular file that name leads to, or the new one that it names, and whether it is one of these.
func replaceable(name string) (string, bool) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return name, true
	}
	place, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", false
	}
	info, err := os.Lstat(place)
	return place, err == nil && info.Mode().IsRegular()
}
