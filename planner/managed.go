package planner

import (
	"context"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

// Operation says how a managed target moves on.
type Operation string

// The operations on a managed target.
const (
	Update  Operation = "update"  // the lock's intent, at a newer revision
	Upgrade Operation = "upgrade" // another intent, or other versions of components
)

// The actions of an update or upgrade, besides Create.
const (
	Replace ActionKind = "replace" // what stands there has the old lock's digest
	Remove  ActionKind = "remove"  // the same, and nothing supplies it any more
)

// What an update or upgrade leaves alone.
const (
	Preserve  ActionKind = "preserve"  // a seed: the bytes are the consumer's
	Unchanged ActionKind = "unchanged" // the old lock's bytes, which are the new ones too
)

// Managed is a target's lock, read for an update or upgrade.
type Managed struct {
	Lock   *lockv2.Lock
	Bytes  []byte // exactly as they stand in the target
	Digest fingerprint.LockFile
}

// ReadManaged reads the lock of the target in root (nil: the target is absent).
//
// Errors: RECOVERY_REQUIRED for a marker of whatever kind and content; MANAGED_LOCK_REQUIRED where there is no
// lock; INVALID_LOCK for a lock, or a state folder, that is a symlink or another kind of file, and for every fault of
// the lock, with a pointer; UNSUPPORTED_LOCK_VERSION; INVALID_JSON; READ_FAILED.
func ReadManaged(root *rootfs.Root) (*Managed, error) { panic("to be written") }

// UpdateConfig rebuilds the resolver's input from a lock alone: its intent, and the digest of the configuration
// that was last given. An update resolves it at the new revision; a recovery takes it from the marker's new lock.
func UpdateConfig(lock *lockv2.Lock) resolver.Config {
	return resolver.Config{Intent: lock.Intent, Digest: lock.ConfigurationDigest}
}

// ManagedAction is one change below the target.
type ManagedAction struct {
	Kind        ActionKind // Create, Replace or Remove
	Destination lockv2.Destination
	Component   lockv2.ComponentID
	Ownership   lockv2.Ownership     // never Seed but in Create
	From        fingerprint.Material // of the old lock; zero for Create
	To          fingerprint.Material // of the new lock; zero for Remove
	Material    *Material            // supplies the new bytes; nil for Remove
}

// ManagedFile is what an update or upgrade does at a destination that is not in conflict.
type ManagedFile struct {
	ManagedAction                      // Kind may also be Preserve or Unchanged
	Current       fingerprint.Material // of what stands there now; zero for Create
	Reason        string               // of Preserve: why it is left alone
}

// ComponentChange is a component that stays, with another version or descriptor.
type ComponentChange struct {
	From, To lockv2.Component // the same ID
}

// ComponentChanges is how the set of components changes. Every component is in one list, each by id.
type ComponentChanges struct {
	Added, Removed, Unchanged []lockv2.ComponentID
	Changed                   []ComponentChange
}

// ManagedPlan is what an update or upgrade would do.
type ManagedPlan struct {
	Operation   Operation
	Old         *Managed
	Composition *Composition
	Lock        lockv2.Lock // the new lock: seeds that stay have the old digest; an update carries the configuration's
	Components  ComponentChanges
	Files       []ManagedFile // by destination; every destination is here or in conflict
	Conflicts   []Conflict    // those of components first, by id; then by destination, at most one for each

	lock []byte
}

// Reconcile plans an update or upgrade of the target in root from old to what comp supplies. For an update comp is
// made from UpdateConfig(old.Lock).
//
// It reads the files that the old lock lists, on all cores, lists the folders on the way to a new destination, and
// looks at nothing else. What it finds in the target is a Conflict of the plan. Errors: those of ReadManaged where
// the marker appeared or the lock changed meanwhile (PRECONDITION_CHANGED for another lock), or ctx's.
func Reconcile(ctx context.Context, op Operation, old *Managed, comp *Composition, root *rootfs.Root) (*ManagedPlan, error) {
	panic("to be written")
}

// LockBytes returns the canonical bytes of p.Lock. They are not to be changed.
func (p *ManagedPlan) LockBytes() []byte { return p.lock }

// Noop reports that an apply would write nothing: no conflict, no action, and the new lock is the old one as a value.
func (p *ManagedPlan) Noop() bool { panic("to be written") }

// Actions returns the changes below the target, by destination.
func (p *ManagedPlan) Actions() []ManagedAction { panic("to be written") }

// Document returns the plan as the document that `compose plan` prints (docs/plans.md).
func (p *ManagedPlan) Document() strictjson.Value { panic("to be written") }

// NextLock returns the lock that an update or upgrade from old to comp writes: comp's own, but that seeds which stay
// have the digest of old.
func NextLock(old *lockv2.Lock, comp *Composition) lockv2.Lock { panic("to be written") }

// Implied returns the actions that lead from one lock to another, by destination: what a transaction between them
// must have, no more and no less. Material is nil in all of them. An error says that no update or upgrade leads from
// one to the other: a file changes its component or ownership, or a seed that stays its digest.
func Implied(from, to *lockv2.Lock) ([]ManagedAction, error) { panic("to be written") }
