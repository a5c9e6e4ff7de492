package main

import (
	"errors"
	"fmt"
	"slices"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/starter"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/txn"
	"example.org/compose/validator"
)

type inspectCommand struct {
	targetFlag
}

func (c *inspectCommand) Help() string {
	return "Reads the target alone, no catalog. Exit 2 where the target is invalid or interrupted; the answer lists the faults and the commands that help."
}

func (c *inspectCommand) Run(s *session) error {
	s.working("checking the files")
	report, err := validator.Validate(s.ctx, c.Target)
	if err != nil {
		return err
	}
	next := nextOf(report)
	var work *unfinished
	if report.State == validator.Interrupted {
		if work, err = c.unfinished(s, report); err != nil {
			return err
		}
		next = nil // with a marker that can't be read the fault says what to do
		if work != nil {
			next = []string{work.command()}
		}
	}
	if c.Target != "." {
		for i := range next {
			next[i] += " --target " + diag.Quote(c.Target)
		}
	}
	return s.answer(report.InspectDocument(work.document(), next), func(w *textWriter) { c.text(w, report, work, next) }, stateExit(report))
}

// unfinished is an update or upgrade that was interrupted, and how far it is.
type unfinished struct {
	marker   *txn.Marker
	progress *txn.Progress
}

// unfinished reads the marker; nil where there is none that can be carried on from. What it finds at fault goes
// into the report.
func (c *inspectCommand) unfinished(s *session, report *validator.Report) (*unfinished, error) {
	root, err := rootfs.Open(c.Target)
	if err != nil {
		return nil, nil // it went away meanwhile; the report says what was seen
	}
	defer root.Close()
	marker, err := txn.ReadMarker(root)
	if err != nil {
		var coded diag.Coded
		if !errors.As(err, &coded) {
			return nil, err
		}
		message := err.Error()
		if hint := coded.Hint(); hint != "" {
			message += "; " + hint
		}
		report.Faults = append(report.Faults, validator.Fault{Code: coded.Code(), Message: message})
		return nil, nil
	}
	if marker == nil {
		return nil, nil
	}
	progress, err := txn.Survey(s.ctx, root, marker)
	if err != nil {
		return nil, err
	}
	untouched, err := validator.Check(s.ctx, root, untouchedBy(marker))
	if err != nil {
		return nil, err
	}
	report.Faults = append(report.Faults, untouched...)
	for _, b := range progress.Blocked {
		report.Faults = append(report.Faults, validator.Fault{Code: txn.CodePreconditionChanged, Destination: b.Destination, Message: b.Message})
	}
	return &unfinished{marker: marker, progress: progress}, nil
}

// untouchedBy is the new lock of a transaction with the files alone that no action touches: they must be valid now, or the
// transaction can't end.
func untouchedBy(marker *txn.Marker) *lockv2.Lock {
	touched := make(map[lockv2.Destination]bool, len(marker.Actions))
	for _, a := range marker.Actions {
		touched[a.Destination] = true
	}
	lock := *marker.NewLock
	lock.Files = slices.DeleteFunc(slices.Clone(lock.Files), func(f lockv2.File) bool { return touched[f.Destination] })
	return &lock
}

// blocked returns the destinations where something stands in the way, each once.
func (u *unfinished) blocked() []lockv2.Destination {
	var list []lockv2.Destination
	for _, b := range u.progress.Blocked {
		list = append(list, b.Destination)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// command is what finishes the run.
func (u *unfinished) command() string {
	return fmt.Sprintf("compose apply --mode %s%s --revision %s", u.marker.Operation, sourceOf(u.marker.Source.Repository), u.marker.Source.Revision)
}

// sourceOf is the flag that names the catalog of a target, where a command line without it does not: its place is not known.
func sourceOf(repository string) string {
	if repository == starter.Identity || usualSource() != builtinSource {
		return ""
	}
	return " --source " + unnamedSource
}

// nextOf returns the commands that go on from a state, but for the target. The plan of an update shows, of what differs from the
// lock, the ways out; validate shows only the faults.
func nextOf(report *validator.Report) []string {
	if report.Lock == nil || report.State != validator.Valid && report.State != validator.Invalid {
		return report.Next()
	}
	return []string{"compose plan --mode update" + sourceOf(report.Lock.Source.Repository)}
}

func (u *unfinished) document() strictjson.Value {
	if u == nil {
		return strictjson.Value{}
	}
	return strictjson.Obj(
		strictjson.F("operation", strictjson.Str(u.marker.Operation)),
		strictjson.F("revision", strictjson.Str(u.marker.Source.Revision)),
		strictjson.F("done", strictjson.Strs(u.progress.Done)),
		strictjson.F("pending", strictjson.Strs(u.progress.Pending)),
		strictjson.F("blocked", strictjson.Strs(u.blocked())),
	)
}

// stateExit is the exit status of inspect: nothing is at fault but with exitDone.
func stateExit(report *validator.Report) int {
	switch report.State {
	case validator.Absent, validator.Unmanaged, validator.Valid:
		if len(report.InspectFaults()) == 0 {
			return exitDone
		}
	}
	return exitRefused
}
