//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// file is an open file without what os.File adds.
type file int

func openFile(path string) (file, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return file(fd), nil
}

func (f file) read(buffer []byte) (int, error) { return unix.Read(int(f), buffer) }
func (f file) close()                          { _ = unix.Close(int(f)) } // it was only read

func writeFile(path string, content []byte) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return &os.PathError{Op: "create", Path: path, Err: err}
	}
	for len(content) > 0 && err == nil {
		var n int
		n, err = unix.Write(fd, content)
		content = content[max(n, 0):]
	}
	if closing := unix.Close(fd); err == nil {
		err = closing
	}
	return err
}

func makeFolders(path string) error { return os.MkdirAll(path, 0o755) }
func rename(from, to string) error  { return unix.Rename(from, to) }
func remove(path string) error      { return unix.Unlink(path) }
func flushOne(path string) error    { return on(path, unix.Fsync) }

// on opens a file or folder for one call.
func on(path string, do func(int) error) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	err = do(fd)
	if closing := unix.Close(fd); err == nil {
		err = closing
	}
	return err
}
