// Package gitpack takes in packs from elsewhere: it checks every object of a pack stream, within bounds of size, count,
// delta depth and memory, and installs the pack with its index, durable. It also writes packs and checks installed ones.
//
// Start with Receive. A stream is read once, front to back, into a temporary file; what is a delta is built afterwards,
// from its base on, so that memory is bounded by the largest objects and not by their number. Each object is hashed with
// detection of collisions, and what an object says of others is left to whoever reads it (package gitrepo).
//
// Format: gitformat-pack(5).
package gitpack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

// Codes of an *Error.
const (
	CodeResponseInvalid = "SOURCE_RESPONSE_INVALID" // a pack stream that is damaged, cut off, or refers to objects that are not in it
	CodeTooLarge        = "SOURCE_TOO_LARGE"        // past a bound, which the message names
	CodeReadFailed      = "READ_FAILED"             // an installed pack is damaged or can't be read
	CodeWriteFailed     = "WRITE_FAILED"            // no space, no permission
)

// Error says why a pack was not taken in, or is not sound.
type Error struct{ diag.Base }

func fault(code, path, msg string) *Error { return &Error{diag.New(code, path, msg)} }

func faultOf(code, path, msg string, err error) *Error {
	return &Error{diag.Wrap(code, path, msg, err)}
}

// Limits bound what a pack may cost. A zero field has the default.
type Limits struct {
	Bytes   int64 // of the stream; 4 GiB
	Objects int64 // 20 million; each takes up to 80 bytes of memory until the pack is installed
	Object  int64 // bytes of one object, inflated; 512 MiB
	Total   int64 // bytes of all objects and of the deltas that make them, inflated; 64 GiB, so that a bomb ends
	Depth   int   // deltas on top of one object; 4,095
	Memory  int64 // bytes held at once while deltas are resolved; 1 GiB
}

func (l Limits) orDefaults() Limits {
	for _, f := range [...]struct {
		field *int64
		usual int64
	}{{&l.Bytes, 4 << 30}, {&l.Objects, 20_000_000}, {&l.Object, 512 << 20}, {&l.Total, 64 << 30}, {&l.Memory, 1 << 30}} {
		if *f.field <= 0 {
			*f.field = f.usual
		}
	}
	if l.Depth <= 0 {
		l.Depth = 4095
	}
	l.Objects = min(l.Objects, math.MaxUint32-1)
	return l
}

// Result is a pack that was installed.
type Result struct {
	Name    string // pack-<hex of its checksum>; both files have it
	Objects int    // 0: the pack was empty, nothing was installed
	Bytes   int64
}

// Receive reads exactly one pack from r, checks it whole, and installs NAME.pack and NAME.idx in folder: contents and
// folder are flushed, the index appears last, and a pack that is there already is replaced by the new one. A thin pack
// (deltas against objects that it does not hold) is refused. progress, which may be nil, hears how many bytes came.
// What a run that died left in folder is not touched here: files whose names begin with "tmp-", and NAME.pack without
// its index, which no reader looks at.
//
// What follows the pack is not waited for, but some of it may have been read. An error of r other than io.EOF comes
// back as it is; io.EOF inside the pack is SOURCE_RESPONSE_INVALID.
func Receive(ctx context.Context, folder string, r io.Reader, limits Limits, progress func(bytes int64)) (Result, error) {
	limits = limits.orDefaults()
	t, err := newTemporary(folder)
	if err != nil {
		return Result{}, err
	}
	defer t.discard()
	fail := func(msg string) error {
		return fault(CodeResponseInvalid, "", "the pack that came is damaged: "+msg+"; try again, and have the source's repository checked with git fsck if it stays")
	}
	p, err := scan(ctx, &stream{ctx: ctx, r: r, copy: t.pack, limit: limits.Bytes, received: progress}, limits, fail)
	if err != nil {
		return Result{}, err
	}
	if len(p.entries) == 0 {
		return Result{Name: p.name(), Bytes: p.bytes()}, nil
	}
	if err := resolve(ctx, &reread{ReaderAt: t.pack.file, path: t.pack.file.Name()}, p, limits, fail); err != nil {
		return Result{}, err
	}
	if err := p.sort(fail); err != nil {
		return Result{}, err
	}
	if err := p.writeIndex(t.index, maxSmallOffset); err != nil {
		return Result{}, err
	}
	if err := t.install(p.name()); err != nil {
		return Result{}, err
	}
	return Result{Name: p.name(), Objects: len(p.entries), Bytes: p.bytes()}, nil
}

// tooLarge says which bound is passed: a field of Limits in a reader's words.
func tooLarge(what string, bound int64) error {
	return fault(CodeTooLarge, "", fmt.Sprintf("the pack has %s than the bound of %d; name a smaller source, or split it", what, bound))
}

// textOf is what a decoder says is wrong.
func textOf(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return err.Error()
}

// ID is a git object id.
type ID = gitrepo.ID

// Object is one whole object to be written.
type Object struct {
	ID   plumbing.Hash
	Kind plumbing.ObjectType
	Size int64
	Open func() (io.ReadCloser, error)
}
