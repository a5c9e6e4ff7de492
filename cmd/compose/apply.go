package main

import (
	"context"

	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/txn"
)

type applyCommand struct {
	choiceFlags
	Plan string   `placeholder:"FILE" help:"Apply exactly this saved plan, or refuse with PLAN_STALE; without --config its choice counts."`
	Wait waitFlag `placeholder:"DURATION" help:"How long to wait for another compose at work on the target, such as 30s (default: not at all)."`
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
	result, err := c.apply(s)
	if err != nil {
		return err
	}
	exit := exitDone
	if result.Status == txn.StatusConflict {
		exit = exitRefused
	}
	return s.answer(result.Document(), func(w *textWriter) { applyText(w, result) }, exit)
}

func (c *applyCommand) apply(s *session) (*txn.Result, error) {
	// A first look without the target's lock, so that the target's faults are said before the configuration's.
	root, err := openTarget(c.Target)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if c.Mode == modeInitial {
		if err := planner.CheckUnmanaged(root); err != nil {
			return nil, err
		}
		return c.initial(s)
	}
	marker, err := txn.ReadMarker(root)
	if err != nil {
		return nil, err
	}
	if marker != nil {
		return c.recover(s, marker)
	}
	if _, err := planner.ReadManaged(root); err != nil {
		return nil, err
	}
	return c.reconcile(s)
}

// initial makes a first composition.
func (c *applyCommand) initial(s *session) (*txn.Result, error) {
	saved, err := readPlan(s.ctx, c.Plan)
	if err != nil {
		return nil, err
	}
	work, err := c.open(s.ctx, saved)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	return txn.Initial(s.ctx, c.Target, func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		plan, err := work.initial(ctx, root)
		if err != nil {
			return nil, err
		}
		return plan, checkFresh(saved, plan.Document)
	}, c.options(s))
}

// reconcile carries out an update or upgrade.
func (c *applyCommand) reconcile(s *session) (*txn.Result, error) {
	saved, err := readPlan(s.ctx, c.Plan)
	if err != nil {
		return nil, err
	}
	if saved == nil || c.chosen() {
		if err := c.checkManagedChoice(); err != nil {
			return nil, err
		}
	}
	work, err := c.open(s.ctx, saved)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	return txn.Reconcile(s.ctx, c.Target, func(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error) {
		plan, err := work.reconcile(ctx, root)
		if err != nil {
			return nil, err
		}
		return plan, checkFresh(saved, plan.Document)
	}, c.options(s))
}

// recover finishes what an interrupted update or upgrade began.
func (c *applyCommand) recover(s *session, marker *txn.Marker) (*txn.Result, error) {
	if err := c.checkRecovery(marker); err != nil {
		return nil, err
	}
	work, err := c.openFor(s.ctx, marker)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	made, err := planner.Materialize(s.ctx, work.catalog, work.repository, work.config)
	if err != nil {
		return nil, err
	}
	return txn.Recover(s.ctx, c.Target, marker, made, c.options(s))
}

func (c *applyCommand) options(s *session) txn.Options {
	return txn.Options{Wait: c.Wait.Duration, Warn: s.warn, Progress: s.progress()}
}
