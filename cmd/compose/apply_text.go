package main

import (
	"fmt"

	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/txn"
)

// text is the human form of what an apply did.
func (c *applyCommand) text(w *textWriter, r *txn.Result) {
	if r.Status == txn.StatusConflict {
		c.planned.header(w)
		w.heading("%s %d", bad("Conflicts:"), len(r.Conflicts))
		conflictsText(w, r.Conflicts, c.waysOut(c.planned))
		w.gap()
		w.prose(0, "Nothing was written. When no conflict is left:")
		w.command(c.again("compose", "apply"))
		return
	}
	lock := r.Lock
	of := fmt.Sprintf("%s from %s at %s", lock.Intent.Recipe, lock.Source.Repository, w.revision(lock.Source.Revision))
	if r.Status == txn.StatusUnchanged {
		w.prose(0, "%s the target is recipe %s.", good("Nothing to do:"), of)
		return
	}
	what := map[string]string{modeInitial: "Composed", modeUpdate: "Updated", modeUpgrade: "Upgraded"}[r.Operation]
	if r.Status == txn.StatusRecovered {
		what = "Finished the interrupted " + r.Operation + ":"
	}
	w.prose(0, "%s recipe %s", good(what), of)
	files := appliedFiles(r)
	w.files(files, past)
	w.gap()
	if total := counts(files, func(a fileAction) string { return a.done }); total != "" {
		w.prose(0, "%s %s. Commit the result, %s included.", strong("Files:"), total, lockv2.LockPath)
	} else {
		w.prose(0, "The lock alone changed: %s.", lockv2.LockPath)
	}
	if w.verbose {
		w.line("Composition %s", lock.Composition())
	}
}

// appliedFiles are the files of a result, with what the lock knows of each. One that was removed it does not know.
func appliedFiles(r *txn.Result) []shownFile {
	known := make(map[lockv2.Destination]*lockv2.File, len(r.Lock.Files))
	for i := range r.Lock.Files {
		known[r.Lock.Files[i].Destination] = &r.Lock.Files[i]
	}
	var files []shownFile
	for _, group := range []struct {
		kind planner.ActionKind
		list []lockv2.Destination
	}{{planner.Create, r.Created}, {planner.AdoptIdentical, r.Adopted}, {planner.Replace, r.Replaced}, {planner.Remove, r.Removed}, {planner.Preserve, r.Preserved}} {
		for _, d := range group.list {
			f := shownFile{kind: group.kind, destination: d}
			if of := known[d]; of != nil {
				f.component, f.ownership = of.Component, of.Ownership
			}
			files = append(files, f)
		}
	}
	return files
}
