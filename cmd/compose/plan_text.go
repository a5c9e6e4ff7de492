package main

import (
	"fmt"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/review"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// header says what a first plan is.
func (p initialPlan) header(w *textWriter) {
	lock := &p.Composition.Lock
	w.prose(0, "%s of recipe %s from %s at %s", strong("First composition"), strong(lock.Intent.Recipe), lock.Source.Repository, w.revision(lock.Source.Revision))
}

// text is the human form of a first plan.
func (p initialPlan) text(w *textWriter, c *planCommand, diff []byte) {
	p.header(w)
	if len(p.Conflicts) > 0 {
		w.heading("%s %d", bad("Conflicts:"), len(p.Conflicts))
	}
	conflictsText(w, p.Conflicts, c.waysOut(p))
	files := p.shownFiles()
	w.files(files, title)
	w.planEnd(c, p, files, diff)
}

// shownFiles are the files of the plan that are not in conflict.
func (p initialPlan) shownFiles() []shownFile {
	files := make([]shownFile, len(p.Actions))
	for i, a := range p.Actions {
		files[i] = shownFile{kind: a.Kind, destination: a.Material.Destination, component: a.Material.Component, ownership: a.Material.Ownership}
	}
	return files
}

// header says what an update or upgrade is, and from where to where it goes.
func (p managedPlan) header(w *textWriter) {
	lock, old := &p.Lock, p.Old.Lock
	name := map[planner.Operation]string{planner.Update: "Update", planner.Upgrade: "Upgrade"}[p.Operation]
	recipe := string(lock.Intent.Recipe)
	if old.Intent.Recipe != lock.Intent.Recipe {
		recipe = fmt.Sprintf("%s -> %s", old.Intent.Recipe, recipe)
	}
	revisions := fmt.Sprintf(", %s -> %s", w.revision(old.Source.Revision), w.revision(lock.Source.Revision))
	if old.Source.Revision == lock.Source.Revision {
		revisions = " at " + w.revision(lock.Source.Revision)
	}
	w.prose(0, "%s of recipe %s from %s%s", strong(name), strong(recipe), lock.Source.Repository, revisions)
}

// text is the human form of an update or upgrade.
func (p managedPlan) text(w *textWriter, c *planCommand, diff []byte) {
	p.header(w)
	if len(p.Conflicts) > 0 {
		w.heading("%s %d", bad("Conflicts:"), len(p.Conflicts))
	}
	conflictsText(w, p.Conflicts, c.waysOut(p))
	p.componentsText(w)
	files := p.shownFiles()
	w.files(files, title)
	w.planEnd(c, p, files, diff)
}

func (p managedPlan) shownFiles() []shownFile {
	files := make([]shownFile, len(p.Files))
	for i, f := range p.Files {
		files[i] = shownFile{kind: f.Kind, destination: f.Destination, component: f.Component, ownership: f.Ownership, includes: f.Includes}
	}
	return files
}

// componentsText lists the components that come, change and go; nothing where all stay as they are.
func (p managedPlan) componentsText(w *textWriter) {
	type change struct {
		sign marked
		text string
	}
	var changes []change
	for _, id := range p.Components.Added {
		changes = append(changes, change{sign(planner.Create), fmt.Sprintf("%s %d", id, versionOf(&p.Lock, id))})
	}
	for _, c := range p.Components.Changed {
		text := fmt.Sprintf("%s %d -> %d", c.From.ID, c.From.Version, c.To.Version)
		if c.From.Version == c.To.Version {
			text = fmt.Sprintf("%s %d, with another descriptor", c.From.ID, c.From.Version)
		}
		changes = append(changes, change{sign(planner.Replace), text})
	}
	for _, id := range p.Components.Removed {
		changes = append(changes, change{sign(planner.Remove), fmt.Sprintf("%s %d", id, versionOf(p.Old.Lock, id))})
	}
	if len(changes) == 0 {
		return
	}
	w.heading("Components: %d", len(changes))
	w.list(len(changes), "component", func(i int) { w.line("  %s %s", changes[i].sign, changes[i].text) })
}

// versionOf is the version of a component of a lock.
func versionOf(l *lockv2.Lock, id lockv2.ComponentID) int64 {
	for _, c := range l.Components {
		if c.ID == id {
			return c.Version
		}
	}
	return 0
}

// planEnd closes a plan: the lines that change, how much there is of what, and what to do with it.
func (w *textWriter) planEnd(c *planCommand, p plan, files []shownFile, diff []byte) {
	if len(diff) > 0 {
		w.gap()
		w.Write(diff)
	}
	total := counts(files, func(a fileAction) string { return a.count })
	w.gap()
	switch n := len(p.conflicts()); {
	case n > 0:
		if total != "" {
			total = ", " + total
		}
		w.prose(0, "%s %s%s.", strong("Plan:"), bad(diag.Count(n, "conflict")), total)
		if c.Diff {
			w.line("Nothing is written until none is left. Then again:")
		} else {
			w.line("Nothing is written until none is left; --diff shows the lines. Then again:")
		}
		w.command(c.again("compose", "plan"))
	case !p.changes():
		w.prose(0, "%s %s.", good("Nothing to do:"), total)
	default:
		if !writes(files) {
			total = strings.TrimSuffix("the lock alone changes, "+total, ", ")
		}
		const does = "This does it:"
		if text := spans("%s %s. %s", strong("Plan:"), total, does); text.Width() <= w.screen.Width() {
			w.put(0, text)
		} else { // what the command belongs to stays in one piece
			w.prose(0, "%s %s.", strong("Plan:"), total)
			w.line(does)
		}
		w.command(c.applied())
	}
}

// writes reports whether a file would be written.
func writes(files []shownFile) bool {
	for _, f := range files {
		switch f.kind {
		case planner.Create, planner.Replace, planner.Remove:
			return true
		}
	}
	return false
}

// applied is the command that does what was planned: exactly the plan, where it was saved.
func (c *planCommand) applied() string {
	if c.Out == "" {
		return c.again("compose", "apply")
	}
	saved := c.choiceFlags
	saved.Config, saved.Recipe, saved.Include, saved.Exclude = "", "", nil, nil
	return saved.again("compose", "apply", "--plan", c.Out)
}

// waysOut tells what ends a conflict of a plan.
func (c *choiceFlags) waysOut(p plan) func(*planner.Conflict) []review.Way {
	of := p.review(nil) // ways out need no look at the target
	return func(conflict *planner.Conflict) []review.Way { return of.Ways(conflict, c.reviewed()) }
}
