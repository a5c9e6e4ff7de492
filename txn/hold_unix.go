//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package txn

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold takes the kernel's exclusive lock on an open folder without waiting; errHeld where another has it. It goes
// away with the open folder, so with its process.
func hold(folder *os.File) (release func(), err error) {
	for {
		err := unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return nil, errHeld
		case err != nil:
			return nil, err
		}
		return func() {}, nil
	}
}
