package catalog

import (
	"context"
	"fmt"

	"example.org/compose/lockv2"
)

// CheckDescends makes sure that the bound revision is old or descends from it, in the source's own history: old is
// the revision of a lock that is to move forward. Of a URL, the history is fetched where the cache lacks it.
//
// OLD_SOURCE_REVISION_UNAVAILABLE: old is not in the source, or is no commit, or what lies between is not there, as
// in a shallow clone. SOURCE_REVISION_NOT_DESCENDANT: old is there, and the bound revision does not descend from it.
// READ_FAILED: a commit is damaged or can't be read.
func (s *Source) CheckDescends(ctx context.Context, old lockv2.Revision) error {
	descends, err := s.isAncestor(ctx, old)
	if err != nil || descends {
		return err
	}
	// Which of the two is ahead decides what to do. Where that can't be told, the message only says less.
	behind, err := s.repo.IsAncestor(ctx, s.revision, old)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if behind {
		return s.notDescendant("the source is at an earlier revision than the lock, %s; update the source, or name that revision or a later one", old).
			withHint("--revision " + string(old))
	}
	return s.notDescendant("does not descend from the lock's revision %s; name a revision that does, or merge the two histories in the source", old).
		withHint(s.repo.GitCommand(fmt.Sprintf("log --oneline --graph %s %s", old, s.revision)))
}

func (s *Source) isAncestor(ctx context.Context, old lockv2.Revision) (bool, error) {
	if s.remote != nil {
		return s.remote.IsAncestor(ctx, old, s.revision)
	}
	return s.repo.IsAncestor(ctx, old, s.revision)
}

func (s *Source) notDescendant(format string, old lockv2.Revision) *Error {
	return fault(CodeSourceRevisionNotDescendant, string(s.revision), "", format, old)
}
