package scaffold

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/filelock"
	"example.org/compose/internal/plainfile"
)

// staging is where files are whole before they get their names. What a killed run leaves there the next one clears away, and
// until then git does not see it: a run that is killed at its very end is not repeated.
const (
	staging = ".compose-new"
	ignored = staging + "/.gitignore"
)

// Written says what Write did; each list in the order of the files.
type Written struct {
	Created  []string
	Kept     []string // were there, with the same bytes
	Replaced []string
}

// Write brings files into the folder dir, which it makes where there is none: all of them, or, on any error, none. It
// overwrites nothing but what a file says it replaces, follows no symlink below dir, and adopts a file that is there with
// the same bytes, so that a run which was killed is finished by the same call. Files that replace others come last in what
// others can see: an index names nothing that is not there.
//
// Errors, *Error: FILE_EXISTS for what is in the way, READ_FAILED, WRITE_FAILED; or ctx's.
func Write(ctx context.Context, dir string, files []File) (written Written, err error) {
	w := &writer{ctx: ctx, dir: dir}
	defer func() {
		if err != nil {
			written = Written{}
			w.undo()
		}
		w.close()
	}()
	if err := w.open(); err != nil {
		return Written{}, err
	}
	work, err := w.look(files, &written)
	if err != nil {
		return Written{}, err
	}
	if err := w.stage(work); err != nil {
		return Written{}, err
	}
	for i, file := range work {
		if file.Replaces != nil {
			written.Replaced = append(written.Replaced, file.Path)
		} else {
			written.Created = append(written.Created, file.Path)
		}
		if err := w.install(i, file); err != nil {
			return Written{}, err
		}
	}
	return written, nil
}

// writer is one Write at work. Its steps note what they made, so that undo can take it back.
type writer struct {
	ctx     context.Context
	dir     string
	made    []string // folders above and with dir, the outermost first
	root    *os.Root
	lock    *os.File
	staged  bool     // staging is there, and this run's
	folders []string // made below dir
	files   []installed
}

type installed struct {
	path string
	info fs.FileInfo // of what was installed
}

// failed is err as what a person is told. A context that ended stays what it is.
func (w *writer) failed(name string, err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return &Error{diag.Wrap(CodeWriteFailed, filepath.Join(w.dir, filepath.FromSlash(name)), "can't be written; nothing was changed", plainfile.Cause(err))}
}

// open opens dir, which it makes where there is none.
func (w *writer) open() error {
	for name := filepath.Clean(w.dir); ; name = filepath.Dir(name) {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) || name == filepath.Dir(name) {
			break
		}
		w.made = append(w.made, name)
	}
	slices.Reverse(w.made)
	for i, name := range w.made {
		if err := os.Mkdir(name, 0o777); err != nil {
			w.made = w.made[:i]
			return w.failed("", err)
		}
	}
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return w.failed("", err)
	}
	w.root = root
	if w.lock, err = root.Open("."); err != nil {
		return w.failed("", err)
	}
	if err := filelock.Try(w.lock, filelock.Exclusive); errors.Is(err, filelock.ErrHeld) { // a system without such locks goes on
		return fault(CodeWriteFailed, w.dir, "another compose is at work in this folder; try again when it is done")
	}
	return nil
}

// step ends the run where its context has ended: between any two calls.
func (w *writer) step(err error) error {
	if err == nil {
		err = w.ctx.Err()
	}
	return err
}

// look returns the files that have to be written, those that replace others last, and refuses what is in the way.
func (w *writer) look(files []File, written *Written) (work []File, err error) {
	var obstacles []string
	for _, file := range files {
		there, problem, err := w.there(file.Path)
		switch {
		case err != nil:
			return nil, w.failed(file.Path, err)
		case problem == "" && there != nil && bytes.Equal(there, file.Content):
			written.Kept = append(written.Kept, file.Path)
			continue
		case problem == "" && there != nil && file.Replaces == nil:
			problem = strconv.Quote(file.Path) + " is there"
		case problem == "" && !bytes.Equal(there, file.Replaces):
			return nil, w.changed(file.Path)
		}
		if problem != "" {
			obstacles = append(obstacles, problem)
		}
		work = append(work, file)
	}
	if len(obstacles) > 0 {
		const most = 10
		if n := len(obstacles) - most; n > 0 {
			obstacles = append(obstacles[:most], strconv.Itoa(n)+" more")
		}
		return nil, fault(CodeFileExists, w.dir, "holds what would be overwritten, so nothing was written: %s; move it away, or choose another place", strings.Join(obstacles, ", "))
	}
	slices.SortStableFunc(work, func(a, b File) int { return rank(a) - rank(b) })
	return work, w.step(nil)
}

func rank(f File) int {
	if f.Replaces != nil {
		return 1
	}
	return 0
}

func (w *writer) changed(name string) error {
	return fault(CodeFileExists, filepath.Join(w.dir, filepath.FromSlash(name)), "changed while the command ran; nothing was written: run it again")
}

// there returns the bytes of the file at a path; nil where there is none. problem says what else is there or on the way.
func (w *writer) there(name string) (content []byte, problem string, err error) {
	for at := range upTo(name) {
		info, err := w.root.Lstat(at)
		switch {
		case plainfile.IsMissing(err):
			return nil, "", nil
		case err != nil:
			return nil, "", err
		case at != name && !info.IsDir():
			return nil, strconv.Quote(at) + " is no folder", nil
		case at == name && !info.Mode().IsRegular():
			return nil, strconv.Quote(at) + " is there and no regular file", nil
		case at == name && info.Size() > catalog.MaxFile: // nothing of that size is written here
			return nil, strconv.Quote(at) + " is there", nil
		}
	}
	file, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	content, err = plainfile.ReadAll(file, catalog.MaxFile)
	if content == nil && err == nil {
		content = []byte{}
	}
	return content, "", err
}

// upTo yields the folders on the way to a path, the outermost first, and the path.
func upTo(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range name {
			if name[i] == '/' && !yield(name[:i]) {
				return
			}
		}
		yield(name)
	}
}

// stage writes the files whole, where nobody looks.
func (w *writer) stage(work []File) error {
	if len(work) == 0 {
		return nil
	}
	err := w.root.Mkdir(staging, 0o777)
	if errors.Is(err, fs.ErrExist) { // of a run that was killed: nobody else is at work here
		if err = w.clear(); err == nil {
			err = w.root.Mkdir(staging, 0o777)
		}
	}
	w.staged = err == nil
	if err == nil {
		err = w.create(ignored, []byte("*\n"))
	}
	if err := w.step(err); err != nil {
		return w.failed(staging, err)
	}
	for i, file := range work {
		if err := w.step(w.create(stagedName(i), file.Content)); err != nil {
			return w.failed(file.Path, err)
		}
	}
	return nil
}

func stagedName(i int) string { return staging + "/" + strconv.Itoa(i) }

// create writes a new file and has the disk confirm it.
func (w *writer) create(name string, content []byte) error {
	file, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// install gives the staged file i its name.
func (w *writer) install(i int, file File) error {
	for at := range upTo(file.Path) {
		if at == file.Path {
			break
		}
		switch err := w.root.Mkdir(at, 0o777); {
		case err == nil:
			w.folders = append(w.folders, at)
		case !errors.Is(err, fs.ErrExist):
			return w.failed(file.Path, err)
		}
	}
	if file.Replaces != nil {
		there, problem, err := w.there(file.Path)
		if err != nil {
			return w.failed(file.Path, err)
		}
		if problem != "" || !bytes.Equal(there, file.Replaces) {
			return w.changed(file.Path)
		}
		info, err := w.root.Lstat(file.Path)
		if err == nil {
			err = w.root.Chmod(stagedName(i), info.Mode().Perm())
		}
		if err := w.step(err); err != nil {
			return w.failed(file.Path, err)
		}
		if err := w.root.Rename(stagedName(i), file.Path); err != nil {
			return w.failed(file.Path, err)
		}
		return nil
	}
	err := w.root.Link(stagedName(i), file.Path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		err = w.create(file.Path, file.Content)
	}
	if errors.Is(err, fs.ErrExist) {
		return fault(CodeFileExists, filepath.Join(w.dir, filepath.FromSlash(file.Path)), "appeared while the command ran; nothing was written: run it again")
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = w.root.Lstat(file.Path); err == nil {
			w.files = append(w.files, installed{file.Path, info})
		}
	}
	if err := w.step(err); err != nil {
		return w.failed(file.Path, err)
	}
	return nil
}

// undo takes back what was made. What somebody else put in its place meanwhile stays, and so does a folder with something in it.
func (w *writer) undo() {
	for _, file := range w.files {
		if info, err := w.root.Lstat(file.path); err == nil && os.SameFile(info, file.info) {
			_ = w.root.Remove(file.path) // the error that led here is the one to tell
		}
	}
	for _, name := range slices.Backward(w.folders) {
		_ = w.root.Remove(name)
	}
}

// clear removes staging and the files that stage puts there.
func (w *writer) clear() error {
	folder, err := w.root.Open(staging)
	if err != nil {
		return err
	}
	names, err := folder.Readdirnames(-1)
	folder.Close()
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := strconv.Atoi(name); err != nil {
			continue
		}
		if err := w.root.Remove(staging + "/" + name); err != nil {
			return err
		}
	}
	if err := w.root.Remove(ignored); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return w.root.Remove(staging)
}

// close removes staging, and the folders above where nothing was installed in them.
func (w *writer) close() {
	if w.staged {
		_ = w.clear() // what stays is cleared by the next run
	}
	if w.lock != nil {
		w.lock.Close()
	}
	if w.root != nil {
		w.root.Close()
	}
	for _, name := range slices.Backward(w.made) {
		if os.Remove(name) != nil {
			break // it has something in it, which is as it should be
		}
	}
}
