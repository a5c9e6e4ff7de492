package txn

import (
	"errors"

	"golang.org/x/sys/windows"
)

// inUse reports whether another program has the file open in a way that forbids the call.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
