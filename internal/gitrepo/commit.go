package gitrepo

import (
	"context"
	"errors"
	"slices"

	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// CommitObject returns the exact bytes of a commit, signature and all. Errors are those of Commit.
func (r *Repository) CommitObject(ctx context.Context, rev lockv2.Revision) ([]byte, error) {
	if _, err := r.Commit(ctx, rev); err != nil {
		return nil, err
	}
	return r.read(ctx, plumbing.NewHash(string(rev)), plumbing.CommitObject, maxCommitBytes)
}

// MissingAncestor returns a commit that is not here, of tips and all from which they descend; the zero ID where all are. What lies
// behind known commits is not looked at. READ_FAILED: one is damaged, or no commit.
func (r *Repository) MissingAncestor(ctx context.Context, tips []ID, known map[ID]bool) (ID, error) {
	commits := newCommitReader(r)
	seen := map[ID]bool{}
	next := slices.Clone(tips)
	for len(next) > 0 {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[id] || known[id] {
			continue
		}
		seen[id] = true
		parents, _, err := commits.read(ctx, id)
		if errors.Is(err, errMissing) {
			return id, nil
		}
		if err != nil {
			return ID{}, err
		}
		next = append(next, parents...)
	}
	return ID{}, nil
}
