// Package planner decides what a composition would do to a target: values in, a plan out.
//
// Start with Materialize, which computes what a choice supplies at one revision. Initial compares that with a
// target that was never composed; ReadManaged and Reconcile compare it with the lock and the files of one that was.
// Materialize reads git objects, each material once and on all cores, and keeps digests, not bytes;
// Composition.Open streams the bytes again for whoever installs them. A plan lists the folders on the way to a
// new destination, each once, reads the files that it judges, and looks at nothing else of the target.
//
// The package holds nothing that could write. A plan is deterministic: the same revision, choice and target
// give the same document on every machine, in whatever order the work was done. What stands in the way in
// the target is a Conflict of the plan; everything else that goes wrong is an error with a code.
//
// The documents, the reasons of conflicts and what to do about each are in docs/plans.md.
package planner

import (
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Codes of an *Error. docs/codes.md says what each means.
const (
	CodeReservedDestination     = "RESERVED_DESTINATION"
	CodeDestinationCollision    = "DESTINATION_COLLISION"
	CodeDuplicateRegistration   = "DUPLICATE_CONTRACT_REGISTRATION"
	CodeUnknownGenerator        = "UNKNOWN_GENERATOR"
	CodeLFSPointer              = "SOURCE_LFS_POINTER"
	CodeSourceTooLarge          = "SOURCE_TOO_LARGE"
	CodeReadFailed              = "READ_FAILED"
	CodeRecoveryRequired        = "RECOVERY_REQUIRED"
	CodeUnmanagedTargetRequired = "INITIAL_MODE_REQUIRES_UNMANAGED_TARGET"
	CodeManagedLockRequired     = "MANAGED_LOCK_REQUIRED"
	CodeInvalidLock             = lockv2.CodeInvalidLock
	CodePreconditionChanged     = "PRECONDITION_CHANGED"
	CodePlanStale               = "PLAN_STALE"
)

// Codes of a Conflict.
const (
	CodeDestinationConflict = "DESTINATION_CONFLICT"

	CodeLocalModification              = "LOCAL_MODIFICATION"
	CodeOldStateInvalid                = "OLD_STATE_INVALID"
	CodeOwnerTransitionUpgrade         = "FILE_OWNER_TRANSITION_UPGRADE_REQUIRED"
	CodeOwnerTransitionUnsupported     = "FILE_OWNER_TRANSITION_NOT_SUPPORTED"
	CodeOwnershipTransitionUpgrade     = "OWNERSHIP_TRANSITION_UPGRADE_REQUIRED"
	CodeOwnershipTransitionUnsupported = "OWNERSHIP_TRANSITION_NOT_SUPPORTED"
	CodeVersionUpgradeRequired         = "COMPONENT_VERSION_UPGRADE_REQUIRED"
	CodeDescriptorChanged              = "COMPONENT_DESCRIPTOR_CHANGED_WITHOUT_VERSION"
)

// Error says why no plan could be made. What a plan found in the target is a Conflict instead.
type Error struct {
	diag.Base
	Components []lockv2.ComponentID // those involved, sorted, unique; may be empty

	details []strictjson.Member
}

// Details returns what a program may want to know besides, for the document of the error; nil for nothing.
func (e *Error) Details() []strictjson.Member {
	if len(e.Components) == 0 {
		return e.details
	}
	return append([]strictjson.Member{strictjson.F("components", strictjson.Strs(e.Components))}, e.details...)
}
