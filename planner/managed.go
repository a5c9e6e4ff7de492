package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
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
	Includes      *IncludeChanges      // of Replace with a composed material; nil for others, and where the locked revision can't tell
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

	digest fingerprint.LockFile
}

// Reconcile plans an update or upgrade of the target in root from old to what comp supplies. For an update comp is
// made from UpdateConfig(old.Lock).
//
// It reads the files that the old lock lists, on all cores, lists the folders on the way to a new destination, and
// looks at nothing else. What it finds in the target is a Conflict of the plan. Errors: ctx's; RECOVERY_REQUIRED or
// those of a lock that can't be read, and PRECONDITION_CHANGED for another lock, where they changed meanwhile: then
// what was seen may be neither old nor new.
func Reconcile(ctx context.Context, op Operation, old *Managed, comp *Composition, root *rootfs.Root) (*ManagedPlan, error) {
	seen := Observe(ctx, root, old)
	defer seen.Close()
	return seen.Reconcile(ctx, op, comp)
}

// Reconcile is the function of that name for the target that was observed.
func (s *Snapshot) Reconcile(ctx context.Context, op Operation, comp *Composition) (*ManagedPlan, error) {
	plan, err := s.reconcile(ctx, op, comp)
	if err != nil {
		return nil, err
	}
	s.root.Forget()
	var now rootfs.Sum
	err = readLock(s.root, func() (err error) {
		now, err = s.root.Digest(ctx, lockv2.LockPath, make([]byte, rootfs.BufferSize))
		return err
	})
	if err != nil {
		return nil, err
	}
	if fingerprint.LockFile(now.Digest) != s.Managed.Digest {
		return nil, &Error{Base: diag.New(CodePreconditionChanged, lockv2.LockPath, fmt.Sprintf(
			"the lock changed while the %s was planned; run the same command again", op))}
	}
	return plan, nil
}

func (s *Snapshot) reconcile(ctx context.Context, op Operation, comp *Composition) (*ManagedPlan, error) {
	old, root := s.Managed, s.target
	if op != Upgrade && (op != Update || !sameChoice(old.Lock, &comp.Lock)) {
		return nil, fmt.Errorf("internal: a composition of another choice than the lock's is no %q", string(op))
	}
	plan := &ManagedPlan{Operation: op, Old: old, Composition: comp, Lock: NextLock(old.Lock, comp), digest: comp.digest}
	if !slices.Equal(plan.Lock.Files, comp.Lock.Files) {
		var err error
		if plan.digest, err = digestOf(&plan.Lock); err != nil {
			return nil, err
		}
	}
	plan.Components, plan.Conflicts = compareComponents(op, old.Lock, &comp.Lock)

	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	places := pair(old.Lock.Files, s.files, comp.Materials)
	if err := look(ctx, root, places); err != nil {
		return nil, err
	}
	explainFreed(op, places)
	rows, components := table(), len(plan.Conflicts)
	plan.Conflicts = append(plan.Conflicts, stagingConflicts(root)...)
	plan.Files = make([]ManagedFile, 0, len(places))
	for i := range places {
		if file, conflict := classify(rows, op, &places[i]); conflict != nil {
			plan.Conflicts = append(plan.Conflicts, *conflict)
		} else {
			plan.Files = append(plan.Files, file)
		}
	}
	slices.SortStableFunc(plan.Conflicts[components:], func(a, b Conflict) int {
		return strings.Compare(string(a.Destination), string(b.Destination))
	})
	if err := exhausted(plan.Conflicts); err != nil {
		return nil, err
	}
	return plan, plan.explainIncludes(ctx)
}

// LockBytes returns the canonical bytes of p.Lock, made anew by each call.
func (p *ManagedPlan) LockBytes() []byte { return lockBytes(&p.Lock) }

// LockDigest returns the digest of LockBytes.
func (p *ManagedPlan) LockDigest() fingerprint.LockFile { return p.digest }

// Noop reports that an apply would write nothing: no conflict, no action, and the new lock is the old one as a value,
// in whatever white space that one stands.
func (p *ManagedPlan) Noop() bool {
	if len(p.Conflicts) > 0 || slices.ContainsFunc(p.Files, ManagedFile.changes) {
		return false
	}
	if p.Old.Digest == p.digest {
		return true
	}
	old, err := lockv2.Digest(p.Old.Lock)
	return err == nil && old == p.digest
}

// Actions returns the changes below the target, by destination.
func (p *ManagedPlan) Actions() []ManagedAction {
	var actions []ManagedAction
	for i := range p.Files {
		if p.Files[i].changes() {
			actions = append(actions, p.Files[i].ManagedAction)
		}
	}
	return actions
}

// changes reports whether the target is changed at this destination.
func (f ManagedFile) changes() bool { return f.Kind == Create || f.Kind == Replace || f.Kind == Remove }
