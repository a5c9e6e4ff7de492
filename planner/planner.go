// Package planner decides what a composition would do to a target: values in, a plan out.
//
// Start with Materialize, which computes what a choice supplies at one revision, and Initial, which
// compares it with a target. Materialize reads git objects, each material once and on all cores, and keeps
// digests, not bytes; Composition.Open streams the bytes again for whoever installs them. Initial lists
// the folders on the way to a destination, each once, and nothing else of the target.
//
// The package holds nothing that could write. A plan is deterministic: the same revision, choice and target
// give the same document on every machine, in whatever order the work was done. What stands in the way in
// the target is a Conflict of the plan; everything else that goes wrong is an error with a code.
//
// The documents, the reasons of conflicts and what to do about each are in docs/plans.md.
package planner

import (
	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
)

// Codes of an *Error and of a Conflict. docs/codes.md says what each means.
const (
	CodeReservedDestination     = "RESERVED_DESTINATION"
	CodeDestinationCollision    = "DESTINATION_COLLISION"
	CodeDuplicateRegistration   = "DUPLICATE_CONTRACT_REGISTRATION"
	CodeInvalidComponent        = "INVALID_COMPONENT"
	CodeUnknownGenerator        = "UNKNOWN_GENERATOR"
	CodeLFSPointer              = "SOURCE_LFS_POINTER"
	CodeSourceTooLarge          = "SOURCE_TOO_LARGE"
	CodeReadFailed              = "READ_FAILED"
	CodeRecoveryRequired        = "RECOVERY_REQUIRED"
	CodeUnmanagedTargetRequired = "INITIAL_MODE_REQUIRES_UNMANAGED_TARGET"
	CodeDestinationConflict     = "DESTINATION_CONFLICT" // of a Conflict
)

// Error says why no plan could be made. What a plan found in the target is a Conflict instead.
type Error struct {
	diag.Base
	Components []lockv2.ComponentID // those involved, sorted, unique; may be empty
}
