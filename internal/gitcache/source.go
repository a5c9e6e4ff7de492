package gitcache

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/filelock"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/gitwire"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// Source is an entry bound to one revision. It is used by one goroutine, its Repository by many, and must be closed. Nobody
// removes the entry meanwhile.
type Source struct {
	cache *Cache
	entry *entry
	repo  *gitrepo.Repository
	state *state
	raw   []byte // of the state when the entry was opened
	use   *os.File
	given bool // the repository was given out, so it stays as it is

	remote gitwire.Remote // once a server was needed
	refs   []gitwire.Ref
	able   gitwire.Ability
}

// Bind makes revision of the repository at u be there with everything that a catalog is read from, and opens it. folders are those whose
// files are needed.
//
// Errors: SOURCE_OFFLINE; INVALID_REVISION for what is no commit id, or what the server does not have; REVISION_NOT_PUBLISHED; READ_FAILED and
// WRITE_FAILED of the cache's own folder; those of Connect, of gitwire.Remote and of gitpack.Receive; the end of ctx.
func (c *Cache) Bind(ctx context.Context, u giturl.URL, revision lockv2.Revision, folders []string) (*Source, error) {
	if !revision.Valid() {
		return nil, fault(CodeInvalidRevision, string(revision), "is no revision; a revision is a full commit id, 40 lower-case hexadecimal digits and not all zero").
			withHint(resolveCommand(u))
	}
	if c.opts.Folder == "" {
		return nil, fault(CodeWriteFailed, u.String(), "there is no folder for the cache; name one with --cache, or set COMPOSE_CACHE")
	}
	s, err := c.bind(ctx, u, revision, folders)
	if err == nil {
		return s, nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && isCode(err, CodeWriteFailed): // somebody removed the entry meanwhile
	case s != nil && Unsound(err) && !c.opts.Offline:
		if c.opts.Warn != nil {
			c.opts.Warn("the cache is damaged, and is fetched anew: " + err.Error())
		}
		if err := c.discard(ctx, s.entry, s.raw); err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	if s, err = c.bind(ctx, u, revision, folders); err != nil {
		return nil, err
	}
	return s, nil
}

// bind is Bind without a second try. With an error the source is closed, or nil.
func (c *Cache) bind(ctx context.Context, u giturl.URL, revision lockv2.Revision, folders []string) (*Source, error) {
	s, err := c.open(ctx, u)
	if err == nil {
		err = s.provide(ctx, revision, folders)
	}
	if err != nil && s != nil {
		s.Close()
	}
	return s, err
}

// errDamaged is the cause of an error that a fetch into an empty entry mends.
var errDamaged = errors.New("the cache is damaged")

// Unsound reports whether err says that something in the cache is missing or damaged, which a fetch into an empty entry mends.
func Unsound(err error) bool {
	var unreadable *gitrepo.Error
	return errors.Is(err, errDamaged) || errors.As(err, &unreadable) && unreadable.Unsound()
}

func (s *Source) damaged(what string) *Error {
	return faultOf(CodeReadFailed, s.entry.url.String(), what, errDamaged).withHint(s.cache.opts.Remedy)
}

// open opens the entry of u, made if need be, unless the network is off limits. With an error the source may be there all the same.
func (c *Cache) open(ctx context.Context, u giturl.URL) (*Source, error) {
	e := c.entry(u)
	if info, err := os.Lstat(e.folder); err == nil && !info.IsDir() {
		return nil, fault(CodeWriteFailed, u.String(), "its place in the cache, %s, is taken by something that is no folder; remove it, or name another folder with --cache", filepath.Base(e.folder))
	}
	if !e.laidOut() {
		if c.opts.Offline {
			return nil, offline(u, "a source that is not in the cache")
		}
		if err := e.layOut(ctx); err != nil {
			return nil, err
		}
	}
	use, err := e.lock(ctx, useLock, filelock.Shared)
	if err != nil {
		return nil, err
	}
	s := &Source{cache: c, entry: e, use: use}
	if err := s.reopen(); err != nil {
		return s, err
	}
	if use != nil {
		e.markUsed()
	}
	return s, nil
}

// reopen reads the entry as it is now.
func (s *Source) reopen() (err error) {
	if s.state, s.raw, err = s.entry.readState(); err != nil {
		return err
	}
	if s.repo != nil { // it finds packs that came meanwhile
		return nil
	}
	return s.openRepository()
}

func (s *Source) openRepository() (err error) {
	if s.repo, err = gitrepo.OpenWith(s.entry.folder, gitrepo.Options{NoCommitGraph: true, Name: s.entry.url.String()}); err != nil {
		return s.damaged("its entry in the cache is no repository")
	}
	return nil
}

// Repository is the entry's own: closing the source closes it.
func (s *Source) Repository() *gitrepo.Repository {
	s.given = true
	return s.repo
}

// renew opens the repository anew, unless it was given out: a pack that was damaged may have been replaced by one of the same name.
func (s *Source) renew() error {
	if s.given {
		return nil
	}
	_ = s.repo.Close()
	s.repo = nil
	return s.openRepository()
}

// URL returns where the source was fetched from.
func (s *Source) URL() giturl.URL { return s.entry.url }

// Close lets go of the entry.
func (s *Source) Close() error {
	var errs []error
	if s.remote != nil {
		errs = append(errs, s.remote.Close())
	}
	if s.repo != nil {
		errs = append(errs, s.repo.Close())
	}
	unlock(s.use)
	s.remote, s.repo, s.use = nil, nil, nil
	return errors.Join(errs...)
}

// Damaged returns a function that empties the entry, for a caller that met an object which can't be read: it is called after Close, and
// does nothing where another process has been there first.
func (s *Source) Damaged() func(context.Context) error {
	return func(ctx context.Context) error { return s.cache.discard(ctx, s.entry, s.raw) }
}

// discard empties an entry whose state is still raw. The locks are taken in the order in which a reader that comes to fetch takes them.
func (c *Cache) discard(ctx context.Context, e *entry, raw []byte) error {
	using, err := e.lock(ctx, useLock, filelock.Exclusive)
	if err != nil {
		return err
	}
	defer unlock(using)
	fetching, err := e.lock(ctx, fetchLock, filelock.Exclusive)
	if err != nil {
		return err
	}
	defer unlock(fetching)
	if _, now, err := e.readState(); err == nil && !bytes.Equal(now, raw) {
		return nil
	}
	return e.empty()
}

// provide makes a revision be there.
func (s *Source) provide(ctx context.Context, revision lockv2.Revision, folders []string) error {
	if slices.Contains(s.state.revisions, revision) {
		_, err := s.repo.Commit(ctx, revision)
		if err == nil || ended(ctx, err) != nil {
			return err
		}
		return s.damaged("the commit " + string(revision) + " is no longer in the cache")
	}
	return s.fetching(ctx, "the revision "+string(revision), func() error {
		if slices.Contains(s.state.revisions, revision) { // another process was faster
			return nil
		}
		if err := s.fetchRevision(ctx, revision, folders); err != nil {
			return err
		}
		addTo(&s.state.revisions, maxRevisions, revision)
		return s.save()
	})
}

// fetching runs fetch while no other process adds to the entry.
func (s *Source) fetching(ctx context.Context, what string, fetch func() error) error {
	if s.cache.opts.Offline {
		return offline(s.entry.url, what)
	}
	lock, err := s.entry.lock(ctx, fetchLock, filelock.Exclusive)
	if err != nil {
		return err
	}
	defer unlock(lock)
	if lock != nil {
		s.entry.removeTemporary()
	}
	if err := s.entry.make(); err != nil {
		return err
	}
	if err := s.reopen(); err != nil {
		return err
	}
	return fetch()
}

// id is the object id of a revision.
func id(r lockv2.Revision) plumbing.Hash { return plumbing.NewHash(string(r)) }

// isCode reports whether err carries a code.
func isCode(err error, code string) bool {
	var coded diag.Coded
	return errors.As(err, &coded) && coded.Code() == code
}
