package gitcache

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"example.org/compose/internal/gitpack"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/gitwire"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxHaves = 256    // commits named to a server as being here; more than enough to find a common one
	maxWants = 20_000 // objects asked for at once
	maxTips  = 50_000 // branches and tags that are looked at for a revision
)

// connect reaches the server and lists its branches and tags, once.
func (s *Source) connect(ctx context.Context) error {
	if s.remote != nil {
		return nil
	}
	remote, err := s.cache.Connect(ctx, s.entry.url)
	if err != nil {
		return err
	}
	if s.refs, err = remote.Refs(ctx, "HEAD", "refs/heads/", "refs/tags/"); err == nil {
		s.able, err = remote.Can(ctx)
	}
	if err != nil {
		remote.Close()
		return err
	}
	s.remote = remote
	return nil
}

// filters reports whether the server sends parts: then single objects are asked for.
func (s *Source) filters() bool { return s.able.Filter && s.able.AnyObject }

// tip is a branch or a tag of the server.
type tip struct {
	id     plumbing.Hash   // as the ref has it, which every server gives out
	commit lockv2.Revision // what it leads to
	tag    bool            // it may lead to a tree or a blob
}

// tips returns the branches and tags, that of HEAD first, each commit once.
func (s *Source) tips() []tip {
	var list []tip
	seen := map[lockv2.Revision]bool{}
	for _, ref := range s.refs { // HEAD comes first
		t := tip{ref.ID, leadsTo(ref), strings.HasPrefix(ref.Name, "refs/tags/")}
		if ref.ID.IsZero() || seen[t.commit] { // an unborn HEAD has no id
			continue
		}
		seen[t.commit] = true
		list = append(list, t)
	}
	return list
}

// fetchRevision fetches what a catalog at a revision is read from, once a branch or a tag is known to lead to it.
func (s *Source) fetchRevision(ctx context.Context, revision lockv2.Revision, folders []string) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	for _, ref := range s.refs {
		if ref.ID == id(revision) && !ref.Peeled.IsZero() {
			return fault(CodeInvalidRevision, string(revision), "is the id of the annotated tag %q, which leads to %s; name that, if it is a commit", ref.Name, ref.Peeled).
				withHint("--revision " + ref.Peeled.String())
		}
	}
	at := slices.IndexFunc(s.tips(), func(t tip) bool { return t.commit == revision })
	if at < 0 {
		if err := s.fetchHistoryOf(ctx, revision); err != nil {
			return err
		}
	}
	switch {
	case s.filters():
		return s.fetchFiles(ctx, revision, folders)
	case at >= 0:
		if err := s.fetch(ctx, "the revision", gitwire.Request{Wants: []plumbing.Hash{s.tips()[at].id}, Depth: 1}); err != nil {
			return err
		}
	}
	return s.checkFiles(ctx, revision, folders)
}

// fetchHistoryOf fetches the history of branches and tags until one of them leads to revision: first the default branch, then all others.
func (s *Source) fetchHistoryOf(ctx context.Context, revision lockv2.Revision) error {
	tips := s.tips()
	if len(tips) > maxTips {
		return fault(gitpack.CodeTooLarge, s.entry.url.String(), "the server has more than %d branches and tags; name a revision that one of them points at", maxTips)
	}
	for _, group := range [][]tip{tips[:min(1, len(tips))], tips[min(1, len(tips)):]} {
		if err := s.fetchTips(ctx, group); err != nil {
			return err
		}
		if _, here, err := s.repo.KindOf(ctx, id(revision)); err != nil {
			return err
		} else if !here {
			continue
		}
		for _, t := range group {
			leads, err := s.repo.IsAncestor(ctx, revision, t.commit)
			switch {
			case leads:
				return nil
			case ended(ctx, err) != nil || Unsound(err):
				return err
			} // else it does not lead there, or the server's own history ends before that is known
		}
	}
	return s.notPublished(ctx, revision, tips)
}

// fetchTips fetches the history of tips, as far as it is not here, and notes those whose history is whole now. A tag may lead to a
// tree or a blob, which has none.
func (s *Source) fetchTips(ctx context.Context, tips []tip) error {
	ask, known := gitwire.Request{}, &s.state.whole
	if s.filters() {
		ask.Filter, known = gitwire.NoTrees, &s.state.history
	}
	var fresh []tip
	for _, t := range tips {
		if !slices.Contains(*known, t.commit) {
			ask.Wants = append(ask.Wants, t.id)
			fresh = append(fresh, t)
		}
	}
	if len(ask.Wants) == 0 {
		return nil
	}
	for _, r := range slices.Backward(*known) {
		ask.Haves = append(ask.Haves, id(r))
	}
	if err := s.fetch(ctx, "history", ask); err != nil {
		return err
	}
	commits, err := s.commitsOf(ctx, fresh)
	if err != nil {
		return err
	}
	if missing, err := s.missingOf(ctx, commits, *known); err != nil || missing != (plumbing.Hash{}) {
		return err
	}
	addTo(&s.state.history, maxHaves, commits...)
	if !s.filters() {
		addTo(&s.state.whole, maxHaves, commits...)
	}
	return s.save()
}

// commitsOf returns the commits that tips lead to, those that are not here among them.
func (s *Source) commitsOf(ctx context.Context, tips []tip) ([]lockv2.Revision, error) {
	var commits []lockv2.Revision
	for _, t := range tips {
		kind, here, err := s.repo.KindOf(ctx, id(t.commit))
		if err != nil {
			return nil, err
		}
		// What a tag leads to and did not come where only commits were asked for is none.
		if kind == plumbing.CommitObject || !here && !(t.tag && s.filters()) {
			commits = append(commits, t.commit)
		}
	}
	return commits, nil
}

// missingOf returns a commit of the history of commits that is not here; the zero id where all are. What lies behind the known ones is
// not looked at.
func (s *Source) missingOf(ctx context.Context, commits, known []lockv2.Revision) (plumbing.Hash, error) {
	tips := make([]plumbing.Hash, len(commits))
	for i, c := range commits {
		tips[i] = id(c)
	}
	stops := make(map[plumbing.Hash]bool, len(known))
	for _, r := range known {
		stops[id(r)] = true
	}
	return s.repo.MissingAncestor(ctx, tips, stops)
}

// notPublished says why no branch and no tag leads to revision.
func (s *Source) notPublished(ctx context.Context, revision lockv2.Revision, tips []tip) error {
	if err := s.cutOff(ctx, tips); err != nil {
		return err
	}
	kind, has, err := s.elsewhere(ctx, revision)
	switch {
	case err != nil:
		return err
	case has && kind != plumbing.CommitObject:
		return fault(CodeInvalidRevision, string(revision), "is the id of a %s, not of a commit; name a commit", kind).withHint(resolveCommand(s.entry.url))
	case has:
		return fault(CodeNotPublished, string(revision), "no branch and no tag of %s leads to it, though the server has it: "+
			"its history was rewritten, or the commit was only ever in a fork; name a revision of a branch or a tag", s.entry.url).
			withHint(resolveCommand(s.entry.url))
	}
	return fault(CodeInvalidRevision, string(revision), "no branch and no tag of %s leads to it, and the server does not give it out: "+
		"it was never there, or the history was rewritten; name a revision of a branch or a tag", s.entry.url).
		withHint(resolveCommand(s.entry.url))
}

// elsewhere reports whether the server gives out an object to which no branch and no tag leads, and of what kind it is.
func (s *Source) elsewhere(ctx context.Context, revision lockv2.Revision) (kind plumbing.ObjectType, has bool, err error) {
	if !s.able.AnyObject {
		return 0, false, nil
	}
	kind, err = firstKind(ctx, s.remote, s.able, id(revision))
	if isCode(err, CodeInvalidRevision) {
		return 0, false, nil
	}
	return kind, err == nil, err
}

// cutOff returns an error where the history of tips is not whole, so that what it does not hold says nothing: the cache lost
// something that it had, or the server does not have it.
func (s *Source) cutOff(ctx context.Context, tips []tip) error {
	commits, err := s.commitsOf(ctx, tips)
	if err != nil {
		return err
	}
	missing, err := s.missingOf(ctx, commits, nil)
	if err != nil || missing == (plumbing.Hash{}) {
		return err
	}
	had := slices.DeleteFunc(commits, func(r lockv2.Revision) bool { return !slices.Contains(s.state.history, r) })
	lost, err := s.missingOf(ctx, had, nil)
	switch {
	case err != nil:
		return err
	case lost != (plumbing.Hash{}):
		return s.damaged("the history is no longer whole in the cache: it lacks the commit " + lost.String())
	}
	return fault(CodeResponseInvalid, s.entry.url.String(), "the server does not send the commit %s, from which its own branches and tags descend: "+
		"it is a shallow clone, or damaged; ask who keeps it to complete it (git fetch --unshallow)", missing)
}

// fetchFiles fetches the trees of a revision, and its files below folders.
func (s *Source) fetchFiles(ctx context.Context, revision lockv2.Revision, folders []string) error {
	if err := s.fetch(ctx, "trees", gitwire.Request{Wants: []plumbing.Hash{id(revision)}, Filter: gitwire.NoBlobs, Depth: 1}); err != nil {
		return err
	}
	missing, err := s.missingBlobs(ctx, revision, folders)
	if err != nil {
		return s.leftOut(ctx, revision, err)
	}
	for some := range slices.Chunk(missing, maxWants) {
		if err := s.fetch(ctx, "files", gitwire.Request{Wants: some}); err != nil {
			return err
		}
	}
	return s.checkFiles(ctx, revision, folders)
}

// checkFiles makes sure that everything came.
func (s *Source) checkFiles(ctx context.Context, revision lockv2.Revision, folders []string) error {
	missing, err := s.missingBlobs(ctx, revision, folders)
	if err == nil && len(missing) > 0 {
		err = fault(CodeResponseInvalid, s.entry.url.String(), "the server left out %d files of the revision, %s among them", len(missing), missing[0])
	}
	return s.leftOut(ctx, revision, err)
}

// leftOut turns what is missing right after it was fetched into a fault of the server.
func (s *Source) leftOut(ctx context.Context, revision lockv2.Revision, err error) error {
	var unreadable *gitrepo.Error
	if !errors.As(err, &unreadable) {
		return err
	}
	if unreadable.Code() == CodeInvalidRevision {
		if _, here, err := s.repo.KindOf(ctx, id(revision)); here || err != nil {
			return unreadable // it is no commit
		}
	} else if !unreadable.Unsound() {
		return err
	}
	return fault(CodeResponseInvalid, s.entry.url.String(), "the server left out the object %s, which was asked for", unreadable.Path())
}

// fetch receives one pack.
func (s *Source) fetch(ctx context.Context, what string, ask gitwire.Request) error {
	progress := s.cache.opts.Progress
	if progress == nil {
		progress = func(string, int64) {}
	}
	progress(what, 0)
	var got gitpack.Result
	err := s.remote.Fetch(ctx, ask, func(pack io.Reader) (err error) {
		got, err = gitpack.Receive(ctx, s.entry.packs(), pack, s.cache.opts.Limits, func(bytes int64) { progress(what, bytes) })
		return err
	})
	if stopped := ended(ctx, err); stopped != nil {
		return stopped
	}
	var bad *gitpack.Error
	if errors.As(err, &bad) && bad.Path() == "" {
		return fault(bad.Code(), s.entry.url.String(), "%s", bad)
	}
	if err != nil || got.Objects == 0 {
		return err
	}
	if err := s.renew(); err != nil {
		return err
	}
	// git takes what is missing in such a pack for objects that the server would send.
	return s.entry.replace(filepath.Join("objects", "pack", got.Name+".promisor"), nil)
}

// missingBlobs returns the files below folders of a revision that are not here, in the order of their ids.
func (s *Source) missingBlobs(ctx context.Context, revision lockv2.Revision, folders []string) ([]plumbing.Hash, error) {
	blobs, err := s.blobs(ctx, revision, folders)
	if err != nil {
		return nil, err
	}
	var missing []plumbing.Hash
	for _, blob := range blobs {
		if _, err := s.repo.Size(ctx, blob); err != nil {
			if stopped := ended(ctx, err); stopped != nil {
				return nil, stopped
			}
			missing = append(missing, blob)
		}
	}
	return missing, nil
}

// blobs returns the regular files below folders of a revision, each once, in the order of their ids. Trees are looked at once
// each, however often they stand in one another.
func (s *Source) blobs(ctx context.Context, revision lockv2.Revision, folders []string) ([]plumbing.Hash, error) {
	root, err := s.repo.Commit(ctx, revision)
	if err != nil {
		return nil, err
	}
	top, err := s.repo.ReadTree(ctx, root)
	if err != nil {
		return nil, err
	}
	seen := map[plumbing.Hash]bool{}
	var blobs, trees []plumbing.Hash
	for _, e := range top {
		if e.Mode == gitrepo.Tree && slices.Contains(folders, e.Name) {
			trees = append(trees, e.ID)
		}
	}
	for len(trees) > 0 {
		tree := trees[len(trees)-1]
		trees = trees[:len(trees)-1]
		if seen[tree] {
			continue
		}
		seen[tree] = true
		entries, err := s.repo.ReadTree(ctx, tree)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			switch e.Mode {
			case gitrepo.Tree:
				trees = append(trees, e.ID)
			case gitrepo.Regular, gitrepo.Executable:
				if !seen[e.ID] {
					seen[e.ID] = true
					blobs = append(blobs, e.ID)
				}
			}
		}
	}
	slices.SortFunc(blobs, func(a, b plumbing.Hash) int { return slices.Compare(a[:], b[:]) })
	return blobs, nil
}
