// Package starter holds the catalog inside the binary, builtin:starter: its sources as plain files
// below revisions/, and the deterministic git repository that is made from them in memory.
//
// Start with Repository; Revisions names its history. revisions/1 is a whole catalog in the layout of
// docs/catalog.md. Each later folder holds only what that revision adds or changes, and removed.txt, one
// path a line, what it takes away. A source whose name ends in .sh is executable. Go sources are named
// *.go.txt, so that this module's own go commands pass them by; where a material goes is said by its
// descriptor, not by the name of its source.
//
// The same sources give the same object ids on every machine: author, dates and messages are fixed, and no
// clock, configuration or git program is asked. A test pins the ids. docs/starter.md describes the catalog.
package starter

import (
	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// The validator that the catalog supplies is written by `go generate ./internal/bundle`, before this:
//
//go:generate go test . -run TestLockSchemaIsCurrent -update
//go:generate go test . -run TestRevisionsArePinned -update

// Location is the --source that names this catalog, Identity the repository that locks made from it name.
const (
	Location = "builtin:starter"
	Identity = "compose/starter"
)

// Repository returns the repository; its HEAD is the latest revision. Each call makes a new one.
func Repository() (*gitrepo.Repository, error) {
	s, commits, err := build()
	if err != nil {
		return nil, err
	}
	return gitrepo.InMemory(s, revision(commits[len(commits)-1])), nil
}

// Revisions returns the history, the oldest first.
func Revisions() ([]lockv2.Revision, error) {
	_, commits, err := build()
	if err != nil {
		return nil, err
	}
	list := make([]lockv2.Revision, len(commits))
	for i, id := range commits {
		list[i] = revision(id)
	}
	return list, nil
}

func revision(id plumbing.Hash) lockv2.Revision { return lockv2.Revision(id.String()) }
