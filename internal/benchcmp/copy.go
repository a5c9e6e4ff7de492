package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// copyFolder copies files, folders and links, with modes and times of files.
func copyFolder(from, to string) error {
	names := make(chan string, 64)
	errs := make(chan error, runtime.NumCPU())
	var wait sync.WaitGroup
	for range runtime.NumCPU() {
		wait.Go(func() {
			var first error
			for name := range names {
				if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); first == nil {
					first = err
				}
			}
			errs <- first
		})
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, name), 0o755)
		}
		names <- name
		return nil
	})
	close(names)
	wait.Wait()
	for range runtime.NumCPU() {
		if failed := <-errs; err == nil {
			err = failed
		}
	}
	return err
}

func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		leads, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(leads, to)
	}
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, info.Mode().Perm())
	}
	if err == nil {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	return err
}
