// Package scsha computes two published identities: that of a UTF-8 text and that of a resolved
// composition of texts, sc-sha/manifest/v1 (docs/identities.md).
//
// Start with CalculateHash for a text in memory, or a Text for one that is streamed, and with
// CalculateCompositionHash for a manifest. The package knows no files, no include syntax and no graph
// policy: a manifest comes resolved and in order, and cycles are its maker's affair. The two values
// have two types, so that neither can stand where the other belongs.
//
// Every error is an *Error with a code of this package. The values are those of other
// implementations of the rule; the published vectors are the test. It imports the standard library alone.
package scsha

import (
	"crypto/sha256"
	"encoding/hex"
)

// The algorithms, as results name them.
const (
	TextAlgorithm     = "sc-sha/text"
	ManifestAlgorithm = "sc-sha/manifest/v1"
)

// TextDigest is the identity of a text, CalculateHash's.
type TextDigest [sha256.Size]byte

// String returns 64 lower-case hexadecimal digits.
func (d TextDigest) String() string { return hex.EncodeToString(d[:]) }

// CompositionDigest is the identity of a manifest, CalculateCompositionHash's.
type CompositionDigest [sha256.Size]byte

// String returns 64 lower-case hexadecimal digits.
func (d CompositionDigest) String() string { return hex.EncodeToString(d[:]) }

// Codes of an *Error.
const (
	CodeInvalidUTF8               = "SC_SHA_INVALID_UTF8"
	CodeInvalidManifest           = "SC_SHA_INVALID_MANIFEST"
	CodeUnsupportedManifestSchema = "SC_SHA_UNSUPPORTED_MANIFEST_SCHEMA"
	CodeInvalidDigest             = "SC_SHA_INVALID_DIGEST"
	CodeInvalidCanonicalSource    = "SC_SHA_INVALID_CANONICAL_SOURCE"
	CodeDuplicateSource           = "SC_SHA_DUPLICATE_SOURCE"
	CodeUnknownEdgeEndpoint       = "SC_SHA_UNKNOWN_EDGE_ENDPOINT"
)

// Error says why there is no value.
type Error struct {
	code string
	path string // JSON pointer into the manifest; "" for a text
	msg  string // lower case, no final period
}

func (e *Error) Error() string {
	if e.path == "" {
		return e.msg
	}
	return e.path + ": " + e.msg
}

// Code returns one of the codes of this package.
func (e *Error) Code() string { return e.code }

// Path returns the JSON pointer to what is wrong in the manifest; "" for a text.
func (e *Error) Path() string { return e.path }

// Hint returns "".
func (e *Error) Hint() string { return "" }
