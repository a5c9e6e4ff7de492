//go:build !windows

package main

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// newPending makes a file for the place of name, with the permissions of what is there.
func newPending(name string) (pending, error) {
	return renameio.NewPendingFile(name, renameio.WithTempDir(filepath.Dir(name)), renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
}
