package catalog

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
)

// Source is a repository bound to one revision. Its methods may be called at once, but for CheckDescends.
type Source struct {
	repo     *gitrepo.Repository
	revision lockv2.Revision
	tree     gitrepo.ID       // of the revision
	remote   *gitcache.Source // of a URL; else nil

	once  sync.Once
	trees *trees // of the files that were asked for by File
}

// Options says what else Open looks at. The zero value is a git without configuration of user and system, and no cache: then
// a URL can't be a source.
type Options struct {
	Git   GitOptions   // for the clean check alone
	Cache CacheOptions // for URLs
}

// GitOptions is git's configuration outside a repository.
type GitOptions = gitrepo.Options

// CacheOptions say where fetched sources are kept, and how servers are reached.
type CacheOptions = gitcache.Options

// CodeRevisionRequired is the code of a URL without a revision.
const CodeRevisionRequired = "REVISION_REQUIRED"

// Open is OpenWith without options.
func Open(ctx context.Context, location, revision string) (*Source, error) {
	return OpenWith(ctx, location, revision, Options{})
}

// OpenWith opens the source at location (a path, a URL, or builtin:starter) and binds it to revision, or, where that
// is "", to HEAD. Bound to the HEAD of a checkout, tracked files must be unmodified: DIRTY_SOURCE names up to
// ten paths. A given revision, and a bare repository, are not compared with any work tree.
//
// A URL needs a revision (REVISION_REQUIRED), which is fetched where the cache does not have it: errors of package gitcache.
//
// Errors: DIRTY_SOURCE as an *Error; INVALID_SOURCE, INVALID_REVISION and READ_FAILED as package gitrepo found them.
// Close the source.
func OpenWith(ctx context.Context, location, revision string, opts Options) (*Source, error) {
	u, remote, err := ParseLocation(location)
	if err != nil {
		return nil, err
	}
	if remote {
		return openRemote(ctx, u, revision, opts.Cache)
	}
	repo, err := openRepository(location, opts.Git)
	if err != nil {
		return nil, err
	}
	source, err := bindTo(ctx, repo, location, revision)
	if err != nil {
		repo.Close()
		return nil, err
	}
	return source, nil
}

func openRepository(location string, opts GitOptions) (*gitrepo.Repository, error) {
	if location == starter.Location {
		return starter.Repository()
	}
	return gitrepo.OpenWith(location, opts)
}

// openRemote binds a URL: no name that can move decides what is composed.
func openRemote(ctx context.Context, u giturl.URL, revision string, opts CacheOptions) (*Source, error) {
	if revision == "" {
		return nil, fault(CodeRevisionRequired, u.String(), "", "a source that is named by a URL needs the full id of the commit to compose from: --revision").
			withHint("compose source resolve " + diag.Quote(u.String()))
	}
	remote, err := gitcache.New(opts).Bind(ctx, u, lockv2.Revision(revision), Folders())
	if err != nil {
		return nil, err
	}
	source, err := Bind(ctx, remote.Repository(), lockv2.Revision(revision))
	if err != nil {
		remote.Close()
		return nil, err
	}
	source.remote = remote
	return source, nil
}

func bindTo(ctx context.Context, repo *gitrepo.Repository, location, revision string) (*Source, error) {
	if revision != "" {
		return Bind(ctx, repo, lockv2.Revision(revision))
	}
	head, err := repo.Head()
	if err != nil {
		return nil, err
	}
	source, err := Bind(ctx, repo, head)
	if err != nil || repo.Bare() {
		return source, err
	}
	return source, checkClean(ctx, repo, location, head)
}

// checkClean refuses modified tracked files: most likely their author forgot to commit.
func checkClean(ctx context.Context, repo *gitrepo.Repository, location string, head lockv2.Revision) error {
	dirty, err := repo.Changes(ctx, 0)
	if err != nil || len(dirty) == 0 {
		return err
	}
	const most = 10
	named, rest := dirty, ""
	if len(dirty) > most {
		named, rest = dirty[:most], fmt.Sprintf(" and %d more", len(dirty)-most)
	}
	quoted := make([]string, len(named))
	for i, change := range named {
		quoted[i] = fmt.Sprintf("%q (%s)", change.Path, change.Reason)
	}
	return fault(CodeDirtySource, "", "", "the source %q has changes that are not committed: %s%s; commit or undo them, or name the revision to use",
		location, strings.Join(quoted, ", "), rest).withHint("--revision " + string(head))
}

// Bind returns repo bound to a revision, whatever its work tree holds. It takes over repo: closing the source
// closes it. Errors: INVALID_REVISION, READ_FAILED; repo stays open then.
func Bind(ctx context.Context, repo *gitrepo.Repository, revision lockv2.Revision) (*Source, error) {
	tree, err := repo.Commit(ctx, revision)
	if err != nil {
		return nil, err
	}
	return &Source{repo: repo, revision: revision, tree: tree}, nil
}

// Revision returns the bound revision.
func (s *Source) Revision() lockv2.Revision { return s.revision }

// CommitObject returns the exact bytes of the bound commit, its signature included.
func (s *Source) CommitObject(ctx context.Context) ([]byte, error) {
	return s.repo.CommitObject(ctx, s.revision)
}

// Notes returns what people should know of the repository, such as that replace refs are ignored.
func (s *Source) Notes() []string { return s.repo.Notes() }

// Refetch returns what makes the next Open of a URL fetch anew, where err says that an object in the cache is missing or damaged; else nil.
// It is called after Close.
func (s *Source) Refetch(err error) func(context.Context) error {
	if s.remote == nil || !gitcache.Unsound(err) {
		return nil
	}
	return s.remote.Damaged()
}

// Close releases the repository.
func (s *Source) Close() error {
	if s.remote != nil {
		return s.remote.Close()
	}
	return s.repo.Close()
}
