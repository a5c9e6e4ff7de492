package main

import (
	"context"
	"errors"
	"fmt"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/txn"
)

type applyCommand struct {
	choiceFlags
	Plan string   `placeholder:"FILE" help:"Apply exactly this saved plan, or refuse with PLAN_STALE; without --config its choice counts."`
	Wait waitFlag `placeholder:"DURATION" help:"How long to wait for another compose at work on the target, such as 30s (default: not at all)."`

	Flush string `enum:"auto,fsync,syncfs" default:"auto" placeholder:"auto|fsync|syncfs" help:"How files are made durable: each by an fsync, or all at once by syncfs, which is faster for many, and also writes what other programs have left unwritten on that file system. auto takes syncfs for 64 and more where the kernel reports failed writes through it, and syncfs alone refuses to go on where it does not."`

	planned plan // the last one, for the ways out of its conflicts
}

func (c *applyCommand) Help() string {
	return `Plans again, then makes every change durable and writes the lock last. With a conflict nothing at all is written. Interrupted at any instant, the same command goes on; an interrupted update or upgrade is finished without --config.

  compose apply --recipe skill --target my-skill
  compose apply --recipe service --include capability.mcp --target .
  compose apply --mode update
  compose apply --mode upgrade --config composition.json
  compose apply --mode upgrade --plan plan.json`
}

func (c *applyCommand) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	result, err := refetched(s, &c.sourceFlags, func() (*txn.Result, error) { return c.apply(s) })
	if err != nil {
		return err
	}
	exit := exitDone
	if result.Status == txn.StatusConflict {
		exit = exitRefused
	}
	return s.answer(result.Document(), func(w *textWriter) { c.text(w, result) }, exit)
}

func (c *applyCommand) apply(s *session) (*txn.Result, error) {
	target, err := txn.Hold(s.ctx, c.Target, c.Wait.Duration)
	if err != nil {
		return nil, err
	}
	defer target.Close()
	if c.Mode == modeInitial {
		if err := planner.CheckUnmanaged(target.Root()); err != nil {
			return nil, c.pending(target.Root(), c.otherMode(s, err))
		}
		if err := c.usePolicy(target.Root()); err != nil {
			return nil, err
		}
		return c.initial(s, target)
	}
	if target.Root() != nil {
		marker, err := txn.ReadMarker(target.Root())
		if err != nil {
			return nil, err
		}
		if marker != nil {
			if err := c.usePolicy(target.Root()); err != nil {
				return nil, err
			}
			return c.recover(s, target, marker)
		}
	}
	old, err := planner.ReadManaged(target.Root())
	if err != nil {
		return nil, err
	}
	if err := c.usePolicy(target.Root()); err != nil {
		return nil, err
	}
	result, err := c.reconcile(s, target, old)
	return result, c.notHere(err, old.Lock)
}

// otherMode says, of a first composition that can't be, that the saved plan is for another mode.
func (c *applyCommand) otherMode(s *session, err error) error {
	var fault diag.Coded
	if c.Plan == "" || !errors.As(err, &fault) || fault.Code() != planner.CodeUnmanagedTargetRequired {
		return err
	}
	saved, failed := readPlan(s.ctx, c.Plan)
	if failed != nil || saved.Operation == modeInitial {
		return err
	}
	return &commandError{diag.New(fault.Code(), fault.Path(), fmt.Sprintf("the target has a lock, and the plan %s is for an %s; add --mode %s",
		c.Plan, saved.Operation, saved.Operation)).WithHint("--mode " + saved.Operation)}
}

// initial makes a first composition.
func (c *applyCommand) initial(s *session, target *txn.Target) (*txn.Result, error) {
	saved, err := readPlan(s.ctx, c.Plan)
	if err != nil {
		return nil, err
	}
	work, err := c.open(s, saved)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	return target.Initial(s.ctx, func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		s.working("comparing with the target")
		plan, err := work.initial(ctx, root)
		if err != nil {
			return nil, err
		}
		c.planned = initialPlan{plan}
		return plan, checkFresh(saved, plan.Document)
	}, c.options(s))
}

// reconcile carries out an update or upgrade.
func (c *applyCommand) reconcile(s *session, target *txn.Target, old *planner.Managed) (*txn.Result, error) {
	saved, err := readPlan(s.ctx, c.Plan)
	if err != nil {
		return nil, err
	}
	if saved == nil || c.chosen() {
		if err := c.checkManagedChoice(); err != nil {
			return nil, err
		}
	}
	first := planner.Observe(s.ctx, target.Root(), old) // beside the loading of the catalog
	defer first.Close()
	work, err := c.open(s, saved)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	result, err := target.Reconcile(s.ctx, func(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error) {
		s.working("comparing with the target")
		seen := first
		first = nil // a second plan is made because the target changed
		plan, err := work.reconcile(ctx, root, seen)
		if err != nil {
			return nil, err
		}
		c.planned = managedPlan{plan}
		return plan, checkFresh(saved, plan.Document)
	}, c.options(s))
	return result, c.unfinished(err, work.source.Revision())
}

// recover finishes what an interrupted update or upgrade began.
func (c *applyCommand) recover(s *session, target *txn.Target, marker *txn.Marker) (*txn.Result, error) {
	if err := c.checkRecovery(marker); err != nil {
		return nil, err
	}
	work, err := c.openFor(s, marker)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	s.working("comparing with the target")
	made, err := planner.Materialize(s.ctx, work.catalog, work.repository, work.config)
	if err != nil {
		return nil, err
	}
	result, err := target.Recover(s.ctx, marker, made, c.options(s))
	return result, c.unfinished(err, marker.Source.Revision)
}

func (c *applyCommand) options(s *session) txn.Options {
	return txn.Options{Flush: txn.Flush(c.Flush), Warn: s.warn, Progress: s.progress()}
}

// unfinished gives an error that leaves a marker the whole command which goes on, with the flags of this run.
func (c *applyCommand) unfinished(err error, revision lockv2.Revision) error {
	var stopped *txn.Error
	if !errors.As(err, &stopped) || !stopped.Unfinished {
		return err
	}
	return &hintedError{Coded: stopped, hint: c.commandAt(c.Mode, string(revision)), details: stopped.Details()}
}

// hintedError is an error of a transaction with a better hint than the library can give.
type hintedError struct {
	diag.Coded
	hint    string
	details []strictjson.Member
}

func (e *hintedError) Hint() string                 { return e.hint }
func (e *hintedError) Details() []strictjson.Member { return e.details }
func (e *hintedError) Unwrap() error                { return e.Coded }
