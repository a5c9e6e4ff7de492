// Package plainfile opens files that somebody else wrote: a FIFO, a device or a folder in the place of a file
// neither blocks nor is read, and what is read is bounded.
package plainfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// Open opens a regular file. The caller closes it.
func Open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		what := "is not a regular file"
		if info.IsDir() {
			what = "is a folder"
		}
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New(what)}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Read reads a regular file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAll(file, limit)
}

// ReadAll reads to the end of r, and fails where that is past limit bytes.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errors.New("larger than " + strconv.FormatInt(limit, 10) + " bytes")
	}
	return text, err
}

// IsMissing reports whether err says that there is no such file, or that a parent in its path is no folder.
func IsMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Cause drops the calls and names that os adds to an error: a message names the place in its reader's terms.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return Cause(path.Err)
	case errors.As(err, &link):
		return Cause(link.Err)
	case errors.As(err, &call):
		return Cause(call.Err)
	}
	return err
}
