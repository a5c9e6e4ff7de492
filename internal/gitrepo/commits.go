package gitrepo

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
)

// Commits reads many commits of a history, for one goroutine. Replace refs, grafts and the boundary of a shallow clone
// do not change what a commit says.
type Commits struct {
	repo    *Repository
	reader  *commitReader
	shallow map[ID]bool
}

// Commits returns a reader. READ_FAILED: the list of a shallow clone's boundary can't be read.
func (r *Repository) Commits() (*Commits, error) {
	shallow, err := r.shallowCommits()
	if err != nil {
		return nil, err
	}
	return &Commits{repo: r, reader: newCommitReader(r), shallow: shallow}, nil
}

// Commit is what a commit says of others.
type Commit struct {
	Tree    ID
	Parents []ID  // valid until the next call
	Date    int64 // of the committer, in seconds; 0 where it can't be read
}

// Read returns a commit. READ_FAILED: it is missing, is damaged, or is no commit.
func (c *Commits) Read(ctx context.Context, id ID) (Commit, error) {
	if err := ctx.Err(); err != nil {
		return Commit{}, err
	}
	content := c.reader.readPacked(id)
	if content == nil {
		var err error
		content, err = c.reader.readAnywhere(ctx, id)
		if errors.Is(err, errMissing) {
			err = c.repo.readFault(id, err)
		}
		if err != nil {
			return Commit{}, err
		}
	}
	parents, date, err := parseParents(c.reader.parents[:0], content)
	c.reader.parents = parents
	if err != nil {
		return Commit{}, malformed(id, plumbing.CommitObject, err)
	}
	commit := Commit{Parents: parents, Date: date}
	hex.Decode(commit.Tree[:], content[len("tree "):len("tree ")+2*len(ID{})]) // parseParents has looked at it
	return commit, nil
}

// Boundary reports whether a shallow clone has a commit without its parents.
func (c *Commits) Boundary(id ID) bool { return c.shallow[id] }
