// Package fingerprint holds the digest types of compose: one Go type for each domain, so that
// the digest of a descriptor can't be stored where the digest of a material belongs.
//
// Start with the named types (Material, Descriptor, ...), Of and Parse. Every value is the SHA-256
// of some bytes; its type says of which, and its text form is 64 lower-case hexadecimal digits.
// The identities that follow a published rule live below this folder: scsha, treedigest.
//
// The package imports the standard library alone.
package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
)

// Digest is a SHA-256 value of the domain D. Values of two domains can't be assigned to each other.
type Digest[D any] [sha256.Size]byte

// The domains. A domain type has no values: it only tells digests apart.
type (
	materialDomain      struct{}
	descriptorDomain    struct{}
	recipeDomain        struct{}
	configurationDomain struct{}
	lockFileDomain      struct{}
	compositionDomain   struct{}
	intentDomain        struct{}
)

type (
	Material      = Digest[materialDomain]      // the exact bytes of one material
	Descriptor    = Digest[descriptorDomain]    // the exact bytes of a component.json
	Recipe        = Digest[recipeDomain]        // the exact bytes of a recipe
	Configuration = Digest[configurationDomain] // the exact bytes of a configuration file
	LockFile      = Digest[lockFileDomain]      // the exact bytes of a lock file
	Composition   = Digest[compositionDomain]   // a whole composition, compose/lock-manifest/v1
	Intent        = Digest[intentDomain]        // an intent as a document of its own, in the lock's form
)

// ErrSyntax says that a text is no digest: it is not 64 lower-case hexadecimal digits.
var ErrSyntax = errors.New("not a digest: want 64 lower-case hexadecimal digits")

// sum is any of the types above.
type sum interface{ ~[sha256.Size]byte }

// Of returns the digest of b as the type T: fingerprint.Of[fingerprint.Material](b).
func Of[T sum](b []byte) T { return T(sha256.Sum256(b)) }

// From returns the sum of h, which must be a SHA-256 hash, as the type T.
func From[T sum](h hash.Hash) T {
	var d [sha256.Size]byte
	h.Sum(d[:0])
	return T(d)
}

// Parse reads the text form as the type T. Any other text gives ErrSyntax.
func Parse[T sum, S string | []byte](text S) (T, error) {
	var d [sha256.Size]byte
	if len(text) != 2*len(d) {
		return T{}, ErrSyntax
	}
	bad := byte(0)
	for i := range d {
		high, low := nibbles[text[2*i]], nibbles[text[2*i+1]]
		bad |= high | low
		d[i] = high<<4 | low&15
	}
	if bad > 15 {
		return T{}, ErrSyntax
	}
	return T(d), nil
}

// nibbles has the value of each lower-case hexadecimal digit, and more than 15 for every other byte.
var nibbles = func() (table [256]byte) {
	for c := range table {
		table[c] = 0xff
	}
	for i, c := range []byte("0123456789abcdef") {
		table[c] = byte(i)
	}
	return table
}()

// String returns 64 lower-case hexadecimal digits.
func (d Digest[D]) String() string {
	var digits [2 * sha256.Size]byte
	hex.Encode(digits[:], d[:])
	return string(digits[:])
}
