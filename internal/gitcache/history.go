package gitcache

import (
	"context"

	"example.org/compose/internal/gitwire"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// IsAncestor makes the commits be there that tell whether old is of itself or is reached from it through parents, and returns the
// answer.
//
// OLD_SOURCE_REVISION_UNAVAILABLE: the server does not have old, or it is not in the cache and the network is off limits. Other errors
// are those of Bind and of gitrepo's IsAncestor.
func (s *Source) IsAncestor(ctx context.Context, old, of lockv2.Revision) (bool, error) {
	descends, err := s.repo.IsAncestor(ctx, old, of)
	if isCode(err, CodeOldSourceRevisionUnavailable) && old.Valid() {
		if s.cache.opts.Offline {
			return false, fault(CodeOldSourceRevisionUnavailable, string(old),
				"the history that tells whether %s descends from it is not in the cache, and --offline forbids to fetch it; run the command without it", of)
		}
		if err := s.fetching(ctx, "history", func() error { return s.fetchBoth(ctx, old, of) }); err != nil {
			return false, err
		}
		if descends, err = s.repo.IsAncestor(ctx, old, of); isCode(err, CodeOldSourceRevisionUnavailable) {
			return false, damaged(s.entry.url, "the history of "+string(of)+" is no longer whole in the cache")
		}
	}
	return descends, err
}

// fetchBoth fetches the history of both revisions.
func (s *Source) fetchBoth(ctx context.Context, old, of lockv2.Revision) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	if !s.filters() {
		if err := s.fetchTips(ctx, s.tips()); err != nil {
			return err
		}
		return s.goneUnlessHere(ctx, old)
	}
	if err := s.fetchTips(ctx, []tip{{id(of), of}}); err != nil {
		return err
	}
	if _, err := s.repo.Commit(ctx, old); err == nil {
		return nil
	}
	err := s.fetchTips(ctx, []tip{{id(old), old}})
	if isCode(err, CodeInvalidRevision) {
		return s.goneUnlessHere(ctx, old)
	}
	return err
}

// goneUnlessHere says that a revision of an earlier run is on the server no longer.
func (s *Source) goneUnlessHere(ctx context.Context, old lockv2.Revision) error {
	if _, err := s.repo.Commit(ctx, old); !isCode(err, CodeInvalidRevision) {
		return err
	}
	return fault(CodeOldSourceRevisionUnavailable, string(old), "the server has no such commit, or no branch and no tag of %s leads to it: the history was rewritten, or the lock is of another source; "+
		"ask who keeps the catalog to publish the commit again", s.entry.url)
}

// ProvideAncestor makes what a catalog is read from be there at an ancestor of the bound revision, which is as published as that
// is. Errors are those of Bind.
func (s *Source) ProvideAncestor(ctx context.Context, old lockv2.Revision, folders []string) error {
	if has(s.state.revisions, old) {
		return nil
	}
	return s.fetching(ctx, "the revision "+string(old), func() error {
		if err := s.connect(ctx); err != nil {
			return err
		}
		if s.filters() {
			ask := gitwire.Request{Wants: []plumbing.Hash{id(old)}, Filter: gitwire.NoBlobs, Depth: 1}
			if err := s.fetch(ctx, "trees", ask); err != nil {
				return err
			}
			if err := s.fetchBlobs(ctx, old, folders); err != nil {
				return err
			}
		} else if err := s.fetchTips(ctx, s.tips()); err != nil {
			return err
		}
		addTo(&s.state.revisions, old)
		return s.entry.writeState(s.state)
	})
}
