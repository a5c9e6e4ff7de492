package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes a lock on the first byte of f, which must be a file, without waiting. ErrHeld: somebody else has it. Any other
// error: the file system has no locks.
func Try(f *os.File, kind Kind) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if kind == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}
