//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package filelock

import (
	"errors"
	"os"
)

// Try has nothing to lock with on this system.
func Try(*os.File, Kind) error { return errors.ErrUnsupported }
