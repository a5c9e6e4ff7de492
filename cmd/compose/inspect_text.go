package main

import (
	"fmt"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

// text is the human form of a target's state; work is nil unless a run is not finished.
func (c *inspectCommand) text(w *textWriter, r *validator.Report, work *unfinished, next []string) {
	w.line("%s: %s", stateText(r.State), stateMeaning(r.State))
	if r.Lock != nil {
		w.gap()
		w.field("Recipe", "%s, %s", r.Lock.Intent.Recipe, diag.Count(len(r.Lock.Components), "component"))
		w.field("Source", "%s at %s", r.Lock.Source.Repository, r.Lock.Source.Revision)
		w.field("Files", "%s", ownershipText(r.Lock))
		w.field("Composition", "%s", r.Lock.Composition())
	}
	if work != nil {
		work.text(w)
	}
	faults := r.InspectFaults()
	if work != nil { // then state and next command say it
		faults = slices.DeleteFunc(slices.Clone(faults), func(f validator.Fault) bool { return f.Code == validator.CodeRecoveryRequired })
	}
	if len(faults) > 0 {
		w.heading("%s:", diag.Count(len(faults), "fault"))
		faultsText(w, &c.targetFlag, faults)
	}
	w.next(next...)
	if r.Lock != nil && slices.ContainsFunc(next, func(command string) bool { return strings.Contains(command, " "+unnamedSource) }) {
		w.gap()
		w.prose(0, "%s stands for the place of %s: a folder or a URL.", unnamedSource, r.Lock.Source.Repository)
	}
}

func stateText(s validator.State) marked {
	switch s {
	case validator.Valid:
		return good(s)
	case validator.Absent, validator.Unmanaged:
		return strong(s)
	case validator.Interrupted:
		return caution(s)
	}
	return bad(s)
}

func stateMeaning(s validator.State) string {
	switch s {
	case validator.Absent:
		return "there is no such folder yet"
	case validator.Unmanaged:
		return "there is no lock, so nothing here is kept in step yet"
	case validator.Valid:
		return "every file is as the lock records it"
	case validator.Invalid:
		return "the target differs from its lock"
	case validator.Interrupted:
		return "an update or upgrade is not finished"
	}
	return "this is no folder to compose in"
}

// text shows how far an interrupted run is.
func (u *unfinished) text(w *textWriter) {
	w.heading("Interrupted: an %s to %s", u.marker.Operation, w.revision(u.marker.Source.Revision))
	for _, group := range []struct {
		sign marked
		name string
		list []lockv2.Destination
	}{{good("+"), "done", u.progress.Done}, {faint("."), "pending", u.progress.Pending}, {bad("!"), "blocked", u.blocked()}} {
		w.field(group.name, "%d", len(group.list))
		w.list(len(group.list), "file", func(i int) { w.line("    %s %s", group.sign, group.list[i]) })
	}
}

// ownershipText counts the files of a lock by ownership.
func ownershipText(l *lockv2.Lock) string {
	n := make(map[lockv2.Ownership]int)
	for _, f := range l.Files {
		n[f.Ownership]++
	}
	return fmt.Sprintf("%d managed, %d generated, %d seed", n[lockv2.Managed], n[lockv2.Generated], n[lockv2.Seed])
}

// faultGroup is the faults of one code and one message.
type faultGroup struct {
	code, message string
	files         []lockv2.Destination
}

// faultsText lists what a look at a target found, what is wrong in the same way together.
func faultsText(w *textWriter, t *targetFlag, faults []validator.Fault) {
	var groups []*faultGroup
	for _, f := range faults {
		i := slices.IndexFunc(groups, func(g *faultGroup) bool { return g.code == f.Code && g.message == f.Message })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &faultGroup{code: f.Code, message: f.Message})
		}
		if f.Destination != "" {
			groups[i].files = append(groups[i].files, f.Destination)
		}
	}
	for i, g := range groups {
		if i > 0 {
			w.gap()
		}
		w.list(len(g.files), "file", func(i int) { w.line("  %s %s", bad("!"), g.files[i]) })
		if len(g.files) == 0 {
			w.hanging(2, spans("%s ", bad("!")), "%s: %s", strong(g.code), g.message)
			continue
		}
		w.prose(4, "%s: %s", strong(g.code), g.message)
		if g.code == validator.CodeMaterialMissing || g.code == validator.CodeMaterialModified {
			w.commandAt(8, t.git("checkout --", g.files))
		}
	}
}
