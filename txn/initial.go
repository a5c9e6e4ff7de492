package txn

import (
	"context"
	"fmt"
	"sync"

	"example.org/compose/internal/diag"
	"example.org/compose/planner"
	"example.org/compose/validator"
)

// Initial makes a first composition in the target: it plans under the target's lock, installs, makes
// all durable, writes the lock, and validates. A plan in conflict writes nothing and is a Result with status conflict.
//
// A target that is absent is planned for before it is made and held. Errors: those of plan and of Hold; UNMANAGED_TARGET_REQUIRED,
// RECOVERY_REQUIRED; PRECONDITION_CHANGED, READ_FAILED, WRITE_FAILED; VALIDATION_FAILED, and the lock that
// this run wrote is taken away again; INTERRUPTED for a ctx that ended, which is looked at until the lock
// is written. After any of them the same command goes on, on a new Target.
func (t *Target) Initial(ctx context.Context, plan PlanFunc, opt Options) (*Result, error) {
	if t.root == nil {
		p, err := plan(ctx, nil)
		if err != nil {
			return nil, planFault(ctx, err)
		}
		if result := conflictResult(p); result != nil {
			return result, nil
		}
		sizes, _ := created(p.Actions, len(p.Composition.LockBytes()))
		if err := checkSpace(nearest(t.path), sizes); err != nil {
			return nil, err
		}
		if err := t.make(ctx); err != nil {
			return nil, err
		}
	}
	result, err := t.initial(ctx, plan, opt)
	if err == nil && result.Status == StatusApplied {
		t.made = nil
	}
	return result, err
}

// Initial is Hold and then Target.Initial.
func Initial(ctx context.Context, path string, plan PlanFunc, opt Options) (*Result, error) {
	return holding(ctx, path, opt, func(t *Target) (*Result, error) { return t.Initial(ctx, plan, opt) })
}

// holding does the work on a target that it holds.
func holding(ctx context.Context, path string, opt Options, work func(*Target) (*Result, error)) (*Result, error) {
	t, err := Hold(ctx, path, opt.Wait)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return work(t)
}

// initial is Initial on a target that is held.
func (t *Target) initial(ctx context.Context, plan PlanFunc, opt Options) (*Result, error) {
	if err := planner.CheckUnmanaged(t.root); err != nil {
		return nil, err
	}
	p, err := plan(ctx, t.root)
	if err != nil {
		return nil, planFault(ctx, err)
	}
	if result := conflictResult(p); result != nil {
		return result, nil
	}
	lock := p.Composition.LockBytes()
	sizes, paths := created(p.Actions, len(lock))
	if err := checkSpace(t.path, sizes); err != nil {
		return nil, err
	}
	d := t.wrapped(opt)
	if err := checkFolders(d, paths); err != nil {
		return nil, err
	}
	if err := checkFlush(d, opt.Flush); err != nil {
		return nil, err
	}
	t.root.Forget() // what the plan remembers of the target is not to be taken for its state from here on
	work := &installation{
		composer: composer{disk: d, source: p.Composition, opt: opt},
		actions:  p.Actions, lock: lock,
		above: func() error { return syncAbove(t.folder) },
	}
	if err := work.run(ctx); err != nil {
		return nil, err
	}
	if err := t.validate(ctx, work); err != nil {
		return nil, err
	}
	created, adopted := work.done()
	return &Result{Status: StatusApplied, Operation: "initial", Lock: &p.Composition.Lock, Created: created, Adopted: adopted}, nil
}

// validate looks at the finished target with the validator, as CI will. It is not interrupted: it writes nothing
// unless it finds a fault, and a lock that nobody looked at should not stay.
func (t *Target) validate(ctx context.Context, work *installation) error {
	report, err := validator.Validate(context.WithoutCancel(ctx), t.path)
	if err == nil && report.State == validator.Valid {
		return nil
	}
	fault := &Error{}
	if err != nil {
		fault.Base = diag.Wrap(CodeValidationFailed, t.path, "the finished target could not be validated", err)
	} else {
		fault.Faults = report.Faults
		fault.Base = diag.New(CodeValidationFailed, "", fmt.Sprintf(
			"something changed the target while it was composed: %s; the lock was taken away again: look at it and run the same command again", describe(report.Faults)))
	}
	if err := work.withdraw(); err != nil {
		return err
	}
	work.undo()
	return fault
}

// conflictResult is the result of a plan with conflicts, or nil.
func conflictResult(p *planner.InitialPlan) *Result {
	if len(p.Conflicts) == 0 {
		return nil
	}
	return &Result{Status: StatusConflict, Operation: "initial", Conflicts: p.Conflicts}
}

// planFault is the error of a plan, or that of a context that ended while it was made.
func planFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return err
}

// warner passes each warning on once.
type warner struct {
	to   func(string)
	mu   sync.Mutex
	said map[string]bool
}

func (w *warner) warn(msg string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil || w.said[msg] {
		return
	}
	if w.said == nil {
		w.said = map[string]bool{}
	}
	w.said[msg] = true
	w.to(msg)
}
