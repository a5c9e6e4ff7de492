package planner

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

// Managed is a target's lock, read for an update or upgrade.
type Managed struct {
	Lock   *lockv2.Lock
	Digest fingerprint.LockFile // of the bytes exactly as they stand in the target
}

// ReadManaged reads the lock of the target in root (nil: the target is absent).
//
// Errors: RECOVERY_REQUIRED for a marker of whatever kind and content; MANAGED_LOCK_REQUIRED where there is no
// lock; INVALID_LOCK for a lock, or a state folder, that is a symlink or another kind of file, and for every fault of
// the lock, with a pointer; UNSUPPORTED_LOCK_VERSION; INVALID_JSON; READ_FAILED.
func ReadManaged(root *rootfs.Root) (*Managed, error) {
	var b []byte
	err := readLock(root, func() (err error) {
		b, err = root.ReadFile(lockv2.LockPath, lockv2.MaxSize)
		return err
	})
	if err != nil {
		return nil, err
	}
	lock, err := lockv2.Parse(b)
	var form *strictjson.Error
	var rule *lockv2.Error
	switch {
	case errors.As(err, &form):
		return nil, lockError(form.Code(), lockv2.LockPath, form.Error(), "")
	case errors.As(err, &rule):
		return nil, lockError(rule.Code(), rule.Path(), rule.Message(), rule.Hint())
	case err != nil:
		return nil, err
	}
	return &Managed{Lock: lock, Digest: fingerprint.Of[fingerprint.LockFile](b)}, nil
}

// readLock calls read for the lock of a target without a marker, and says what its error, or a marker, means.
func readLock(root *rootfs.Root, read func() error) error {
	_, err := root.Stat(lockv2.MarkerPath)
	if err == nil {
		return &Error{Base: diag.New(CodeRecoveryRequired, lockv2.MarkerPath,
			"an update or upgrade of this target is not finished; wait for it where it still runs, else finish it before anything else").
			WithHint("compose inspect shows the command that finishes it")}
	}
	if missing(err) { // of the marker
		err = read()
	}
	var fault *rootfs.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &fault):
		return err
	}
	switch fault.Reason {
	case rootfs.Missing:
		return &Error{Base: diag.New(CodeManagedLockRequired, lockv2.LockPath,
			"the target has no lock, so there is nothing to update; compose it first with --mode initial, or restore the lock from version control")}
	case rootfs.Unreadable, rootfs.Changed:
		return &Error{Base: diag.New(CodeReadFailed, fault.At, fault.Message())}
	case rootfs.ParentNotDirectory:
		return lockError(CodeInvalidLock, fault.At, "is no folder, but compose keeps its lock below it; move it away, and restore the lock", "")
	}
	return lockError(CodeInvalidLock, fault.At, fault.Message(), "")
}

func lockError(code, path, msg, hint string) error {
	return &Error{Base: diag.New(code, path, msg).WithHint(cmp.Or(hint,
		"nothing but compose should write the lock; restore it, for instance with: git checkout -- "+lockv2.LockPath))}
}

// UpdateConfig rebuilds the resolver's input from a lock alone: its intent, and the digest of the configuration
// that was last given. An update resolves it at the new revision; a recovery takes it from the marker's new lock.
func UpdateConfig(lock *lockv2.Lock) resolver.Config {
	return resolver.Config{Intent: lock.Intent, Digest: lock.ConfigurationDigest, Place: lockv2.LockPath + "#/intent/parameters"}
}

// sameChoice reports whether two locks have the intent and the configuration digest in common.
func sameChoice(a, b *lockv2.Lock) bool {
	return a.ConfigurationDigest == b.ConfigurationDigest &&
		bytes.Equal(strictjson.Encode(a.Intent.Value()), strictjson.Encode(b.Intent.Value()))
}

// NextLock returns the lock that an update or upgrade from old to comp writes: comp's own, but that seeds which stay
// have the digest of old.
func NextLock(old *lockv2.Lock, comp *Composition) lockv2.Lock {
	next := comp.Lock
	next.Files = slices.Clone(comp.Lock.Files)
	forBoth(old.Files, next.Files, func(before, after *lockv2.File) {
		if before != nil && after != nil && before.Ownership == lockv2.Seed && sameOwner(before, after) {
			after.Digest = before.Digest
		}
	})
	return next
}

// Implied returns the actions that lead from one lock to another, by destination: what a transaction between them
// must have, no more and no less. Material is nil in all of them. An error says that no update or upgrade leads from
// one to the other: a file changes its component or ownership, or a seed that stays its digest.
func Implied(from, to *lockv2.Lock) ([]ManagedAction, error) {
	var actions []ManagedAction
	var fault error
	forBoth(from.Files, to.Files, func(before, after *lockv2.File) {
		switch {
		case before == nil:
			actions = append(actions, actionAt(Create, after))
		case after == nil && before.Ownership == lockv2.Seed: // stays, as the consumer's own
		case after == nil:
			actions = append(actions, actionAt(Remove, before))
		case !sameOwner(before, after):
			fault = cmp.Or(fault, fmt.Errorf("%q changes its component or ownership", before.Destination))
		case before.Digest == after.Digest:
		case before.Ownership == lockv2.Seed:
			fault = cmp.Or(fault, fmt.Errorf("the digest of the seed %q changes", before.Destination))
		default:
			action := actionAt(Replace, after)
			action.From = before.Digest
			actions = append(actions, action)
		}
	})
	if fault != nil {
		return nil, fault
	}
	return actions, nil
}

func actionAt(kind ActionKind, f *lockv2.File) ManagedAction {
	action := ManagedAction{Kind: kind, Destination: f.Destination, Component: f.Component, Ownership: f.Ownership}
	if kind == Remove {
		action.From = f.Digest
	} else {
		action.To = f.Digest
	}
	return action
}

func sameOwner(a, b *lockv2.File) bool {
	return a.Component == b.Component && a.Ownership == b.Ownership
}

// forBoth calls visit for every destination of two lists, in order; nil stands for a file that is not in a list.
func forBoth(before, after []lockv2.File, visit func(before, after *lockv2.File)) {
	for i, k := 0, 0; i < len(before) || k < len(after); {
		switch {
		case k == len(after) || i < len(before) && before[i].Destination < after[k].Destination:
			visit(&before[i], nil)
			i++
		case i == len(before) || after[k].Destination < before[i].Destination:
			visit(nil, &after[k])
			k++
		default:
			visit(&before[i], &after[k])
			i++
			k++
		}
	}
}
