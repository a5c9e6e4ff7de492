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
)

type (
	Material      = Digest[materialDomain]      // the exact bytes of one material
	Descriptor    = Digest[descriptorDomain]    // the exact bytes of a component.json
	Recipe        = Digest[recipeDomain]        // the exact bytes of a recipe
	Configuration = Digest[configurationDomain] // the exact bytes of a configuration file
	LockFile      = Digest[lockFileDomain]      // the exact bytes of a lock file
	Composition   = Digest[compositionDomain]   // a whole composition, compose/lock-manifest/v1
)

// ErrSyntax says that a text is no digest: it is not 64 lower-case hexadecimal digits.
var ErrSyntax = errors.New("not a digest: want 64 lower-case hexadecimal digits")

// Of returns the digest of b in the domain D.
func Of[D any](b []byte) Digest[D] { return sha256.Sum256(b) }

// From returns the sum of h, which must be a SHA-256 hash, as a digest of the domain D.
func From[D any](h hash.Hash) Digest[D] {
	var d Digest[D]
	h.Sum(d[:0])
	return d
}

// Parse reads the text form. Any other text gives ErrSyntax.
func Parse[D any](text string) (Digest[D], error) {
	var d Digest[D]
	if len(text) != 2*len(d) {
		return d, ErrSyntax
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return Digest[D]{}, ErrSyntax
		}
	}
	if _, err := hex.Decode(d[:], []byte(text)); err != nil {
		return Digest[D]{}, ErrSyntax
	}
	return d, nil
}

// String returns 64 lower-case hexadecimal digits.
func (d Digest[D]) String() string { return hex.EncodeToString(d[:]) }
