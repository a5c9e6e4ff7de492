// Package lockv2 reads and writes version 2 of the lock, the file in a target that records what
// was resolved and materialized (docs/lock.md).
//
// Start with Parse and Encode. For every b in canonical form that Parse accepts, Encode(Parse(b)) is
// b, and Parse(Encode(x)) equals x for every lock x that keeps the rules. Parse is strict: an unknown
// field, an unsafe destination or a wrong order is an *Error with a JSON pointer. The types of the
// identifiers (ComponentID, Destination, Revision, ...) live here because the lock is the lowest
// layer that needs them; every package above uses these and no others.
//
// It opens no files; package txn does. It imports the standard library alone, because the consumer's
// self-contained validator is generated from it.
package lockv2

import (
	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
)

// Ownership says whose the bytes of a material are after the composition.
type Ownership string

// The ownerships. Seed bytes are written once and are the consumer's from then on.
const (
	Managed   Ownership = "managed"
	Generated Ownership = "generated"
	Seed      Ownership = "seed"
)

// Lock is what a target's lock file says.
type Lock struct {
	Source              Source
	Intent              Intent
	RecipeDigest        fingerprint.Recipe
	ConfigurationDigest fingerprint.Configuration
	Components          []Component // by id, unique
	Files               []File      // by destination, unique
}

// Source names the catalog and the revision that the target was composed from.
type Source struct {
	Repository string // the catalog's identity, such as example-org/templates
	Revision   Revision
}

// Intent is the consumer's normalized choice.
type Intent struct {
	Recipe     RecipeID
	Include    []ComponentID    // sorted, unique; nil when empty
	Exclude    []ComponentID    // sorted, unique, disjoint from Include; nil when empty
	Parameters strictjson.Value // an object of objects by component id, keys sorted at every depth
}

// Component is one resolved component.
type Component struct {
	ID      ComponentID
	Version int64 // 1 or more
	Digest  fingerprint.Descriptor
}

// File is one materialized file. For a seed, Digest is of the bytes that were first supplied.
type File struct {
	Destination Destination
	Component   ComponentID
	Ownership   Ownership
	Digest      fingerprint.Material
}
