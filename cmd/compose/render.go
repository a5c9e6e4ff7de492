package main

import (
	"example.org/compose/catalog"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/txn"
	"example.org/compose/validator"
)

// manyLines is how many lines of one kind a person is shown before the rest is counted.
const manyLines = 40

// planText is the human form of a first plan.
func planText(w *textWriter, p *planner.InitialPlan) {
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
		w.lines(len(p.Actions), func(i int) {
			a := p.Actions[i]
			sign := "+"
			if a.Kind == planner.AdoptIdentical {
				sign = "="
			}
			w.line("    %s %-9s %s", sign, a.Material.Ownership, a.Material.Destination)
		})
		w.line("")
	}
	conflictsText(w, p.Conflicts)
	if len(p.Conflicts) > 0 {
		w.line("%s: apply would write nothing until none is left.", count(len(p.Conflicts), "conflict"))
		return
	}
	w.line("Nothing was changed. + is created, = is there already with the same bytes. `compose apply` with the same flags does it.")
}

// conflictsText lists conflicts; nothing for none.
func conflictsText(w *textWriter, conflicts []planner.Conflict) {
	if len(conflicts) == 0 {
		return
	}
	w.line("  %s:", count(len(conflicts), "conflict"))
	for _, c := range conflicts {
		w.line("    ! %s: %s [%s, %s]", c.Destination, c.Message, c.Code, c.Reason)
	}
	w.line("")
}

// applyText is the human form of what an apply did.
func applyText(w *textWriter, r *txn.Result) {
	if len(r.Conflicts) > 0 {
		conflictsText(w, r.Conflicts)
		w.line("%s: nothing was written.", count(len(r.Conflicts), "conflict"))
		return
	}
	for _, group := range []struct {
		sign string
		list []lockv2.Destination
	}{{"+", r.Created}, {"=", r.Adopted}, {"~", r.Replaced}, {"-", r.Removed}} {
		w.lines(len(group.list), func(i int) { w.line("  %s %s", group.sign, group.list[i]) })
	}
	w.line("Composed recipe %q from %s at %s: %d created, %d adopted; the lock is %s.", r.Lock.Intent.Recipe,
		r.Lock.Source.Repository, r.Lock.Source.Revision, len(r.Created), len(r.Adopted), lockv2.LockPath)
	w.line("Composition %s", r.Lock.Composition())
}

// inspectText is the human form of a target's state.
func inspectText(w *textWriter, r *validator.Report) {
	w.line("State: %s", r.State)
	if r.Lock != nil {
		w.line("Source: %s at %s", r.Lock.Source.Repository, r.Lock.Source.Revision)
		w.line("Recipe: %s, %s", r.Lock.Intent.Recipe, count(len(r.Lock.Components), "component"))
		w.line("Files: %s", ownershipText(r.Lock))
		w.line("Composition: %s", r.Lock.Composition())
	}
	faultsText(w, r.InspectFaults())
	for _, command := range r.Next() {
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

// catalogText is the human form of a catalog check.
func catalogText(w *textWriter, s *catalog.Source, faults []*catalog.Error) {
	for _, f := range faults {
		w.line("  ! %s [%s]", f.Error(), f.Code())
	}
	if len(faults) > 0 {
		w.line("The catalog at %s has %s.", s.Revision(), count(len(faults), "fault"))
		return
	}
	w.line("The catalog at %s is valid.", s.Revision())
}

// catalogFault is one entry of the document of a catalog check: FILE#/pointer is told apart into path and pointer.
func catalogFault(e *catalog.Error) strictjson.Value {
	path, pointer := e.Where()
	members := []strictjson.Member{
		strictjson.F("code", strictjson.Str(e.Code())),
		strictjson.F("path", strictjson.Str(validText(path))),
	}
	if pointer != "" {
		members = append(members, strictjson.F("pointer", strictjson.Str(validText(pointer))))
	}
	return strictjson.Obj(append(members, strictjson.F("message", strictjson.Str(validText(e.Error()))))...)
}

// lines calls line for the first of n lines and counts the rest.
func (w *textWriter) lines(n int, line func(i int)) {
	for i := range min(n, manyLines) {
		line(i)
	}
	if n > manyLines {
		w.line("    ... and %d more", n-manyLines)
	}
}
