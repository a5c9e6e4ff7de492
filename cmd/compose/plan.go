package main

import (
	"context"

	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/txn"
)

type planCommand struct {
	choiceFlags
	ExitCode bool `help:"Exit 1 when apply would write anything, 0 when it would not."`
}

func (c *planCommand) Help() string {
	return `A plan is read-only and deterministic: the same revision, choice and target give the same bytes on every machine.

  compose plan --recipe skill --target my-skill
  compose plan --config composition.json --source ../templates --target .`
}

func (c *planCommand) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	root, err := openUnmanaged(c.Target)
	if err != nil {
		return err
	}
	defer root.Close()
	work, err := c.open(s.ctx)
	if err != nil {
		return err
	}
	defer work.Close()
	plan, err := work.plan(s.ctx, root)
	if err != nil {
		return err
	}
	exit := exitDone
	switch {
	case len(plan.Conflicts) > 0:
		exit = exitRefused
	case c.ExitCode: // a first composition writes the lock at least
		exit = exitChanges
	}
	return s.answer(plan.Document(), func(w *textWriter) { planText(w, plan) }, exit)
}

type applyCommand struct {
	choiceFlags
	Wait waitFlag `placeholder:"DURATION" help:"How long to wait for another compose at work on the target, such as 30s (default: not at all)."`
}

func (c *applyCommand) Help() string {
	return `Plans again, then installs every file durably and writes the lock last. Nothing that exists is overwritten: with a conflict nothing at all is written. Interrupted at any instant, the same command goes on.

  compose apply --recipe skill --target my-skill
  compose apply --recipe service --include capability.container --target .`
}

func (c *applyCommand) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	// A first look without the target's lock, so that the target's faults are said before the configuration's.
	root, err := openUnmanaged(c.Target)
	if err != nil {
		return err
	}
	root.Close()
	work, err := c.open(s.ctx)
	if err != nil {
		return err
	}
	defer work.Close()
	progress := s.progress()
	result, err := txn.Initial(s.ctx, c.Target, func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		return work.plan(ctx, root)
	}, txn.Options{Wait: c.Wait.Duration, Warn: s.warn, Progress: progress})
	if err != nil {
		return err
	}
	exit := exitDone
	if len(result.Conflicts) > 0 {
		exit = exitRefused
	}
	return s.answer(result.Document(), func(w *textWriter) { applyText(w, result) }, exit)
}
