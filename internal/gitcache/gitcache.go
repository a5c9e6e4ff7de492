// Package gitcache keeps what was fetched of remote catalogs: one bare repository for each URL, below one folder, shared by
// processes. Bind makes a revision of a URL be there and opens it; what is there already needs no network.
//
// Start with New. A Source is one entry bound for one command: Repository reads it, IsAncestor and
// ProvideAncestor fetch what an update needs of earlier revisions.
//
// Nothing in the folder is believed beyond what git's hashes prove: package gitrepo hashes every object that it reads, and
// no commit-graph is used. An entry that turns out damaged (Unsound) is emptied and fetched anew.
//
// An entry is HEAD, config, objects and refs as git lays them out (a partial clone, so that git itself can look at it), beside
// them compose.json, which says what is whole, and two files to lock: use.lock by who reads, alone by who removes, and then fetch.lock
// by who adds, in this order.
package gitcache

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"example.org/compose/internal/credential"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitlocal"
	"example.org/compose/internal/gitpack"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/gitwire"
)

// Codes of an *Error.
const (
	CodeOffline         = "SOURCE_OFFLINE"         // it is not in the cache, and the network is not to be asked
	CodeNotPublished    = "REVISION_NOT_PUBLISHED" // the server has it, and no branch or tag leads to it
	CodeInvalidRevision = "INVALID_REVISION"
	CodeReadFailed      = "READ_FAILED"
	CodeResponseInvalid = gitwire.CodeResponseInvalid // the server left something out
	CodeWriteFailed     = "WRITE_FAILED"

	CodeOldSourceRevisionUnavailable = "OLD_SOURCE_REVISION_UNAVAILABLE"
)

// Error says why a source is not there.
type Error struct{ diag.Base }

func fault(code, path, format string, args ...any) *Error {
	return &Error{diag.New(code, path, fmt.Sprintf(format, args...))}
}

func faultOf(code, path, msg string, err error) *Error {
	return &Error{diag.Wrap(code, path, msg, err)}
}

func (e *Error) withHint(hint string) *Error { return &Error{e.Base.WithHint(hint)} }

// Options say where the cache is and how servers are reached.
type Options struct {
	Folder  string // made when something is fetched; "" is an error of Bind
	Offline bool   // never ask a server

	// Getenv is os.Getenv for credentials, proxies and agents, and Home the user's folder; without them none are found.
	Getenv func(string) string
	Home   string
	// Environ is os.Environ for git's credential helpers; nil gives them what git itself needs.
	Environ func() []string

	// Allow says whether a redirect to another place may be followed; nil: any may.
	Allow func(giturl.URL) bool

	// Idle is how long a server may send nothing; the default is a minute.
	Idle time.Duration
	// Limits bound each pack.
	Limits gitpack.Limits
	// Warn hears what people should know though it is no error.
	Warn func(text string)
	// Remedy is the command that removes what is damaged, for hints.
	Remedy string
	// Progress hears what is being fetched, and how many bytes of it came so far.
	Progress func(what string, bytes int64)
}

// Cache is a folder of entries. It may be used by many goroutines and processes at once.
type Cache struct{ opts Options }

// New returns a cache. Nothing is touched before it is used.
func New(opts Options) *Cache { return &Cache{opts} }

// Connect opens the repository at u itself, no cache. Errors are those of gitwire.Open and gitlocal.Open.
func (c *Cache) Connect(ctx context.Context, u giturl.URL) (gitwire.Remote, error) {
	if c.opts.Offline {
		return nil, offline(u, "asking the server")
	}
	if u.Scheme == "file" {
		return gitlocal.Open(ctx, filepath.FromSlash(u.Path))
	}
	return gitwire.Open(ctx, u, gitwire.Options{
		Credentials: &credential.Finder{Getenv: c.opts.Getenv, Home: c.opts.Home, Environ: c.opts.Environ},
		Getenv:      c.opts.Getenv,
		Home:        c.opts.Home,
		Idle:        c.opts.Idle,
		Allow:       c.opts.Allow,
		MaxBytes:    c.opts.Limits.Bytes,
	})
}

func offline(u giturl.URL, what string) *Error {
	return fault(CodeOffline, u.String(), "%s needs the network, which --offline forbids; run the command without it", what)
}

// ended returns err where it, or the context, says that somebody stopped the run.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
