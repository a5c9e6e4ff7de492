package txn

import (
	"context"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/validator"
)

// ManagedPlanFunc makes the plan of an update or upgrade for a target that is open; it may be called several times. The
// root is nil where the target is absent: no such plan can be made.
type ManagedPlanFunc func(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error)

// replans bounds how often a target that changes under the plan is planned for again.
const replans = 3

// Reconcile carries out an update or upgrade of the target: it plans under the target's lock, stages all new bytes,
// writes the marker, changes the files, replaces the lock, validates, and removes the marker. A plan in conflict, and one that
// changes nothing, write nothing.
//
// Errors: those of plan; INVALID_TARGET, PRECONDITION_CHANGED, READ_FAILED, WRITE_FAILED, VALIDATION_FAILED, INTERRUPTED for a
// ctx that ended. Where the *Error has Unfinished the marker stands, and Recover goes on; else nothing was changed.
func (t *Target) Reconcile(ctx context.Context, plan ManagedPlanFunc, opt Options) (*Result, error) {
	if t.root == nil {
		if _, err := plan(ctx, nil); err != nil {
			return nil, planFault(ctx, err)
		}
		return nil, gone(t.path)
	}
	for range replans {
		t.root.Forget()
		p, err := plan(ctx, t.root)
		if err != nil {
			return nil, planFault(ctx, err)
		}
		result, err := t.reconcile(ctx, p, opt)
		if err != errStale {
			return result, err
		}
	}
	return nil, &Error{Base: diag.New(CodePreconditionChanged, "",
		"files changed each time that the plan had been made, and nothing was written; run the same command again when no other program writes to the target")}
}

// Reconcile is Hold and then Target.Reconcile.
func Reconcile(ctx context.Context, path string, plan ManagedPlanFunc, opt Options) (*Result, error) {
	return holding(ctx, path, opt, func(t *Target) (*Result, error) { return t.Reconcile(ctx, plan, opt) })
}

// gone is INVALID_TARGET for a target that is absent.
func gone(path string) error {
	return &Error{Base: diag.New(CodeInvalidTarget, path, "there is no such folder; name the target")}
}

// reconcile carries out one plan on a target that is held; errStale where the target is not what it was made for.
func (t *Target) reconcile(ctx context.Context, p *planner.ManagedPlan, opt Options) (*Result, error) {
	if len(p.Conflicts) > 0 {
		return &Result{Status: StatusConflict, Operation: string(p.Operation), Conflicts: p.Conflicts}, nil
	}
	d := t.wrapped(opt)
	if p.Noop() {
		clearStale(d)
		return &Result{Status: StatusUnchanged, Operation: string(p.Operation), Lock: p.Old.Lock, Preserved: seeds(p.Old.Lock)}, nil
	}
	if err := checkFlush(d, opt.Flush); err != nil {
		return nil, err
	}
	work, err := newTransaction(d, newMarker(p), p.Composition, opt, t.validator(&p.Lock))
	if err != nil {
		return nil, err
	}
	t.root.Forget() // what the plan remembers of the target is not to be taken for its state from here on
	if err := work.checkRoom(t.path, func(int) bool { return true }); err != nil {
		return nil, err
	}
	if err := work.run(ctx); err != nil {
		return nil, err
	}
	return work.result(StatusApplied), nil
}

// clearStale removes what an interrupted run left in staging, if it can. Without a marker nothing of a consumer's is in it.
func clearStale(d disk) {
	c := &composer{disk: d}
	if _, err := d.List(lockv2.StagingFolder, -1); err == nil {
		_ = c.clear(lockv2.StagingFolder)
	}
}

// validator returns what looks at the finished files.
func (t *Target) validator(lock *lockv2.Lock) func(context.Context) ([]validator.Fault, error) {
	return func(ctx context.Context) ([]validator.Fault, error) {
		t.root.Forget()
		return validator.Check(ctx, t.root, lock)
	}
}

// wrapped returns the disk of the target, in tests with a twin before it.
func (t *Target) wrapped(opt Options) disk {
	if opt.wrap != nil {
		return opt.wrap(t.disk)
	}
	return t.disk
}
