//go:build unix

package targettest

import "syscall"

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o644) }
