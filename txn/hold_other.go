//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package txn

import (
	"errors"
	"os"
)

// hold has nothing to lock with on this system.
func hold(*os.File) (release func(), err error) { return nil, errors.ErrUnsupported }
