// Package gitlocal gives out refs and objects of a repository on disk as a server does, so that file:// is a source like any other.
// No program runs.
package gitlocal

import (
	"context"

	"example.org/compose/internal/gitwire"
)

// Open opens the repository at path. Close it.
func Open(ctx context.Context, path string) (gitwire.Remote, error) { panic("to be written") }
