package main

import (
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// update is a durable, verified change of a folder.
type update struct {
	old, root, repository, blobs, removed, new string
}

const (
	marker  = "/.marker"
	written = ".written" // behind the name of a file that waits for its rename
)

func (u update) run() error {
	if u.old != "-" {
		if err := check(u.old, u.root); err != nil {
			return err
		}
	}
	removed, err := lines(u.removed)
	if err != nil {
		return err
	}
	paths, err := u.write()
	if err != nil {
		return err
	}
	if err := flush(u.root); err != nil {
		return err
	}
	if err := writeFile(u.root+marker, []byte("changing\n")); err != nil {
		return err
	}
	for _, name := range []string{u.root + marker, u.root} {
		if err := flushOne(name); err != nil {
			return err
		}
	}
	err = onAllCores(len(paths)+len(removed), func(i int, _ []byte) error {
		if i < len(paths) {
			return rename(u.root+"/"+paths[i]+written, u.root+"/"+paths[i])
		}
		return remove(u.root + "/" + removed[i-len(paths)])
	})
	if err != nil {
		return err
	}
	if err := flush(u.root); err != nil {
		return err
	}
	if err := check(u.new, u.root); err != nil {
		return err
	}
	if err := remove(u.root + marker); err != nil {
		return err
	}
	return flushOne(u.root)
}

// write puts what git gives beside the files that it is for, and returns their paths.
func (u update) write() (paths []string, err error) {
	type file struct {
		path    string
		content []byte
	}
	files := make(chan file, 16)
	var failed atomic.Pointer[error]
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for f := range files {
				if err := writeFile(u.root+"/"+f.path+written, f.content); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	made := map[string]bool{}
	err = readBlobs(u.repository, u.blobs, func(path string, content []byte) {
		if dir := filepath.Dir(path); !made[dir] {
			made[dir] = true
			if err := makeFolders(u.root + "/" + dir); err != nil {
				failed.Store(&err)
			}
		}
		paths = append(paths, path)
		files <- file{path, content}
	})
	close(files)
	wait.Wait()
	if failure := failed.Load(); err == nil && failure != nil {
		err = *failure
	}
	return paths, err
}
