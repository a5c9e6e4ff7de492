// Package policy reads .template-composition/policy.json of a target: what a person allows there, so that a forgotten
// flag opens nothing (docs/policy.md).
//
// Start with Parse. A Policy is four lists, and the nil *Policy, that of a target without the file, restricts nothing.
// The repositories are held against the identity of a source here. The others are only checked for their form: sources
// are matched where addresses are known, and signers are read where signatures are verified.
//
// It opens no files; package validator does. It imports the standard library alone, because the consumer's
// self-contained validator checks the policy too.
package policy

import (
	"slices"

	"example.org/compose/lockv2"
)

// Path is where the policy stands below a target.
const Path = lockv2.PolicyPath

// MaxSize is the most bytes that a policy may have (1 MiB).
const MaxSize = 1 << 20

// Policy is what a target allows. A list that is nil does not restrict; none is empty but not nil. Entries are unique.
type Policy struct {
	Repositories []string // identities, such as example-org/templates
	Sources      []string // URLs, patterns that end in "/*", builtin:starter, or "local" for any repository on disk
	Signers      []string // lines of git's allowed-signers format
	OpenPGP      []string // armored public keys
}

// AllowsRepository reports whether a catalog of that identity may be composed from.
func (p *Policy) AllowsRepository(identity string) bool {
	return p == nil || p.Repositories == nil || slices.Contains(p.Repositories, identity)
}

// CheckRepository returns nil where AllowsRepository is true, else an *Error, SOURCE_IDENTITY_NOT_ALLOWED.
func (p *Policy) CheckRepository(identity string) error {
	if p.AllowsRepository(identity) {
		return nil
	}
	return &Error{
		Pointer: "/repositories", code: CodeRepositoryNotAllowed, file: Path,
		msg: "does not hold " + quote(identity) + ", the identity of the source: compose from a catalog that it lists, " +
			"or let someone who may decide that add this one",
	}
}

// RequiresSignature reports whether the bound commit must carry a signature of a signer that the policy lists.
func (p *Policy) RequiresSignature() bool {
	return p != nil && (p.Signers != nil || p.OpenPGP != nil)
}
