// Package filelock takes the kernel's advisory lock on an open file or folder. The lock goes away with the open
// file, so with its process: nothing is ever left to clean up.
package filelock

import "errors"

// ErrHeld says that another process, or another open file of this one, has the lock.
var ErrHeld = errors.New("held by another process")

// Kind says who may hold a lock at the same time.
type Kind int

// The kinds of a lock.
const (
	Shared    Kind = iota // with other shared ones
	Exclusive             // alone
)
