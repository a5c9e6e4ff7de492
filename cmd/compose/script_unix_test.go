//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

func makeFIFO(name string) error { return syscall.Mkfifo(name, 0o644) }

func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }
