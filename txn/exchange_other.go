//go:build !linux && !darwin

package txn

import (
	"errors"
	"os"
)

// exchange is not there: no call of these systems swaps two names.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
