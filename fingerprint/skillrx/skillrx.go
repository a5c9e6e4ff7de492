// Package skillrx computes one value for a file and everything that it includes, at any depth: a Merkle
// tree over the includes (docs/identities.md).
//
// Start with HashNode for each file and Compose for the whole; Tree.Composition is the value to compare. The
// Tree is the evidence behind it: each file's own digest, its composition, and its children in order. A
// value covers paths, exact bytes, the order of the includes and their repetition, and, on demand, the options
// of a rendering (ParseContext).
//
// Each file's composition is computed once, so the time is linear in files and includes whatever the
// shape: a lattice whose text could not be held is no effort. Graphs may be of any depth. The package knows
// no files and no include syntax: package resolver/include finds what includes what.
//
// Nothing here is random or depends on time, place or the order of a folder's entries. The published vectors
// are the test. Every error is an *Error.
package skillrx

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// The domains. A change of a rule is another domain.
const (
	nodeDomain        = "skillrx-node-v2"
	compositionDomain = "skillrx-composition-v2"
)

// NodeDigest is the identity of one file alone: its path and its bytes.
type NodeDigest [sha256.Size]byte

// String returns 64 lower-case hexadecimal digits.
func (d NodeDigest) String() string { return hex.EncodeToString(d[:]) }

// CompositionDigest is the identity of a file with all that it includes.
type CompositionDigest [sha256.Size]byte

// String returns 64 lower-case hexadecimal digits.
func (d CompositionDigest) String() string { return hex.EncodeToString(d[:]) }

// ContextDigest is the identity of the options of a rendering.
type ContextDigest [sha256.Size]byte

// String returns 64 lower-case hexadecimal digits.
func (d ContextDigest) String() string { return hex.EncodeToString(d[:]) }

// HashNode returns the identity of one file: path is relative to the root, with / between its names.
func HashNode(path string, contents []byte) NodeDigest {
	h := sha256.New()
	io.WriteString(h, nodeDomain+"\x00"+path+"\x00")
	h.Write(contents)
	return NodeDigest(h.Sum(nil))
}
