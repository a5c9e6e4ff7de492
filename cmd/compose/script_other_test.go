//go:build !unix

package main

import (
	"errors"
	"io/fs"
)

func makeFIFO(string) error { return errors.New("no FIFO here") }

func inode(fs.FileInfo) uint64 { return 0 }
