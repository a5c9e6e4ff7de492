package gitpack

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"example.org/compose/internal/plainfile"
)

// This file is all of the package that writes.

// temporary are a pack and its index under names that no reader looks at.
type temporary struct {
	folder      string
	pack, index *part
}

// part is one of the two files.
type part struct {
	file      *os.File
	installed bool
}

// newTemporary makes both files in folder. Discard them.
func newTemporary(folder string) (*temporary, error) {
	t := &temporary{folder: folder}
	for _, p := range [...]struct {
		part    **part
		pattern string
	}{{&t.pack, "tmp-*.pack"}, {&t.index, "tmp-*.idx"}} {
		file, err := os.CreateTemp(folder, p.pattern)
		if err != nil {
			t.discard()
			return nil, writeFault(folder, err)
		}
		*p.part = &part{file: file}
	}
	return t, nil
}

func writeFault(path string, err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return faultOf(CodeWriteFailed, path, "the pack can't be written; make room or mend permissions there, then run the same command again", plainfile.Cause(err))
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if err != nil {
		err = writeFault(p.file.Name(), err)
	}
	return n, err
}

// discard removes what was not installed. A crash before it leaves files with names that begin with "tmp-".
func (t *temporary) discard() {
	for _, p := range [...]*part{t.pack, t.index} {
		if p != nil && !p.installed {
			p.file.Close()
			os.Remove(p.file.Name())
		}
	}
}

// install gives both files their names, once their contents are on the disk, the index last: a pack without one
// is nothing to a reader. After a crash between the two the pack is there alone.
func (t *temporary) install(name string) error {
	for _, p := range [...]*part{t.pack, t.index} {
		if err := p.finish(); err != nil {
			return writeFault(p.file.Name(), err)
		}
	}
	base := filepath.Join(t.folder, name)
	if err := t.pack.rename(base + ".pack"); err != nil {
		return writeFault(base+".pack", err)
	}
	// The folder's entry of the pack is on the disk before that of the index can be.
	if err := syncFolder(t.folder); err != nil {
		return writeFault(t.folder, err)
	}
	if err := t.index.rename(base + ".idx"); err != nil {
		return writeFault(base+".idx", err)
	}
	if err := syncFolder(t.folder); err != nil {
		return writeFault(t.folder, err)
	}
	return nil
}

// finish flushes and closes the file, which nobody is to write to any more, as in git.
func (p *part) finish() error {
	if err := p.file.Sync(); err != nil {
		return err
	}
	if err := p.file.Close(); err != nil {
		return err
	}
	return os.Chmod(p.file.Name(), 0o444)
}

// rename installs the file. Windows refuses to replace one that is read-only or that somebody has open: the first is
// removed, and of the second the name says what is in it, so that it may stay if that is true.
func (p *part) rename(path string) error {
	err := os.Rename(p.file.Name(), path)
	if err != nil && runtime.GOOS == "windows" {
		if same, _ := sameContents(p.file.Name(), path); same {
			return nil // discard removes what is left
		}
		os.Chmod(path, 0o644)
		os.Remove(path)
		err = os.Rename(p.file.Name(), path)
	}
	p.installed = err == nil
	return err
}

// sameContents compares two files.
func sameContents(a, b string) (bool, error) {
	var files [2]*os.File
	for i, path := range [...]string{a, b} {
		file, err := plainfile.Open(path)
		if err != nil {
			return false, err
		}
		defer file.Close()
		files[i] = file
	}
	var bufs [2][64 << 10]byte
	for {
		n, errA := io.ReadFull(files[0], bufs[0][:])
		m, errB := io.ReadFull(files[1], bufs[1][:])
		switch {
		case !bytes.Equal(bufs[0][:n], bufs[1][:m]):
			return false, nil
		case errA == io.EOF || errA == io.ErrUnexpectedEOF:
			return errA == errB, nil
		case errA != nil || errB != nil:
			return false, errors.Join(errA, errB)
		}
	}
}

// syncFolder flushes the entries of a folder, where the system can.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
