package main

import (
	"context"
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
func writeNamed(ctx context.Context, name string, b []byte) error {
	file, err := openNamed(ctx, name)
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
func openNamed(ctx context.Context, name string) (pending, error) {
	if stream := standard(name); stream != nil {
		return shared{stream}, nil
	}
	place, whole := replaceable(name)
	if whole {
		return newPending(place)
	}
	file, err := unblocked(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) })
	if err != nil {
		return nil, err
	}
	return inPlace{file, ctx}, nil
}

// inPlace is a file that is written where it is. It may be a FIFO whose reader never comes, so nothing waits for longer than ctx.
type inPlace struct {
	*os.File
	ctx context.Context
}

func (f inPlace) Write(b []byte) (int, error) {
	return unblocked(f.ctx, func() (int, error) { return f.File.Write(b) })
}

func (f inPlace) CloseAtomicallyReplace() error { return f.Close() }

func (f inPlace) Cleanup() error { return f.Close() }

// shared is a stream of the program itself, which goes on writing to it.
type shared struct{ io.Writer }

func (shared) CloseAtomicallyReplace() error { return nil }

func (shared) Cleanup() error { return nil }

// standard returns the stream of the program that name leads to, such as /dev/stdout, also where it is a file: replaced, it
// would lose what is printed later. nil where it is neither.
func standard(name string) *os.File {
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	for _, stream := range []*os.File{os.Stdout, os.Stderr} {
		if own, err := stream.Stat(); err == nil && os.SameFile(info, own) && info.Mode().IsRegular() {
			return stream
		}
	}
	return nil
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
