//go:build !unix

package main

import (
	"io"
	"os"
)

// file is an open file. Such systems have no calls below those of os that would tell a limit.
type file struct{ *os.File }

func openFile(path string) (file, error) {
	f, err := os.Open(path)
	return file{f}, err
}

func (f file) read(buffer []byte) (int, error) {
	n, err := f.Read(buffer)
	if n == 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (f file) close() { _ = f.Close() } // it was only read

func writeFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync() // each by itself: nothing flushes a file system
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

func makeFolders(path string) error { return os.MkdirAll(path, 0o755) }
func rename(from, to string) error  { return os.Rename(from, to) }
func remove(path string) error      { return os.Remove(path) }
func flushOne(string) error         { return nil } // folders can't be flushed
func flush(string) error            { return nil }
