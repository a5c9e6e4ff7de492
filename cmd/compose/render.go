package main

import (
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/txn"
	"example.org/compose/validator"
)

// text is the human form of a first plan.
func (p initialPlan) text(w *textWriter) {
	lock := &p.Composition.Lock
	w.line("A first composition of recipe %q from %s at %s", lock.Intent.Recipe, lock.Source.Repository, lock.Source.Revision)
	w.line("")
	w.line("  %s:", count(len(lock.Components), "component"))
	for _, c := range lock.Components {
		w.line("    %s %d", c.ID, c.Version)
	}
	w.line("")
	if len(p.Actions) > 0 {
		w.line("  %s:", count(len(p.Actions), "file"))
		w.list(len(p.Actions), "file", func(i int) {
			a := p.Actions[i]
			w.line("    %s %-9s %s", sign(a.Kind), a.Material.Ownership, a.Material.Destination)
		})
		w.line("")
	}
	planEnd(w, p)
}

// text is the human form of an update or upgrade.
func (p managedPlan) text(w *textWriter) {
	lock, old := &p.Lock, p.Old.Lock
	w.line("An %s of recipe %q from %s", p.Operation, lock.Intent.Recipe, lock.Source.Repository)
	w.line("  from revision %s", old.Source.Revision)
	w.line("  to revision   %s", lock.Source.Revision)
	w.line("")
	if n := len(p.Components.Added) + len(p.Components.Removed) + len(p.Components.Changed); n > 0 {
		w.line("  %s change:", count(n, "component"))
		for _, id := range p.Components.Added {
			w.line("    + %s", id)
		}
		for _, c := range p.Components.Changed {
			w.line("    ~ %s %d -> %d", c.From.ID, c.From.Version, c.To.Version)
		}
		for _, id := range p.Components.Removed {
			w.line("    - %s", id)
		}
		w.line("")
	}
	var shown []planner.ManagedFile
	unchanged := 0
	for _, f := range p.Files {
		if f.Kind == planner.Unchanged {
			unchanged++
			continue
		}
		shown = append(shown, f)
	}
	if len(shown) > 0 {
		w.line("  %s:", count(len(shown), "file"))
		w.list(len(shown), "file", func(i int) {
			w.line("    %s %-9s %s", sign(shown[i].Kind), shown[i].Ownership, shown[i].Destination)
			if includes := shown[i].Includes; includes != nil {
				includesText(w, planner.Create, includes.Added)
				includesText(w, planner.Replace, includes.Changed)
				includesText(w, planner.Remove, includes.Removed)
			}
		})
		w.line("")
	}
	if unchanged > 0 {
		w.line("  %s unchanged", count(unchanged, "file"))
		w.line("")
	}
	planEnd(w, p)
}

// includesText lists the included files, of one kind of change, that made a difference to a composed material.
func includesText(w *textWriter, kind planner.ActionKind, paths []string) {
	for _, path := range paths {
		w.line("        %s includes  %s", sign(kind), path)
	}
}

// sign shows an action in one character.
func sign(kind planner.ActionKind) string {
	switch kind {
	case planner.Create:
		return "+"
	case planner.Replace:
		return "~"
	case planner.Remove:
		return "-"
	case planner.AdoptIdentical:
		return "="
	}
	return "." // left alone
}

// planEnd closes a plan: its conflicts, or what to do with it.
func planEnd(w *textWriter, p plan) {
	conflictsText(w, p.conflicts())
	switch {
	case len(p.conflicts()) > 0:
		w.line("%s: apply would write nothing until none is left.", count(len(p.conflicts()), "conflict"))
	case p.changes():
		w.line("Nothing was changed. `compose apply` with the same choice, source and target does it (+ create, = adopt, ~ replace, - remove, . leave alone).")
	default:
		w.line("There is nothing to do.")
	}
}

// conflictsText lists conflicts; nothing for none.
func conflictsText(w *textWriter, conflicts []planner.Conflict) {
	if len(conflicts) == 0 {
		return
	}
	w.line("  %s:", count(len(conflicts), "conflict"))
	for _, c := range conflicts {
		about, code := string(c.Destination), c.Code
		if about == "" {
			about = string(c.Component)
		}
		if c.Reason != "" {
			code += ", " + c.Reason
		}
		w.line("    ! %s: %s [%s]", about, c.Message, code)
	}
	w.line("")
}

// applyText is the human form of what an apply did.
func applyText(w *textWriter, r *txn.Result) {
	switch r.Status {
	case txn.StatusConflict:
		conflictsText(w, r.Conflicts)
		w.line("%s: nothing was written.", count(len(r.Conflicts), "conflict"))
		return
	case txn.StatusUnchanged:
		w.line("There was nothing to do: the target is what %s at %s gives.", r.Lock.Source.Repository, r.Lock.Source.Revision)
	default:
		for _, group := range []struct {
			kind planner.ActionKind
			list []lockv2.Destination
		}{{planner.Create, r.Created}, {planner.AdoptIdentical, r.Adopted}, {planner.Replace, r.Replaced}, {planner.Remove, r.Removed}} {
			w.list(len(group.list), "file", func(i int) { w.line("  %s %s", sign(group.kind), group.list[i]) })
		}
		verb := "Composed"
		if r.Status == txn.StatusRecovered {
			verb = "Finished what was interrupted: composed"
		}
		w.line("%s recipe %q from %s at %s: %d created, %d adopted, %d replaced, %d removed, %d preserved; the lock is %s.", verb, r.Lock.Intent.Recipe,
			r.Lock.Source.Repository, r.Lock.Source.Revision, len(r.Created), len(r.Adopted), len(r.Replaced), len(r.Removed), len(r.Preserved), lockv2.LockPath)
	}
	w.line("Composition %s", r.Lock.Composition())
}

// inspectText is the human form of a target's state; work is nil unless a run is not finished.
func inspectText(w *textWriter, r *validator.Report, work *unfinished, next []string) {
	w.line("State: %s", r.State)
	if r.Lock != nil {
		w.line("Source: %s at %s", r.Lock.Source.Repository, r.Lock.Source.Revision)
		w.line("Recipe: %s, %s", r.Lock.Intent.Recipe, count(len(r.Lock.Components), "component"))
		w.line("Files: %s", ownershipText(r.Lock))
		w.line("Composition: %s", r.Lock.Composition())
	}
	if work != nil {
		w.line("Interrupted: an %s to %s", work.marker.Operation, work.marker.Source.Revision)
		for _, group := range []struct {
			name string
			list []lockv2.Destination
		}{{"done", work.progress.Done}, {"pending", work.progress.Pending}, {"blocked", work.blocked()}} {
			w.line("  %s: %d", group.name, len(group.list))
			w.list(len(group.list), "file", func(i int) { w.line("    %s", group.list[i]) })
		}
	}
	faultsText(w, r.InspectFaults())
	for _, command := range next {
		w.line("Next: %s", command)
	}
}

// ownershipText counts the files of a lock by ownership.
func ownershipText(l *lockv2.Lock) string {
	n := make(map[lockv2.Ownership]int)
	for _, f := range l.Files {
		n[f.Ownership]++
	}
	w := &textWriter{}
	w.line("%d managed, %d generated, %d seed", n[lockv2.Managed], n[lockv2.Generated], n[lockv2.Seed])
	return w.String()[:w.Len()-1]
}

// faultsText lists what a look at a target found.
func faultsText(w *textWriter, faults []validator.Fault) {
	for _, f := range faults {
		if f.Destination != "" {
			w.line("  ! %s: %s [%s]", f.Destination, f.Message, f.Code)
			continue
		}
		w.line("  ! %s [%s]", f.Message, f.Code)
	}
}
