package skills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"example.org/compose/internal/plainfile"
)

const (
	// maxFiles and maxBytes bound one skill: a link to a whole disk ends in an answer.
	maxFiles = 200_000
	maxBytes = 4 << 30
	// maxDepth bounds how deep its folders nest: to open a file takes a step for each folder on its way.
	maxDepth = 1000
	// maxHeld is how many bytes of a skill are held to find out why its value differs.
	maxHeld = 64 << 20
	// maxLinked bounds what symlinks stand for: of a few links to the folders beside them, it is more than any machine can walk.
	maxLinked = 10_000
)

// file is one regular file that a value covers.
type file struct {
	path string // as it is hashed: joined with "/", a backslash in a name made one
	real string // below the folder
	size int64
	info fs.FileInfo
}

// folder is an installed skill, open.
type folder struct {
	root  *os.Root
	files []file // in the order of the walk; without .git, node_modules and what symlinks stand for
	links []string
	bytes int64
}

// unreadable says why a folder has no computedHash at all.
type unreadable struct {
	path string
	msg  string
	err  error
}

func (e *unreadable) Error() string {
	text := e.path + ": " + e.msg
	if e.err != nil {
		text += ": " + plainfile.Cause(e.err).Error()
	}
	return text
}

func (e *unreadable) Unwrap() error { return e.err }

// openFolder lists the skill at name, which may be reached through a symlink.
func openFolder(ctx context.Context, name string) (*folder, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, &unreadable{path: name, msg: "can't be opened as a folder", err: err}
	}
	f := &folder{root: root}
	if err := f.walk(ctx, ".", &f.files); err != nil {
		root.Close()
		return nil, err
	}
	for _, file := range f.files {
		f.bytes += file.size
	}
	if f.bytes > maxBytes {
		root.Close()
		return nil, &unreadable{path: name, msg: fmt.Sprintf("holds more than %d GiB, which no skill does", maxBytes>>30)}
	}
	return f, nil
}

func (f *folder) Close() error { return f.root.Close() }

// walk adds the regular files below dir. Symlinks are noted, other kinds are passed over and never opened.
func (f *folder) walk(ctx context.Context, dir string, files *[]file) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.Count(dir, "/") >= maxDepth {
		return &unreadable{path: dir[:100] + "...", msg: fmt.Sprintf("folders nest deeper than %d, which no skill does", maxDepth)}
	}
	entries, err := f.readDir(dir)
	if err != nil {
		return &unreadable{path: dir, msg: "can't be listed", err: err}
	}
	for _, entry := range entries {
		at := path.Join(dir, entry.Name())
		switch kind := entry.Type(); {
		case kind.IsDir():
			if entry.Name() == ".git" || entry.Name() == "node_modules" {
				continue
			}
			err = f.walk(ctx, at, files)
		case kind&fs.ModeSymlink != 0:
			f.links = append(f.links, at)
		case kind.IsRegular():
			err = f.add(files, at, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) readDir(dir string) ([]fs.DirEntry, error) {
	opened, err := f.root.OpenFile(dir, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	entries, err := opened.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

// add adds the file at real, which is hashed as shown.
func (f *folder) add(files *[]file, shown, real string) error {
	if !utf8.ValidString(shown) {
		return &unreadable{path: strings.ToValidUTF8(shown, "\uFFFD"), msg: "a name that is not UTF-8 has no place in the order; rename it"}
	}
	info, err := f.root.Stat(real)
	if err != nil {
		return &unreadable{path: shown, msg: "can't be looked at", err: err}
	}
	if len(*files) == maxFiles {
		return &unreadable{path: ".", msg: fmt.Sprintf("holds more than %d files, which no skill does", maxFiles)}
	}
	*files = append(*files, file{path: strings.ReplaceAll(shown, `\`, "/"), real: real, size: info.Size(), info: info})
	return nil
}

var errTooManyLinked = errors.New("symlinks stand for too many files")

// linked returns the regular files that symlinks inside the folder stand for; a link that leads nowhere, out of the
// folder or to a folder around it stands for none. errTooManyLinked: they are more than maxLinked.
func (f *folder) linked(ctx context.Context) ([]file, error) {
	var files []file
	looks := 0
	var follow func(at string, around []fs.FileInfo) error
	follow = func(at string, around []fs.FileInfo) error {
		if looks++; looks > maxLinked {
			return errTooManyLinked
		}
		info, err := f.root.Stat(at)
		switch {
		case err != nil || ctx.Err() != nil:
			return ctx.Err()
		case info.Mode().IsRegular():
			return f.add(&files, at, at)
		case !info.IsDir() || slices.ContainsFunc(around, func(other fs.FileInfo) bool { return os.SameFile(info, other) }):
			return nil
		}
		around = append(around[:len(around):len(around)], info)
		entries, err := f.readDir(at)
		if err != nil {
			return nil
		}
		for _, entry := range entries {
			if !entry.IsDir() || entry.Name() != ".git" && entry.Name() != "node_modules" {
				if err := follow(path.Join(at, entry.Name()), around); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, at := range f.links {
		var around []fs.FileInfo
		for dir := path.Dir(at); ; dir = path.Dir(dir) {
			if info, err := f.root.Stat(dir); err == nil {
				around = append(around, info)
			}
			if dir == "." {
				break
			}
		}
		if err := follow(at, around); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// read hands the bytes of a file to w: as many as were listed, or the file changed.
func (f *folder) read(at file, w io.Writer) error {
	opened, err := f.root.OpenFile(at.real, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return &unreadable{path: at.path, msg: "can't be opened", err: err}
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err == nil && (!info.Mode().IsRegular() || !os.SameFile(info, at.info)) {
		err = errChanged
	}
	var n int64
	if err == nil {
		n, err = io.Copy(w, io.LimitReader(opened, at.size+1))
	}
	if err == nil && n != at.size {
		err = errChanged
	}
	if err != nil {
		return &unreadable{path: at.path, msg: "can't be read", err: err}
	}
	return nil
}

var errChanged = errors.New("it changed while it was read; try again when nothing writes to it")

// nonblocking keeps an open from waiting for the other end of a FIFO that took the place of a file.
var nonblocking = func() int {
	if runtime.GOOS == "windows" {
		return 0
	}
	return syscall.O_NONBLOCK
}()
