package treedigest

import (
	"context"
	"io/fs"
	"sync"
)

// ListThenRead lists the tree, calls between, and reads what was listed.
func (t *Tree) ListThenRead(ctx context.Context, between func()) error {
	files, err := t.list(ctx)
	if err != nil {
		return err
	}
	between()
	return t.read(ctx, files, func(*file, bool, []byte) {})
}

// Before returns the tree, with before called ahead of each call to the file system: what is done, and with which file. Never two
// calls at once.
func (t *Tree) Before(before func(call string)) *Tree {
	return &Tree{files: &watched{files: t.files, before: before}, root: t.root}
}

// watched is a file system that calls before.
type watched struct {
	files  fs.FS
	mu     sync.Mutex
	before func(call string)
}

func (w *watched) call(what, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before(what + " " + name)
}

func (w *watched) Open(name string) (fs.File, error) {
	w.call("open", name)
	f, err := w.files.Open(name)
	if err != nil {
		return nil, err
	}
	return &watchedFile{f, w, name}, nil
}

type watchedFile struct {
	fs.File
	w    *watched
	name string
}

func (f *watchedFile) Stat() (fs.FileInfo, error) {
	f.w.call("stat", f.name)
	return f.File.Stat()
}

func (f *watchedFile) Read(b []byte) (int, error) {
	f.w.call("read", f.name)
	return f.File.Read(b)
}

func (f *watchedFile) ReadDir(n int) ([]fs.DirEntry, error) {
	f.w.call("list", f.name)
	return f.File.(fs.ReadDirFile).ReadDir(n)
}
