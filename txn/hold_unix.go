//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package txn

import (
	"errors"
	"os"

	"example.org/compose/internal/filelock"
)

// hold takes the kernel's exclusive lock on an open folder without waiting; errHeld where another has it. It goes
// away with the open folder, so with its process.
func hold(folder *os.File) (release func(), err error) {
	err = filelock.Try(folder, filelock.Exclusive)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, errHeld
	}
	return func() {}, err
}
