// Package gitpack takes in packs from elsewhere: it checks every object of a pack stream, within bounds of size, count,
// delta depth and memory, and installs the pack with its index, durable. It also writes packs and checks installed ones.
//
// Format: gitformat-pack(5).
package gitpack

import (
	"context"
	"io"
	"iter"

	"example.org/compose/internal/diag"
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

// Limits bound what a pack may cost. A zero field has the default.
type Limits struct {
	Bytes   int64 // of the stream; 4 GiB
	Objects int64 // 20 million
	Object  int64 // bytes of one object, inflated; 512 MiB
	Total   int64 // bytes of all objects, inflated; 64 GiB, so that a bomb ends
	Depth   int   // deltas on top of one object; 4,095
	Memory  int64 // bytes held at once while deltas are resolved; 1 GiB
}

// Result is a pack that was installed.
type Result struct {
	Name    string // pack-<hex of its checksum>; both files have it
	Objects int    // 0: the pack was empty, nothing was installed
	Bytes   int64
}

// Receive reads exactly one pack from r, checks it whole, and installs NAME.pack and NAME.idx in folder: contents and folder are flushed, the
// index appears last, and a pack that is there already is replaced by the new one. A thin pack (deltas against objects that it does not hold) is refused.
// progress, which may be nil, hears how many bytes came. What a run that died left in folder (names that begin with "tmp-") is not touched here.
func Receive(ctx context.Context, folder string, r io.Reader, limits Limits, progress func(bytes int64)) (Result, error) {
	panic("to be written")
}

// CheckSums reads the installed pack whose files are base.pack and base.idx and compares both checksums, the name, and that the index belongs to the pack:
// what was written is still there. It inflates nothing.
func CheckSums(ctx context.Context, base string) error { panic("to be written") }

// Check also inflates and hashes every object, and compares the index.
func Check(ctx context.Context, base string, limits Limits) error { panic("to be written") }

// Object is one whole object to be written.
type Object struct {
	ID   plumbing.Hash
	Kind plumbing.ObjectType
	Size int64
	Open func() (io.ReadCloser, error)
}

// Write writes a pack of n whole objects, without deltas, to w.
func Write(ctx context.Context, w io.Writer, n int, objects iter.Seq2[Object, error]) error {
	panic("to be written")
}
