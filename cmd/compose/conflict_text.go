package main

import (
	"fmt"
	"slices"

	"example.org/compose/internal/review"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// conflictGroup is the conflicts that have one reason, and the same ways out but for the name of the file.
type conflictGroup struct {
	code, why string
	ways      [][]review.Way // of the first spelledOut
	conflicts []*planner.Conflict
}

// spelledOut is how many files of a group have commands of their own.
const spelledOut = 5

// groupConflicts puts conflicts of one kind together, in the order of the first of each.
func groupConflicts(conflicts []planner.Conflict, waysOut func(*planner.Conflict) []review.Way) []*conflictGroup {
	var groups []*conflictGroup
	for i := range conflicts {
		c := &conflicts[i]
		why, ways := whyOf(c), waysOut(c)
		at := slices.IndexFunc(groups, func(g *conflictGroup) bool {
			return g.code == c.Code && g.why == why &&
				slices.EqualFunc(g.ways[0], ways, func(a, b review.Way) bool { return a.Title == b.Title && len(a.Steps) == len(b.Steps) })
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, &conflictGroup{code: c.Code, why: why})
		}
		if g := groups[at]; len(g.ways) < spelledOut {
			g.ways = append(g.ways, ways)
		}
		groups[at].conflicts = append(groups[at].conflicts, c)
	}
	return groups
}

// whyOf says why a conflict is one. What the ways out say too is left out, and so is what names the single file where
// several may have the same reason.
func whyOf(c *planner.Conflict) string {
	is := func(name, value string) bool { return detailOf(c, name) == value }
	switch {
	case c.Code == planner.CodeOldStateInvalid && c.Reason == planner.ReasonMissing:
		return "the lock lists it, and it is gone"
	case c.Code == planner.CodeVersionUpgradeRequired:
		return fmt.Sprintf("goes from version %s to %s, which an update does not cross", detailOf(c, "from_version"), detailOf(c, "to_version"))
	case c.Code != planner.CodeLocalModification:
		return c.Message
	case is("line_endings_only", "true"):
		return "has CRLF line ends where the lock records LF, and no other difference"
	case is("to_sha256", ""):
		return "was edited here, and the catalog drops it"
	case is("to_sha256", detailOf(c, "current_sha256")):
		return "has the new bytes already, but compose did not write them"
	case is("ownership", string(lockv2.Generated)):
		return "was edited here, but compose generates it"
	}
	return "was edited here, but the catalog owns its bytes"
}

// detailOf returns a further member of a conflict as text; "" for none.
func detailOf(c *planner.Conflict, name string) string {
	for _, d := range c.Details {
		if d.Name == name {
			if d.Value.Kind == strictjson.Bool {
				return fmt.Sprint(d.Value.Truth)
			}
			return d.Value.Text
		}
	}
	return ""
}

// conflictsText shows conflicts first in an answer, each group with its reason and the ways out; nothing for none.
func conflictsText(w *textWriter, conflicts []planner.Conflict, waysOut func(*planner.Conflict) []review.Way) {
	for i, g := range groupConflicts(conflicts, waysOut) {
		if i > 0 {
			w.gap()
		}
		list := make([]shownFile, len(g.conflicts))
		for i, c := range g.conflicts {
			list[i] = shownFile{destination: c.Destination, component: c.Component}
			if c.Destination == "" { // it is about the component
				list[i] = shownFile{destination: lockv2.Destination(c.Component)}
			}
		}
		column := w.column(list)
		w.list(len(list), "conflict", func(i int) { w.fileLine(bad("!"), list[i], column) })
		w.prose(4, "%s: %s", strong(g.code), g.why)
		switch {
		case len(g.ways[0]) == 0 || len(g.conflicts) == 1:
		case !g.sameTexts():
			w.prose(4, "For %s, and likewise for each:", list[0].destination)
		case len(g.conflicts) > spelledOut:
			w.prose(4, "For the first %d, and likewise for each:", spelledOut)
		}
		for i := range g.ways[0] {
			w.wayOut(g, i)
		}
	}
}

// sameTexts reports whether the ways out say the same of each file.
func (g *conflictGroup) sameTexts() bool {
	return !slices.ContainsFunc(g.ways, func(ways []review.Way) bool {
		return !slices.EqualFunc(g.ways[0], ways, func(a, b review.Way) bool { return a.Text == b.Text })
	})
}

// wayOut shows a way out, each step for several files: a command that is the same for all stands there once.
func (w *textWriter) wayOut(g *conflictGroup, at int) {
	way := g.ways[0][at]
	w.bullet(4, "%s. %s", strong(way.Title), way.Text)
	for i, step := range way.Steps {
		if step.Note != "" {
			w.prose(6, "%s:", step.Note)
		}
		var commands []string
		for _, ways := range g.ways {
			if command := ways[at].Steps[i].Command; !slices.Contains(commands, command) {
				commands = append(commands, command)
				w.commandAt(10, command)
			}
		}
	}
}
