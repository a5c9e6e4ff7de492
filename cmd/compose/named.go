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
	file, err := openNamed(name)
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if _, err := file.Write(b); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// openNamed is writeNamed for what is written in pieces.
func openNamed(name string) (pending, error) {
	place, whole := replaceable(name)
	if whole {
		return newPending(place)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	return inPlace{file}, nil
}

// inPlace is a file that is written where it is.
type inPlace struct{ *os.File }

func (f inPlace) CloseAtomicallyReplace() error { return f.Close() }

func (f inPlace) Cleanup() error { return f.Close() }

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
