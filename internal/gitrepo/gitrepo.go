// Package gitrepo reads a local git repository at exact revisions, with go-git's formats and no git program.
//
// Start with Open (a checkout, a linked worktree, a bare repository, a submodule's checkout) or InMemory.
// Commit turns a revision into its tree, ReadTree lists a tree, Blob and OpenBlob read a file, Blobs many; Dirty is the
// clean check of a checkout, IsAncestor compares two revisions.
//
// Terms: the git folder holds HEAD and the index; the common folder, the same one but for a linked worktree,
// holds refs, objects and the configuration; an object folder is objects/ of the common folder or one of its
// alternates.
//
// Every byte comes from git objects and is checked against the id that it was asked for, so a damaged or
// hostile repository yields an *Error and never other bytes. Replace refs and grafts are ignored. Nothing is
// written, no program and no hook runs, and who owns the repository does not matter. Look-ups may run at once
// from many goroutines. The rules for a reader are in docs/sources.md.
package gitrepo

import (
	"os"
	"sync"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// Codes of an *Error.
const (
	CodeInvalidSource   = "INVALID_SOURCE"
	CodeInvalidRevision = "INVALID_REVISION"
	CodeDirtySource     = "DIRTY_SOURCE"
	CodeSourceTooLarge  = "SOURCE_TOO_LARGE"
	CodeReadFailed      = "READ_FAILED"

	CodeOldSourceRevisionUnavailable = "OLD_SOURCE_REVISION_UNAVAILABLE"
)

// Error says why a repository could not be read.
type Error struct {
	diag.Base
	unsound bool
}

// Unsound reports whether a copy has to be fetched anew: an object is missing, or its bytes are not those of its id. What is malformed
// is so in every copy.
func (e *Error) Unsound() bool { return e.unsound }

// fault returns an *Error without a cause.
func fault(code, path, msg string) *Error { return &Error{Base: diag.New(code, path, msg)} }

// faultOf returns an *Error with its cause.
func faultOf(code, path, msg string, err error) *Error {
	return &Error{Base: diag.Wrap(code, path, msg, err)}
}

// withHint returns e with a further step.
func (e *Error) withHint(hint string) *Error {
	return &Error{Base: e.Base.WithHint(hint), unsound: e.unsound}
}

// ID is a git object id.
type ID = plumbing.Hash

// Mode is the kind of a tree entry.
type Mode uint8

// The kinds of a tree entry.
const (
	Regular Mode = iota
	Executable
	Tree
	Symlink
	Submodule
)

// Entry is one entry of a tree.
type Entry struct {
	Name string
	Mode Mode
	ID   ID
}

// Options says what else Open looks at. The zero value is a git without configuration of user and system.
type Options struct {
	// ConfigFiles are git configuration files that come before the repository's own, the weakest first; those
	// that are not there are passed over. Only the clean check uses them. GlobalConfig finds git's.
	ConfigFiles []string
	// Home is what "~/" stands for in them; "" where there is none.
	Home string
	// AttributesFile is the attributes file of the user, where no configuration names one (core.attributesFile).
	AttributesFile string
	// SystemAttributesFile is the attributes file of the system.
	SystemAttributesFile string
	// Name is how messages name what the repository is a copy of; "" for none. A copy is mended by another fetch, so no git command
	// is given as a hint.
	Name string
	// NoCommitGraph leaves commit-graphs alone, which no hash of an object proves.
	NoCommitGraph bool
}

// Repository is an open repository.
type Repository struct {
	objects store
	head    lockv2.Revision // of a repository in memory
	disk    *location       // nil in memory
	opts    Options

	openFile func(path string) (*os.File, error) // opens a file of the work tree
	depth    int                                 // of a submodule below the repository that the caller opened

	closeOnce sync.Once
	closeErr  error
}

// Open is OpenWith without options.
func Open(path string) (*Repository, error) { return OpenWith(path, Options{}) }

// OpenWith opens the repository at path: the top folder of a checkout, or the folder that holds the git data
// (a bare repository, .git). Parents are not searched.
//
// INVALID_SOURCE: path is no repository, or one in a format that is not supported (SHA-256 object ids,
// reftable, an unknown extension), which it names.
func OpenWith(path string, opts Options) (*Repository, error) {
	where, err := locate(path)
	if err != nil {
		return nil, err
	}
	objects, err := openFolders(where)
	if err != nil {
		return nil, err
	}
	return &Repository{objects: objects, disk: where, opts: opts, openFile: plainfile.Open}, nil
}

// InMemory returns a repository whose objects are in s and whose HEAD is head. It has no work tree.
// s must allow reading from many goroutines at once.
func InMemory(s storer.EncodedObjectStorer, head lockv2.Revision) *Repository {
	return &Repository{objects: memoryStore{s}, head: head}
}

// Close releases what is open. Streams of OpenBlob must be closed before. It may be called twice.
func (r *Repository) Close() error {
	r.closeOnce.Do(func() { r.closeErr = r.objects.close() })
	return r.closeErr
}

// Bare reports whether the repository has no work tree.
func (r *Repository) Bare() bool { return r.disk == nil || r.disk.workTree == "" }

// GitCommand returns a git command for this repository, ready to copy; "" where that would not help: in memory, and with
// Options.Name.
func (r *Repository) GitCommand(args string) string {
	if r.disk == nil || r.opts.Name != "" {
		return ""
	}
	return "git -C " + diag.Quote(r.name()) + " " + args
}

// name is how messages name the repository.
func (r *Repository) name() string {
	switch {
	case r.opts.Name != "":
		return r.opts.Name
	case r.disk == nil:
		return ""
	}
	return r.disk.path
}
