package main

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// codeDestinationUnknown is the code of a destination that nothing supplies.
const codeDestinationUnknown = "DESTINATION_UNKNOWN"

type explainCommand struct {
	Destinations []string `arg:"" name:"destination" placeholder:"DESTINATION" help:"A file of the target, by its path in it."`
	selectionFlags
	Repository string `placeholder:"OWNER/NAME" help:"The catalog's identity, where its catalog.json names none."`

	sourceFlags
	targetFlag
}

func (c *explainCommand) Help() string {
	return `Of each file: the component that supplies it and why that is in, whose the bytes are, where they come from in the catalog, the revision that changed them last, whether they are as the lock records them, and what an update would do. Reads alone.

  compose explain README.md
  compose explain .github/workflows/ci.yml --source ../templates
  compose explain README.md --recipe skill --target not-composed-yet

A target without a lock needs a choice: then it is a first composition that is explained. A target with one and a choice: an upgrade. A URL without --revision is looked at as of the lock's revision. Without --source, where the usual one can't be used, what the lock says is told, and why there is no more.`
}

func (c *explainCommand) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	var destinations []lockv2.Destination
	for _, arg := range c.Destinations {
		destination, err := c.destination(arg)
		if err != nil {
			return err
		}
		if !slices.Contains(destinations, destination) {
			destinations = append(destinations, destination)
		}
	}
	choice := &choiceFlags{selectionFlags: c.selectionFlags, Repository: c.Repository, sourceFlags: c.sourceFlags, targetFlag: c.targetFlag}
	made, err := refetched(s, &choice.sourceFlags, func() (*explanation, error) { return explain(s, choice, destinations) })
	if err != nil {
		return err
	}
	exit := exitDone
	if len(made.unknown) > 0 {
		exit = exitRefused
	}
	return s.answer(made.document(), made.text, exit)
}

// destination is an argument as a destination: relative to the target, also where the user gave the whole path of the file.
func (c *explainCommand) destination(arg string) (lockv2.Destination, error) {
	if arg == "" {
		return "", &usageError{msg: "a destination is empty; name a file of the target, by its path in it"}
	}
	if filepath.IsAbs(arg) {
		target, err := filepath.Abs(c.Target)
		if err != nil {
			return "", &commandError{diag.Wrap(codeReadFailed, c.Target, "the folder can't be found", plainfile.Cause(err))}
		}
		if inside, err := filepath.Rel(target, arg); err == nil {
			arg = inside
		}
	}
	return lockv2.Destination(path.Clean(filepath.ToSlash(arg))), nil
}

// explanation is what there is to say of some files of a target.
type explanation struct {
	choice *choiceFlags
	recipe lockv2.RecipeID
	old    *planner.Managed // nil: the target was never composed
	bound  *lockv2.Source   // nil where the source can't be used
	plan   plan             // nil where there is none
	why    error            // why bound or plan is nil

	files   []explainedFile
	unknown []unknownFile
}

// explain tells what it can. The error is one after which there is nothing to say.
func explain(s *session, choice *choiceFlags, destinations []lockv2.Destination) (*explanation, error) {
	root, err := openTarget(choice.Target)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	e := &explanation{choice: choice}
	if err := e.begin(root); err != nil {
		return nil, err
	}
	if err := choice.usePolicy(root); err != nil {
		return nil, err
	}
	unnamed := e.old != nil && choice.Source == usualSource() && choice.Revision == "" && choice.Repository == "" && !choice.chosen()
	if _, remote, err := catalog.ParseLocation(choice.Source); err == nil && remote && choice.Revision == "" && e.old != nil {
		choice.Revision = string(e.old.Lock.Source.Revision)
	}
	look := &explainer{explanation: e, working: s.working, root: root}
	work, err := e.open(s)
	switch {
	case err == nil:
		defer work.Close()
		if err := look.ask(s.ctx, work); err != nil {
			return nil, err
		}
	case !unnamed || s.ctx.Err() != nil || choice.mended(err):
		return nil, err
	default:
		e.why = err
	}
	for _, d := range destinations {
		if err := look.at(s.ctx, d); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// begin finds out whether the target was composed, and so what would be done with it.
func (e *explanation) begin(root *rootfs.Root) error {
	old, err := planner.ReadManaged(root)
	var fault *planner.Error
	switch {
	case err == nil:
		e.old, e.recipe, e.choice.Mode = old, old.Lock.Intent.Recipe, modeUpdate
		if e.choice.chosen() {
			e.choice.Mode = modeUpgrade
		}
		return nil
	case !errors.As(err, &fault) || fault.Code() != planner.CodeManagedLockRequired:
		return e.choice.pending(root, err)
	case !e.choice.chosen():
		return &commandError{diag.New(codeConfigRequired, lockv2.LockPath,
			"the target has no lock, so nothing is known of its files; name the target with --target, or, to see what a first composition would do, give a choice: --config FILE or --recipe ID")}
	}
	e.choice.Mode = modeInitial
	return planner.CheckUnmanaged(root)
}

// open loads the catalog, if it is the one that the target was composed from.
func (e *explanation) open(s *session) (*composeWork, error) {
	work, err := e.choice.open(s, nil)
	if err != nil {
		if e.old != nil {
			err = e.choice.notHere(err, e.old.Lock)
		}
		return nil, err
	}
	if e.old != nil && work.repository != e.old.Lock.Source.Repository {
		err := work.catalog.CheckSuccessor(s.ctx, work.repository, e.old.Lock.Source)
		work.Close()
		return nil, err
	}
	return work, nil
}

// mended reports whether the same run may succeed once the source is fetched anew.
func (c *sourceFlags) mended(err error) bool {
	return c.opened != nil && !c.Offline && c.opened.Refetch(err) != nil
}

// made plans what would be done with the target.
func (e *explanation) made(ctx context.Context, work *composeWork, root *rootfs.Root) (plan, error) {
	if e.old == nil {
		made, err := work.initial(ctx, root)
		if err != nil {
			return nil, err
		}
		return initialPlan{made}, nil
	}
	made, err := work.reconcile(ctx, root, nil)
	if err != nil {
		return nil, err
	}
	return managedPlan{made}, nil
}
