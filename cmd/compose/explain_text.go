package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/history"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/screen"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// text is the explanation for people: what it is of, a part for each file, and what keeps an update from being done.
func (e *explanation) text(w *textWriter) {
	e.headText(w)
	for i := range e.files {
		e.fileText(w, &e.files[i])
	}
	for i := range e.unknown {
		e.unknown[i].text(w)
	}
	if e.plan == nil || len(e.plan.conflicts()) == 0 || len(e.files) == 0 {
		return
	}
	w.gap()
	w.prose(0, "The %s has %s, and nothing is written while there is one. This shows all, with the ways out:", e.operation(), bad(diag.Count(len(e.plan.conflicts()), "conflict")))
	w.command(e.choice.again("compose", "plan"))
}

// operation is how the plan is called in a sentence.
func (e *explanation) operation() string {
	if e.old == nil {
		return "first composition"
	}
	return e.choice.Mode
}

func (e *explanation) headText(w *textWriter) {
	repository, revisions := "", ""
	if e.old != nil {
		repository = e.old.Lock.Source.Repository
		revisions = " at " + w.revision(e.old.Lock.Source.Revision) + " (locked)"
	}
	switch {
	case e.bound == nil:
	case e.old == nil:
		repository, revisions = e.bound.Repository, " at "+w.revision(e.bound.Revision)+" (not composed yet)"
	case e.bound.Revision != e.old.Lock.Source.Revision:
		revisions = fmt.Sprintf(", %s (locked) -> %s", w.revision(e.old.Lock.Source.Revision), w.revision(e.bound.Revision))
	}
	w.prose(0, "Recipe %s from %s%s", strong(e.recipe), repository, revisions)
	if e.why == nil {
		return
	}
	w.gap()
	what := "What the " + e.operation() + " would do is not known"
	if e.bound == nil {
		what = "This is what the lock says; the catalog could not be asked"
	}
	w.reason(0, what, e.why)
}

// reason says that something is not known, and why.
func (w *textWriter) reason(indent int, what string, err error) {
	code, hint := codeInternal, ""
	if coded := diag.Coded(nil); errors.As(err, &coded) {
		code, hint = coded.Code(), coded.Hint()
	}
	w.prose(indent, "%s: %s [%s]", caution(what), err.Error(), code)
	if hint != "" {
		w.command(hint)
	}
}

func (e *explanation) fileText(w *textWriter, f *explainedFile) {
	w.heading("%s", f.destination)
	if o := f.origin; o != nil {
		w.field("Component", "%s, version %d%s", f.component, o.version, lockedVersion(f))
		w.list(len(o.reason.Steps), "step", func(i int) { w.field(labelOf("Because", i), "%s", o.reason.Steps[i]) })
	} else {
		w.field("Component", "%s, version %d", f.component, f.version)
	}
	w.field("Ownership", "%s: %s", strong(f.ownership), ownershipMeaning(f))
	if f.origin != nil {
		e.originText(w, f.origin)
	}
	if f.lost != nil {
		w.field("Source", "not known: %s", f.lost)
	}
	if f.locked != nil {
		w.field("Locked", "%s", w.digest(f.locked.Digest)+lockedBesides(f))
	}
	w.field("Here", "%s", hereText(w, f))
	if f.planned != nil {
		e.plannedText(w, f)
	}
}

// lockedVersion says which version the lock has of the component, where that is another one.
func lockedVersion(f *explainedFile) string {
	if f.locked == nil || f.locked.Component != f.component || f.version == f.origin.version {
		return ""
	}
	return fmt.Sprintf("; the lock has version %d", f.version)
}

// labelOf is the name of a field with several lines: it stands before the first.
func labelOf(name string, i int) string {
	if i > 0 {
		return ""
	}
	return name
}

// ownershipMeaning says what the ownership of a file means for whoever wants to edit it.
func ownershipMeaning(f *explainedFile) string {
	switch f.ownership {
	case lockv2.Seed:
		return "written once; from then on its bytes are yours, and nothing replaces them"
	case lockv2.Generated:
		return "compose makes its bytes; an edit here stops updates, so change what they are made from"
	}
	return fmt.Sprintf("the catalog owns its bytes; an edit here stops updates, so take it to component %s of the catalog", f.component)
}

func (e *explanation) originText(w *textWriter, o *origin) {
	at := ""
	if e.bound.Revision != o.revision {
		at = ", at the locked revision"
	}
	switch kindOf(o.material) {
	case generatedKind:
		w.field("Source", "made by %s from the contract registrations of %s%s", o.material.Generator, w.registering(o.registrations), at)
	case composedKind:
		w.field("Source", "%s%s, with %s", o.material.Path(), at, diag.Count(len(o.includes), "included file"))
		w.list(len(o.includes), "file", func(i int) { w.field(labelOf("Includes", i), "%s", o.includes[i]) })
	default:
		w.field("Source", "%s%s", o.material.Path(), at)
	}
	switch {
	case o.unknown != nil:
		w.field("Changed", "not known: %s", o.unknown)
		if coded := diag.Coded(nil); errors.As(o.unknown, &coded) && coded.Hint() != "" {
			w.command(coded.Hint())
		}
	case o.change == nil:
		w.field("Changed", "never: there is nothing yet that it is made from")
	default:
		w.field("Changed", "%s", changeText(w, o.change))
	}
}

// registering names the components whose registrations a generated file is made from.
func (w *textWriter) registering(ids []lockv2.ComponentID) string {
	if len(ids) == 0 {
		return "nothing: no component registers any"
	}
	var shown []string
	for _, id := range ids[:screen.Shown(len(ids), foldAt, w.verbose)] {
		shown = append(shown, string(id))
	}
	if more := len(ids) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more (--verbose lists all)", more))
	}
	return strings.Join(shown, ", ")
}

func changeText(w *textWriter, c *history.Change) string {
	text := w.revision(c.Revision)
	if when, known := dateOf(c); known {
		text += " of " + when.Format(time.DateOnly)
	}
	if c.Subject != "" {
		text += ": " + c.Subject
	}
	return text
}

// digest shortens a digest for reading.
func (w *textWriter) digest(d fingerprint.Material) string {
	const enough = 12
	if text := d.String(); !w.verbose {
		return text[:enough]
	}
	return d.String()
}

// lockedBesides says what else the lock has otherwise than the catalog.
func lockedBesides(f *explainedFile) string {
	var parts []string
	if f.locked.Component != f.component {
		parts = append(parts, "of component "+string(f.locked.Component))
	}
	if f.locked.Ownership != f.ownership {
		parts = append(parts, "as "+string(f.locked.Ownership))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}

// hereText says what stands in the target.
func hereText(w *textWriter, f *explainedFile) marked {
	c := &f.current
	switch {
	case c.fault != nil && c.fault.Reason == rootfs.Missing:
		if f.locked == nil {
			return faint("nothing yet")
		}
		return bad("nothing")
	case c.fault != nil && c.fault.At != string(f.destination):
		return bad(fmt.Sprintf("%q, a folder on the way, %s", c.fault.At, c.fault.Message()))
	case c.fault != nil:
		return bad(c.fault.Message())
	case c.state == present:
		return marked{value: w.digest(c.sum.Digest) + ", which the lock does not list"}
	case c.state == asLocked:
		return good("as the lock records")
	case c.state == lineEndings:
		return bad(w.digest(c.sum.Digest) + ": CRLF line ends where the lock records LF, and no other difference")
	case f.ownership == lockv2.Seed:
		return marked{value: w.digest(c.sum.Digest) + ", edited since, as is yours to do"}
	}
	return bad(w.digest(c.sum.Digest) + ", edited since")
}

// plannedText says what the plan does with a file.
func (e *explanation) plannedText(w *textWriter, f *explainedFile) {
	name := map[string]string{modeInitial: "Apply", modeUpdate: "Update", modeUpgrade: "Upgrade"}[e.choice.Mode]
	p := f.planned
	if p.conflict != nil {
		w.field(name, "%s: %s [%s]", bad("conflict"), whyOf(p.conflict), p.conflict.Code)
	} else {
		w.field(name, "%s %s", sign(p.action), actionText(w, f))
	}
	if i := p.includes; i != nil {
		w.includes(planner.Create, i.Added)
		w.includes(planner.Replace, i.Changed)
		w.includes(planner.Remove, i.Removed)
	}
	if c := p.component; c != nil {
		w.field("", "%s: component %s %s [%s]", bad("conflict"), c.Component, whyOf(c), c.Code)
	}
}

func actionText(w *textWriter, f *explainedFile) string {
	switch p := f.planned; p.action {
	case planner.Create:
		return "creates it, " + w.digest(p.to)
	case planner.AdoptIdentical:
		return "adopts it: exactly its bytes are there"
	case planner.Replace:
		return fmt.Sprintf("replaces it, %s -> %s", w.digest(f.locked.Digest), w.digest(p.to))
	case planner.Remove:
		return "removes it: nothing supplies it any more"
	case planner.Preserve:
		return "leaves it alone: " + p.reason
	}
	return "leaves it: the bytes stay the same"
}

// text is the part of a destination that nothing supplies.
func (u *unknownFile) text(w *textWriter) {
	w.heading("%s", u.destination)
	w.prose(2, "%s: %s [%s]", bad("unknown"), u.message, codeDestinationUnknown)
	name := "Did you mean"
	if u.folder {
		name = "Below it"
	}
	for i, d := range u.near {
		w.field(labelOf(name, i), "%s", d)
	}
	if len(u.suppliers) > 1 {
		w.list(len(u.suppliers), "component", func(i int) { w.field(labelOf("Components", i), "%s", u.suppliers[i]) })
	}
}
