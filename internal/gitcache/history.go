package gitcache

import (
	"context"
	"slices"

	"example.org/compose/lockv2"
)

// IsAncestor makes the commits be there that tell whether old is of itself or is reached from it through parents, and returns the
// answer.
//
// OLD_SOURCE_REVISION_UNAVAILABLE: the server does not have old, or it is not in the cache and the network is off limits. Other errors
// are those of Bind and of gitrepo's IsAncestor.
func (s *Source) IsAncestor(ctx context.Context, old, of lockv2.Revision) (bool, error) {
	descends, err := s.repo.IsAncestor(ctx, old, of)
	if !isCode(err, CodeOldSourceRevisionUnavailable) || !old.Valid() {
		return descends, err
	}
	if s.cache.opts.Offline {
		return false, fault(CodeOldSourceRevisionUnavailable, string(old),
			"the history that tells whether %s descends from it is not in the cache, and --offline forbids to fetch it; run the command without it", of)
	}
	if err := s.fetching(ctx, "history", func() error { return s.fetchBoth(ctx, old, of) }); err != nil {
		return false, err
	}
	descends, err = s.repo.IsAncestor(ctx, old, of)
	if !isCode(err, CodeOldSourceRevisionUnavailable) {
		return descends, err
	}
	switch err := s.cutOff(ctx, []tip{{id: id(of), commit: of}}); {
	case isCode(err, CodeResponseInvalid):
		return false, faultOf(CodeOldSourceRevisionUnavailable, string(old), "whether the source's revision descends from it can't be told", err)
	case err != nil:
		return false, err
	}
	return false, fault(CodeOldSourceRevisionUnavailable, string(old), "the server has no such commit, or no branch and no tag of %s leads to it: the history was rewritten, or the lock is of another source; "+
		"ask who keeps the catalog to publish the commit again", s.entry.url)
}

// fetchBoth fetches the history of both revisions.
func (s *Source) fetchBoth(ctx context.Context, old, of lockv2.Revision) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	tips := []tip{{id: id(of), commit: of}}
	if !s.filters() {
		tips = s.tips()
	}
	if err := s.fetchTips(ctx, tips); err != nil {
		return err
	}
	if _, here, err := s.repo.KindOf(ctx, id(old)); here || err != nil || !s.able.AnyObject {
		return err
	}
	// That it is on no branch any more does not make it unknown: the answer is no then, and not that it can't be told.
	if err := s.fetchTips(ctx, []tip{{id: id(old), commit: old}}); !isCode(err, CodeInvalidRevision) {
		return err
	}
	return nil
}

// ProvideAncestor makes what a catalog is read from be there at an ancestor of the bound revision, which is as published as that
// is. Errors are those of Bind.
func (s *Source) ProvideAncestor(ctx context.Context, old lockv2.Revision, folders []string) error {
	if slices.Contains(s.state.revisions, old) {
		return nil
	}
	return s.fetching(ctx, "the revision "+string(old), func() error {
		if err := s.connect(ctx); err != nil {
			return err
		}
		if s.filters() {
			if err := s.fetchFiles(ctx, old, folders); err != nil {
				return err
			}
		} else {
			if err := s.fetchTips(ctx, s.tips()); err != nil {
				return err
			}
			if err := s.checkFiles(ctx, old, folders); err != nil {
				return err
			}
		}
		addTo(&s.state.revisions, maxRevisions, old)
		return s.save()
	})
}
