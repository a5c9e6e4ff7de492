package catalog

import (
	"context"
	"fmt"
	"strings"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
)

// Source is a repository bound to one revision. Its methods may be called at once.
type Source struct {
	repo     *gitrepo.Repository
	revision lockv2.Revision
	tree     gitrepo.ID // of the revision
}

// Options says what else Open looks at: git's configuration outside the repository, for the clean check alone.
// The zero value is a git without configuration of user and system.
type Options = gitrepo.Options

// Open is OpenWith without options.
func Open(ctx context.Context, location, revision string) (*Source, error) {
	return OpenWith(ctx, location, revision, Options{})
}

// OpenWith opens the source at location (a path, or builtin:starter) and binds it to revision, or, where that
// is "", to HEAD. Bound to the HEAD of a checkout, tracked files must be unmodified: DIRTY_SOURCE names up to
// ten paths. A given revision, and a bare repository, are not compared with any work tree.
//
// Errors: DIRTY_SOURCE, and INVALID_SOURCE for a remote source, as an *Error; INVALID_SOURCE, INVALID_REVISION and READ_FAILED as package gitrepo found them.
// Close the source.
func OpenWith(ctx context.Context, location, revision string, opts Options) (*Source, error) {
	repo, err := openRepository(location, opts)
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

func openRepository(location string, opts Options) (*gitrepo.Repository, error) {
	if location == starter.Location {
		return starter.Repository()
	}
	if err := checkLocal(location); err != nil {
		return nil, err
	}
	return gitrepo.OpenWith(location, opts)
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

// Close releases the repository.
func (s *Source) Close() error { return s.repo.Close() }
