package gitrepo

import (
	"context"
	"errors"

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

// MissingAncestor returns a commit that is not here, of tip and all from which tip descends; the zero ID where all are. READ_FAILED: one
// is damaged, or no commit.
func (r *Repository) MissingAncestor(ctx context.Context, tip ID) (ID, error) {
	commits := newCommitReader(r)
	seen := map[ID]bool{tip: true}
	for next := []ID{tip}; len(next) > 0; {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		parents, _, err := commits.read(ctx, id)
		if errors.Is(err, errMissing) {
			return id, nil
		}
		if err != nil {
			return ID{}, err
		}
		for _, parent := range parents {
			if !seen[parent] {
				seen[parent] = true
				next = append(next, parent)
			}
		}
	}
	return ID{}, nil
}
