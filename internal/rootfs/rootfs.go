// Package rootfs reads below one folder, the target, and never outside it.
//
// Start with Open. A Root looks at each segment of a path without following it: a symlink anywhere on
// the way is a fault that names the link, also where it points to a place inside (os.Root alone would
// follow that one). What is opened is compared with what was looked at, so that a name that changes in
// between is never mistaken for the one that was there. No call blocks on a FIFO, and no byte of a device is
// read. The package only reads; writing below a target is package txn's.
//
// Digest and ReadFile are what is called for every file: on Linux they ask the kernel to do all this in one call
// (quick_linux.go), and come back to the look at each segment where it does not give them a regular file.
//
// A Root may be used by many goroutines at once. It keeps a bounded number of folders open, and
// remembers those that it listed, until Forget or Close: one Root is one look at the target. The file
// system decides which file a name finds, so on one that ignores case the caller compares with Names.
//
// The package imports the standard library alone, because the consumer's validator is generated from it: without
// what has a build constraint that names a system, so that it compiles on every one.
package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"example.org/compose/lockv2"
)

// RootState says what stands at the path of a target.
type RootState uint8

// The states of a root.
const (
	Absent  RootState = iota // nothing there
	Folder                   // a folder
	Invalid                  // a symlink, a file, or something that can't be looked at
)

// Root is an open target. The nil *Root is an absent one: every look-up in it finds Missing.
type Root struct {
	top    *folder
	opened bool // by Open, so Close closes it
	quick  quick

	mu      sync.Mutex
	folders map[string]*folder  // by path, without the top
	names   map[string][]string // by path
	clock   uint64              // counts uses of folders
	closed  bool
}

// Probe tells what stands at path without opening it. The error, an *Error, explains Invalid.
//
// The folder itself must not be a symlink, also where path ends in a separator; its parents may be.
func Probe(path string) (RootState, error) {
	_, state, err := probe(path)
	return state, err
}

func probe(path string) (fs.FileInfo, RootState, error) {
	if path == "" {
		return nil, Invalid, rootError(path, Missing, nil)
	}
	info, err := os.Lstat(trim(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Absent, nil
	case err != nil:
		return nil, Invalid, rootError(path, Unreadable, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, Invalid, rootError(path, Symlink, nil)
	case !info.IsDir():
		return nil, Invalid, rootError(path, ParentNotDirectory, nil)
	}
	return info, Folder, nil
}

// trim drops what makes the system follow a symlink at the end of path: separators and "." segments.
// It leaves ".." alone, whose meaning depends on links before it.
func trim(path string) string {
	least := len(filepath.VolumeName(path)) + 1
	for len(path) > least {
		last := len(path) - 1
		if !os.IsPathSeparator(path[last]) && (path[last] != '.' || !os.IsPathSeparator(path[last-1])) {
			break
		}
		path = path[:last]
	}
	return path
}

// Open opens the folder at path. The error is an *Error with code INVALID_TARGET: Missing for nothing
// there, Symlink or ParentNotDirectory for what is no folder, Unreadable.
func Open(path string) (*Root, error) {
	for range attempts {
		info, state, err := probe(path)
		switch {
		case err != nil:
			return nil, err
		case state == Absent:
			return nil, rootError(path, Missing, nil)
		}
		name := trim(path)
		if runtime.GOOS != "windows" {
			name += "/." // a FIFO that took the folder's place would block a plain open
		}
		dir, err := os.OpenRoot(name)
		if err != nil {
			if _, state, _ := probe(path); state != Folder {
				continue // it went away in between: say what is there now
			}
			return nil, rootError(path, Unreadable, err)
		}
		if same(dir, info) {
			r := New(dir)
			r.opened = true
			r.quick.open(name, info)
			return r, nil
		}
		dir.Close()
	}
	return nil, rootError(path, Changed, nil)
}

// New reads below a folder that the caller has opened, and closes after the Root.
func New(dir *os.Root) *Root {
	return &Root{top: &folder{dir: dir}, folders: map[string]*folder{}, names: map[string][]string{}}
}

// same reports whether dir is the folder that info describes.
func same(dir *os.Root, info fs.FileInfo) bool {
	got, err := dir.Lstat(".")
	return err == nil && os.SameFile(got, info)
}

// attempts bounds how often something that changes under the look is looked at again.
const attempts = 3

// Stat returns what stands at the destination, without following a symlink at its end or on the way.
// The error is an *Error: Missing, Symlink (of a parent), ParentNotDirectory, Unreadable, Changed.
// The kind of a destination itself is the caller's to judge from the mode.
func (r *Root) Stat(d lockv2.Destination) (fs.FileInfo, error) {
	at, err := r.locate(d)
	if err != nil {
		return nil, err
	}
	defer r.release(at.folder)
	info, err := at.folder.dir.Lstat(at.name)
	if err != nil {
		return nil, fault(d, string(d), lookReason(err), err)
	}
	return info, nil
}

// OpenFile opens the regular file at the destination. The error is an *Error of any Reason but TooLarge.
func (r *Root) OpenFile(d lockv2.Destination) (*os.File, fs.FileInfo, error) {
	at, err := r.locate(d)
	if err != nil {
		return nil, nil, err
	}
	defer r.release(at.folder)
	var last error
	for range attempts {
		info, err := at.folder.dir.Lstat(at.name)
		if err != nil {
			return nil, nil, fault(d, string(d), lookReason(err), err)
		}
		if reason := KindReason(info.Mode()); reason != "" {
			return nil, nil, fault(d, string(d), reason, nil)
		}
		file, err := at.folder.dir.OpenFile(at.name, readFlags(), 0)
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return nil, nil, fault(d, string(d), Unreadable, err)
			}
			last = err // perhaps another kind of file by now: look again
			continue
		}
		opened, err := file.Stat()
		if err == nil && os.SameFile(opened, info) && opened.Mode().IsRegular() {
			return file, opened, nil
		}
		file.Close()
		last = nil
	}
	if last != nil {
		return nil, nil, fault(d, string(d), Unreadable, last)
	}
	return nil, nil, fault(d, string(d), Changed, nil)
}

// readFlags opens without waiting for the other end of a FIFO that took a file's place. Windows has no
// such files, and there the bit of O_NONBLOCK asks for a folder.
func readFlags() int {
	if runtime.GOOS == "windows" {
		return os.O_RDONLY
	}
	return os.O_RDONLY | syscall.O_NONBLOCK
}

// KindReason says why a mode, one from Stat, is not that of a regular file: Symlink, IsDirectory or NotRegular;
// "" if it is.
func KindReason(mode fs.FileMode) Reason {
	switch {
	case mode.IsRegular():
		return ""
	case mode&fs.ModeSymlink != 0:
		return Symlink
	case mode.IsDir():
		return IsDirectory
	}
	return NotRegular
}
