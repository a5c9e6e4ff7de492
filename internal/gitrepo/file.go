package gitrepo

import (
	"errors"
	"syscall"
)

// isNotFolder reports whether a parent in the path is no folder.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
