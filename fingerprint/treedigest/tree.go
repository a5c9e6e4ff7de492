package treedigest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Codes of an *Error.
const (
	CodeSymlink     = "TREE_SYMLINK"
	CodeNameNotUTF8 = "TREE_NAME_NOT_UTF8"
	CodeChanged     = "TREE_CHANGED"
	CodeTooDeep     = "TREE_TOO_DEEP"
	CodeReadFailed  = "READ_FAILED"
)

// maxDepth bounds how deep folders nest: to open a file takes a step for each folder on its way.
const maxDepth = 1000

// Error says why a folder has no value.
type Error struct {
	code string
	path string // below the folder; the folder itself for one that can't be opened
	msg  string // lower case, no final period
	err  error
}

func (e *Error) Error() string {
	text := e.path + ": " + e.msg
	if e.err != nil {
		text += ": " + e.err.Error()
	}
	return text
}

// Code returns one of the codes of this package.
func (e *Error) Code() string { return e.code }

// Path returns the path below the folder that is at fault.
func (e *Error) Path() string { return e.path }

// Hint returns "".
func (e *Error) Hint() string { return "" }

// Unwrap returns the cause, if the system gave one.
func (e *Error) Unwrap() error { return e.err }

// Tree is a folder whose values can be asked for, any number of times; each looks at the folder anew.
// Safe for use by many goroutines at once.
type Tree struct {
	files fs.FS
	root  *os.Root // of a real folder
}

// New returns the tree of a file system. A file of it must not block when it is opened.
func New(files fs.FS) *Tree { return &Tree{files: files} }

// Open opens a real folder, from which no symlink leads out. path itself may be a symlink to one.
// The error is an *Error with READ_FAILED.
func Open(path string) (*Tree, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return nil, &Error{code: CodeReadFailed, path: path, msg: "is not a folder; name one"}
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(path)
	}
	if err != nil {
		return nil, &Error{code: CodeReadFailed, path: path, msg: "can't be opened as a folder", err: cause(err)}
	}
	return &Tree{files: folder{root}, root: root}, nil
}

// Close releases what Open holds.
func (t *Tree) Close() error {
	if t.root == nil {
		return nil
	}
	return t.root.Close()
}

// folder is a real folder as a file system. Unlike root.FS it opens names that are not UTF-8, and
// doesn't wait for the other end of a FIFO that has taken the place of a file.
type folder struct{ root *os.Root }

func (f folder) Open(name string) (fs.File, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" {
		flags |= syscall.O_NONBLOCK
	}
	return f.root.OpenFile(name, flags, 0)
}

// file is a regular file of the tree.
type file struct {
	path string // "/"-joined, below the root
	size int64
	info fs.FileInfo // when it was listed
}

// list returns the regular files of the tree: folder by folder, the entries of each by name. That is
// the legacy order.
func (t *Tree) list(ctx context.Context) ([]file, error) {
	var files []file
	depth := 0
	var walk func(dir string) error
	walk = func(dir string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if depth++; depth > maxDepth {
			return &Error{code: CodeTooDeep, path: dir[:100] + "...", msg: fmt.Sprintf("folders nest deeper than %d", maxDepth)}
		}
		defer func() { depth-- }()
		entries, err := fs.ReadDir(t.files, dir)
		if err != nil {
			return failed(dir, "can't be listed", err)
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		for _, entry := range entries {
			at := path.Join(dir, entry.Name())
			if err := visit(&files, at, entry, walk); err != nil {
				return err
			}
		}
		return nil
	}
	err := walk(".")
	return files, err
}

func visit(files *[]file, at string, entry fs.DirEntry, walk func(string) error) error {
	kind := entry.Type()
	switch {
	case kind.IsDir():
		return walk(at)
	case kind&fs.ModeSymlink != 0:
		return &Error{code: CodeSymlink, path: at, msg: "is a symlink, which a tree can't hold; put a file or a folder in its place"}
	case kind.IsRegular():
		info, err := entry.Info()
		if err != nil {
			return failed(at, "can't be looked at", err)
		}
		if !info.Mode().IsRegular() {
			return changed(at)
		}
		*files = append(*files, file{path: at, size: info.Size(), info: info})
	}
	return nil
}

// open opens f and makes sure that it is what was listed.
func (t *Tree) open(f *file) (fs.File, error) {
	opened, err := t.files.Open(f.path)
	if err != nil {
		return nil, failed(f.path, "can't be opened", err)
	}
	info, err := opened.Stat()
	switch {
	case err != nil:
		err = failed(f.path, "can't be looked at", err)
	case !info.Mode().IsRegular() || info.Size() != f.size || t.root != nil && !os.SameFile(info, f.info):
		err = changed(f.path)
	default:
		return opened, nil
	}
	opened.Close()
	return nil, err
}

// failed is what the system said about a path that was listed: when it is gone now, or is another kind of
// file, the tree changed. A link is met as ELOOP, a socket as ENXIO, a file in the place of a folder as ENOTDIR.
func failed(at, what string, err error) error {
	if at != "." {
		for _, other := range []error{fs.ErrNotExist, syscall.ELOOP, syscall.ENXIO, syscall.ENOTDIR} {
			if errors.Is(err, other) {
				return changed(at)
			}
		}
	}
	return &Error{code: CodeReadFailed, path: at, msg: what, err: cause(err)}
}

func changed(at string) error {
	return &Error{code: CodeChanged, path: at, msg: "changed while the tree was read; try again when nothing writes to it"}
}

// cause takes the path that the system adds off an error: the message names it already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// sortByPath puts files in byte order of their whole paths, the order of the current value.
func sortByPath(files []file) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
}

// lossy returns p with U+FFFD for each longest run of bytes that begins a character and does not end
// it, and for each other byte that is not UTF-8.
func lossy(p string) string {
	if utf8.ValidString(p) {
		return p
	}
	var b strings.Builder
	for len(p) > 0 {
		r, size := utf8.DecodeRuneInString(p)
		if r == utf8.RuneError && size == 1 {
			size = truncated(p)
		}
		b.WriteRune(r)
		p = p[size:]
	}
	return b.String()
}

// truncated returns how many bytes of p, which begins with no whole character, begin one: at least 1.
func truncated(p string) int {
	size := 1
	if utf8.FullRuneInString(p[:1]) {
		return size
	}
	for size < len(p) && !utf8.FullRuneInString(p[:size+1]) {
		size++
	}
	return size
}
