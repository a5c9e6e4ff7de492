package gitcache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/compose/internal/plainfile"
)

// What is written in the cache is written here, but for packs and their indexes. All folders and files are their user's alone: what a
// catalog holds may not be public.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// temporary begins the names of files that are not whole yet.
const temporary = "tmp-"

// makeFolders makes folders of the entry, and those above them.
func (e *entry) makeFolders(names ...string) error {
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(e.folder, name), folderMode); err != nil {
			return e.writeFault(err)
		}
	}
	return nil
}

// replace writes a file of the entry beside its place, makes it durable, and renames it.
func (e *entry) replace(name string, b []byte) error {
	f, err := os.CreateTemp(e.folder, temporary+"*")
	if err != nil {
		return e.writeFault(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		return e.writeFault(err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return e.writeFault(err)
	}
	if err := os.Rename(f.Name(), filepath.Join(e.folder, name)); err != nil {
		return e.writeFault(err)
	}
	return nil
}

// openLock opens a file of the entry that is locked, made if need be; where the folder can't be written, it has to be there. Nothing but
// a regular file of the entry is opened.
func (e *entry) openLock(name string) (*os.File, error) {
	root, err := os.OpenRoot(e.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return root.Open(name)
	}
	return f, nil
}

// markUsed notes that the entry is in use now. Where that can't be written the entry looks as if nobody used it.
func (e *entry) markUsed() {
	now := time.Now()
	_ = os.Chtimes(filepath.Join(e.folder, useLock), now, now)
}

// removeTemporary removes what runs that died left, packs without an index too; what stays does no harm. The entry is held for
// fetching.
func (e *entry) removeTemporary() {
	for _, dir := range []string{e.folder, e.packs()} {
		names, _ := os.ReadDir(dir)
		for _, name := range names {
			base, isPack := strings.CutSuffix(name.Name(), ".pack")
			if isPack {
				_, err := os.Lstat(filepath.Join(dir, base+".idx"))
				isPack = errors.Is(err, fs.ErrNotExist)
			}
			if isPack || strings.HasPrefix(name.Name(), temporary) {
				_ = os.Remove(filepath.Join(dir, name.Name()))
			}
		}
	}
}

// empty removes everything but the locks, what says that something is whole first. The entry is held for fetching, and for use alone.
func (e *entry) empty() error {
	for _, name := range []string{stateName, "HEAD", "config", "objects", "refs"} {
		if err := os.RemoveAll(filepath.Join(e.folder, name)); err != nil {
			return e.writeFault(err)
		}
	}
	return nil
}

// remove removes the entry, held as for empty. It first gets another name, so that nothing which another run makes in its place goes
// with it.
func (e *entry) remove() error {
	away, err := os.MkdirTemp(filepath.Dir(e.folder), temporary+"*")
	if err != nil {
		return e.writeFault(err)
	}
	if err := os.Rename(e.folder, filepath.Join(away, filepath.Base(e.folder))); err != nil {
		_ = os.Remove(away)
		return e.writeFault(err)
	}
	if err := os.RemoveAll(away); err != nil {
		return e.writeFault(err)
	}
	return nil
}

func (e *entry) writeFault(err error) error {
	return faultOf(CodeWriteFailed, e.name(), "the cache can't be written; name another folder with --cache", plainfile.Cause(err))
}
