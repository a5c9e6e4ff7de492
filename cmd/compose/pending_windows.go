package main

import (
	"errors"
	"os"
	"path/filepath"
)

// windowsPending does what renameio does elsewhere, which has nothing for Windows: a rename replaces there too, but
// nobody promises what a crash leaves.
type windowsPending struct {
	*os.File
	name string
	done bool
}

func newPending(name string) (pending, error) {
	file, err := os.CreateTemp(filepath.Dir(name), ".compose-*")
	if err != nil {
		return nil, err
	}
	return &windowsPending{File: file, name: name}, nil
}

func (p *windowsPending) CloseAtomicallyReplace() error {
	if err := errors.Join(p.Sync(), p.Close()); err != nil {
		return err
	}
	p.done = true
	return os.Rename(p.Name(), p.name)
}

func (p *windowsPending) Cleanup() error {
	if p.done {
		return nil
	}
	return errors.Join(p.Close(), os.Remove(p.Name()))
}
