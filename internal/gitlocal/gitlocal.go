// Package gitlocal gives out refs and objects of a repository on disk as a server does, so that file:// is a source
// like any other. No program runs.
//
// What is asked for is found by reading: commits from the wanted ones on, until they are known to be on the other side,
// then their trees and blobs. Replace refs and grafts are ignored. A shallow clone gives out the history that it has. Every
// object that is given out has the bytes of its id.
package gitlocal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitpack"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/gitwire"
)

// Codes of an *Error.
const (
	CodeInvalidRevision = "INVALID_REVISION" // an object that is asked for is not there
	CodeTooLarge        = "SOURCE_TOO_LARGE" // more objects than are held in memory
)

// Error says why a repository can't be given out.
type Error struct{ diag.Base }

func fault(code, path, msg string) *Error { return &Error{diag.New(code, path, msg)} }

// Open opens the repository at path, or at path.git where there is no path, as git does. Close it. Errors are those of
// gitrepo.Open; those of the Remote also those of gitrepo's look-ups (READ_FAILED: an object is missing or damaged).
func Open(ctx context.Context, path string) (gitwire.Remote, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path + ".git"); err == nil {
			path += ".git"
		}
	}
	repo, err := gitrepo.Open(path)
	if err != nil {
		return nil, err
	}
	return &remote{repo: repo, path: path, named: map[gitrepo.ID]struct{}{}}, nil
}

type remote struct {
	repo *gitrepo.Repository
	path string
	// named are blobs of trees that were given out without them. One that is missing was promised by this repository, and is no
	// slip of who asks.
	named map[gitrepo.ID]struct{}
}

func (r *remote) Close() error { return r.repo.Close() }

func (r *remote) Can(ctx context.Context) (gitwire.Ability, error) {
	return gitwire.Ability{Filter: true, AnyObject: true}, ctx.Err()
}

func (r *remote) Refs(ctx context.Context, prefixes ...string) ([]gitwire.Ref, error) {
	list, err := r.repo.Refs(ctx, prefixes...)
	if err != nil {
		return nil, err
	}
	refs := make([]gitwire.Ref, len(list))
	for i, ref := range list {
		refs[i] = gitwire.Ref{Name: ref.Name, ID: ref.ID, Peeled: ref.Peeled, Target: ref.Target}
	}
	return refs, nil
}

func (r *remote) Fetch(ctx context.Context, ask gitwire.Request, into func(pack io.Reader) error) error {
	ids, err := r.list(ctx, ask)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	from, to := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := gitpack.Write(ctx, to, len(ids), r.objects(ctx, ids))
		to.CloseWithError(err)
		written <- err
	}()
	err = into(from)
	// Whatever into left unread is of no use any more; a write that waits for it ends.
	from.CloseWithError(errDone)
	writeErr := <-written
	if writeErr != nil && writeErr != errDone {
		return writeErr
	}
	return err
}

// errDone ends the writing of a pack that nobody reads to its end.
var errDone = errors.New("the reader of the pack is done")

// objects opens one object after the other.
func (r *remote) objects(ctx context.Context, ids []gitrepo.ID) func(yield func(gitpack.Object, error) bool) {
	return func(yield func(gitpack.Object, error) bool) {
		for _, id := range ids {
			o, err := r.repo.Object(ctx, id)
			if err != nil {
				yield(gitpack.Object{ID: id}, err)
				return
			}
			goOn := yield(gitpack.Object{ID: id, Kind: o.Kind, Size: o.Size, Open: func() (io.ReadCloser, error) { return o, nil }}, nil)
			o.Close() // again, where it was opened
			if !goOn {
				return
			}
		}
	}
}
