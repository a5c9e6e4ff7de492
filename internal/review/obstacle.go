package review

import (
	"fmt"
	"strings"

	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// oldState is for a file of the lock that is no regular file any more.
func (w *ways) oldState() []Way {
	var before []Step
	text := "The lock lists the file, so it has to be there; " + again + "."
	switch w.conflict.Reason {
	case planner.ReasonUnreadable:
		return []Way{w.readable()}
	case planner.ReasonMissing:
	default:
		before = []Step{w.away()}
	}
	if w.lockedFile(w.conflict.Destination).Ownership == lockv2.Seed {
		text = "The bytes are yours, so any regular file will do; while the lock lists it, one has to be there."
	}
	restore := w.restore(text)
	restore.Steps = append(before, restore.Steps...)
	without := Way{Title: "Do without the file"}
	switch component := w.conflict.Component; {
	case w.material(w.conflict.Destination) == nil:
		without.Text = fmt.Sprintf("Restore it all the same: the catalog drops it, and the %s sees to that.", w.managed.Operation)
	case w.composition.CanLeaveOut(component):
		without.Text = fmt.Sprintf("Restore it all the same, then upgrade to a choice without component %q.", component)
	default:
		without.Text = w.inseparable("Restore it all the same. ")
	}
	return []Way{restore, without}
}

// inseparable is for a file whose component can't be left out by choice.
func (w *ways) inseparable(first string) string {
	text := fmt.Sprintf("%sComponent %q can't be left out of this choice: ", first, w.conflict.Component)
	if w.composition.Lock.Source.Repository == starter.Identity {
		return text + "it takes a catalog of your own, which compose catalog init starts."
	}
	if f := w.lockedFile(w.conflict.Destination); f != nil && f.Ownership == lockv2.Seed {
		return text + "ask who keeps the catalog to leave the file out."
	}
	return text + "ask who keeps the catalog to make the file a seed, or to leave it out."
}

// taken is for a place that something else has.
func (w *ways) taken() []Way {
	if w.detail("frees") != "" {
		return nil // the message tells of the two releases
	}
	var list []Way
	switch w.conflict.Reason {
	case planner.ReasonUnreadable:
		list = append(list, w.readable())
	case planner.ReasonDifferentBytes, planner.ReasonExists:
		if m := w.material(w.conflict.Destination); m != nil && m.Ownership == lockv2.Seed {
			return []Way{w.keepSeed(), {Title: "Take the catalog's file", Text: "The same without the last step."}}
		}
		list = append(list, Way{Title: "Take the catalog's file", Text: "Move your own aside, " + again + ".", Steps: []Step{w.away()}})
	default:
		list = append(list, Way{Title: "Make room", Text: "Move what is there away, " + again + ".", Steps: []Step{w.away()}})
	}
	if w.detail("line_endings_only") == "true" {
		list = append(list, Way{Title: "Adopt your own", Text: "Write the file with LF line ends, " + again + ": then the file is the catalog's already."})
	}
	if w.conflict.Component != "" {
		keep := Way{Title: "Keep your own", Text: fmt.Sprintf("Choose without component %q.", w.conflict.Component)}
		if !w.composition.CanLeaveOut(w.conflict.Component) {
			keep.Text = w.inseparable("")
		}
		list = append(list, keep)
	}
	return list
}

// keepSeed is the way to have one's own bytes in a file that the catalog supplies once and then leaves alone.
func (w *ways) keepSeed() Way {
	file, aside := quote(w.path()), quote(w.path()+".mine")
	return Way{
		Title: "Keep your own",
		Text:  "The file is a seed: once it is there its bytes are yours. Move your own aside, apply, and move it back over the catalog's.",
		Steps: []Step{{Command: "mv -i " + file + " " + aside}, {Note: "after the apply", Command: "mv " + aside + " " + file}},
	}
}

// away moves what stands at the path at fault aside, and asks before anything is overwritten.
func (w *ways) away() Step {
	at := w.path()
	if fault := w.detail("at"); fault != "" {
		at = inTarget(w.at.Target, fault)
	}
	return Step{Command: "mv -i " + quote(at) + " " + quote(at+".mine")}
}

// readable is for what this user may not read.
func (w *ways) readable() Way {
	at := w.path()
	if fault := w.detail("at"); fault != "" {
		at = inTarget(w.at.Target, fault)
	}
	return Way{Title: "Make it readable", Text: "Grant this user the permission, " + again + ".", Steps: []Step{{Command: "chmod u+rX " + quote(at)}}}
}

// upgrade is for a component with another version.
func (w *ways) upgrade() []Way {
	words := "compose plan --mode upgrade " + choice(&w.managed.Old.Lock.Intent) + " " + w.source(w.composition.Lock.Source.Revision)
	if w.at.Target != "" && w.at.Target != "." {
		words += " --target " + quote(w.at.Target)
	}
	return []Way{{
		Title: "Upgrade",
		Text:  "Read what changed in the component, then see the plan of an upgrade; with the choice that the target has:",
		Steps: []Step{{Note: strings.Trim(w.configurationNote(), " ()"), Command: words}},
	}}
}
