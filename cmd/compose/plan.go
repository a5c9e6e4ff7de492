package main

import (
	"context"
	"path/filepath"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/report"
	"example.org/compose/internal/review"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

type planCommand struct {
	choiceFlags
	Out      string `placeholder:"FILE" help:"Also write the plan to a file, for apply --plan."`
	Diff     bool   `help:"Also show the lines that would change; in JSON form, on standard error."`
	ExitCode bool   `help:"Exit 1 when apply would write anything, 0 when it would not."`
}

func (c *planCommand) Help() string {
	return `A plan is read-only and deterministic: the same revision, choice and target give the same bytes on every machine.

  compose plan --recipe skill --target my-skill
  compose plan --config composition.json --source ../templates --target .
  compose plan --mode update
  compose plan --mode upgrade --config composition.json --out plan.json`
}

// plan is what an apply would do: a first composition, an update or an upgrade.
type plan interface {
	Document() strictjson.Value
	header(w *textWriter)
	text(w *textWriter, c *planCommand, diff []byte)
	conflicts() []planner.Conflict
	changes() bool // an apply would write something
	review(root *rootfs.Root) *review.Review
	report(ctx context.Context, root *rootfs.Root, work *composeWork, o report.Options) (*report.Report, error)
}

type initialPlan struct{ *planner.InitialPlan }

func (p initialPlan) conflicts() []planner.Conflict { return p.Conflicts }
func (p initialPlan) changes() bool                 { return true } // the lock at least

type managedPlan struct{ *planner.ManagedPlan }

func (p managedPlan) conflicts() []planner.Conflict { return p.Conflicts }
func (p managedPlan) changes() bool                 { return !p.Noop() }

func (c *planCommand) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := c.checkOut(); err != nil {
		return err
	}
	diff := s.differences()
	plan, err := refetched(s, &c.sourceFlags, func() (plan, error) {
		diff.Reset()
		return c.make(s, func(root *rootfs.Root, p plan) error {
			if !c.Diff {
				return nil
			}
			return writeDiff(s.ctx, diff, p.review(root))
		})
	})
	if err != nil {
		return err
	}
	doc := plan.Document()
	if c.Out != "" {
		if err := writePlan(s.ctx, c.Out, doc); err != nil {
			return err
		}
	}
	exit := exitDone
	switch {
	case len(plan.conflicts()) > 0:
		exit = exitRefused
	case c.ExitCode && plan.changes():
		exit = exitChanges
	}
	if s.format == formatJSON {
		if _, err := s.stderr.Write(diff.Bytes()); err != nil {
			return &commandError{diag.Wrap(codeWriteFailed, "standard error", "the differences can't be written", err)}
		}
	}
	return s.answer(doc, func(w *textWriter) { plan.text(w, c, diff.Bytes()) }, exit)
}

// make plans what the flags ask for. look sees the plan while target and source are open.
func (c *planCommand) make(s *session, look func(*rootfs.Root, plan) error) (plan, error) {
	return c.makeFrom(s, func(root *rootfs.Root, _ *composeWork, p plan) error { return look(root, p) })
}

// makeFrom is make for those who look at the catalog too.
func (c *planCommand) makeFrom(s *session, look func(*rootfs.Root, *composeWork, plan) error) (plan, error) {
	root, err := openTarget(c.Target)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if c.Mode == modeInitial {
		if err := planner.CheckUnmanaged(root); err != nil {
			return nil, c.pending(root, err)
		}
		if err := c.usePolicy(root); err != nil {
			return nil, err
		}
		work, err := c.open(s, nil)
		if err != nil {
			return nil, err
		}
		defer work.Close()
		s.working("comparing with the target")
		made, err := work.initial(s.ctx, root)
		if err != nil {
			return nil, err
		}
		return initialPlan{made}, look(root, work, initialPlan{made})
	}
	old, err := planner.ReadManaged(root)
	if err != nil {
		return nil, c.pending(root, err)
	}
	if err := c.usePolicy(root); err != nil {
		return nil, err
	}
	if err := c.checkManagedChoice(); err != nil {
		return nil, err
	}
	seen := planner.Observe(s.ctx, root, old) // beside the loading of the catalog
	defer seen.Close()
	work, err := c.open(s, nil)
	if err != nil {
		return nil, c.notHere(err, old.Lock)
	}
	defer work.Close()
	s.working("comparing with the target")
	made, err := work.reconcile(s.ctx, root, seen)
	if err != nil {
		return nil, err
	}
	return managedPlan{made}, look(root, work, managedPlan{made})
}

// writePlan writes a plan to a file that the user named.
func writePlan(ctx context.Context, name string, doc strictjson.Value) error {
	file, err := openNamed(ctx, name)
	if err == nil {
		defer file.Cleanup()
		if err = strictjson.Write(file, doc); err == nil {
			err = file.CloseAtomicallyReplace()
		}
	}
	if err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, name, "the plan can't be written there; name another file", plainfile.Cause(err))}
	}
	return nil
}

// checkOut refuses to write the plan over the composer's own files in the target.
func (c *planCommand) checkOut() error {
	if c.Out == "" {
		return nil
	}
	if inside(filepath.Join(c.Target, lockv2.StateFolder), c.Out) {
		return &usageError{msg: "--out names a place in " + lockv2.StateFolder + " of the target, which is the composer's own; name another file"}
	}
	return nil
}

// readPlan reads a plan that was saved; nil where none was named.
func readPlan(ctx context.Context, name string) (*planner.SavedPlan, error) {
	if name == "" {
		return nil, nil
	}
	b, err := readFile(ctx, name, planner.MaxPlan)
	if err != nil {
		return nil, err
	}
	return planner.ParsePlan(name, b)
}
