package gitrepo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// openPlain opens a regular file. A FIFO or a device in its place neither blocks nor is read.
func openPlain(path string) (*os.File, error) {
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

// readSmall reads a regular file of at most limit bytes.
func readSmall(path string, limit int64) ([]byte, error) {
	file, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readLimited(file, limit)
}

func readLimited(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errors.New("larger than " + strconv.FormatInt(limit, 10) + " bytes")
	}
	return text, err
}

// isNotFolder reports whether a parent in the path is no folder.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// causeOf drops the path of a system error: the *Error around it names the place in the reader's terms.
func causeOf(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
