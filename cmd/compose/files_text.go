package main

import (
	"fmt"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/screen"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// shownFile is one file of a screen.
type shownFile struct {
	kind        planner.ActionKind
	destination lockv2.Destination
	component   lockv2.ComponentID // "" where it is not known
	ownership   lockv2.Ownership
	includes    *planner.IncludeChanges
}

// fileAction is what is done with files, and how that is called.
type fileAction struct {
	kind         planner.ActionKind
	title, count string // in a plan: of a group, and after a number
	past, done   string // the same once it is done
	aside        bool   // nothing is written: only --verbose lists it
}

// fileActions returns all actions in the order of a screen.
func fileActions() []fileAction {
	return []fileAction{
		{planner.Create, "Create", "to create", "Created", "created", false},
		{planner.AdoptIdentical, "Adopt as they are", "to adopt", "Adopted as they are", "adopted", false},
		{planner.Replace, "Replace", "to replace", "Replaced", "replaced", false},
		{planner.Remove, "Remove", "to remove", "Removed", "removed", false},
		{planner.Preserve, "Left to you", "left to you", "Left to you", "left to you", true},
		{planner.Unchanged, "Unchanged", "unchanged", "Unchanged", "unchanged", true},
	}
}

// title names a group of files in a plan, past of files with which it is done.
func title(a fileAction) string { return a.title }
func past(a fileAction) string  { return a.past }

// sign shows an action in one character.
func sign(kind planner.ActionKind) marked {
	switch kind {
	case planner.Create:
		return good("+")
	case planner.Replace:
		return caution("~")
	case planner.Remove:
		return bad("-")
	case planner.AdoptIdentical:
		return good("=")
	}
	return faint(".") // left alone
}

// files lists files in groups by what is done with them, those of which nothing is written only with --verbose.
func (w *textWriter) files(all []shownFile, title func(fileAction) string) {
	for _, action := range fileActions() {
		var group []shownFile
		for _, f := range all {
			if f.kind == action.kind {
				group = append(group, f)
			}
		}
		if len(group) == 0 || action.aside && !w.verbose {
			continue
		}
		w.heading("%s: %s", title(action), diag.Count(len(group), "file"))
		column := w.column(group)
		w.list(len(group), "file", func(i int) { w.fileLine(sign(action.kind), group[i], column) })
	}
}

// column returns the width of the destinations of a group, those left out that leave no room for a component beside them.
func (w *textWriter) column(group []shownFile) int {
	shown, beside := group[:screen.Shown(len(group), foldAt, w.verbose)], 0
	for _, f := range shown {
		beside = max(beside, screen.Width(f.supplier()))
	}
	room, widest := w.screen.Width()-len("  + ")-len("  ")-beside, 0
	for _, f := range shown {
		if width := screen.Width(printable(string(f.destination))); width <= room {
			widest = max(widest, width)
		}
	}
	return widest
}

// supplier says which component a file is of, and whose its bytes are where that is not the catalog.
func (f *shownFile) supplier() string {
	text := string(f.component)
	if f.ownership != lockv2.Managed && f.ownership != "" {
		text += ", " + string(f.ownership)
	}
	return printable(strings.TrimPrefix(text, ", "))
}

// fileLine adds the line of one file, and those of the included files that made a difference to it.
func (w *textWriter) fileLine(sign marked, f shownFile, column int) {
	supplier, name := f.supplier(), printable(string(f.destination))
	pad := max(column-screen.Width(name), 0)
	switch {
	case supplier == "":
		w.line("  %s %s", sign, name)
	case len("  + ")+screen.Width(name)+pad+len("  ")+screen.Width(supplier) <= w.screen.Width():
		w.line("  %s %s%s  %s", sign, name, strings.Repeat(" ", pad), faint(supplier))
	default: // too long: the supplier stands below
		w.line("  %s %s", sign, name)
		w.line("    %s  %s", strings.Repeat(" ", column), faint(supplier))
	}
	if f.includes != nil {
		w.includes(planner.Create, f.includes.Added)
		w.includes(planner.Replace, f.includes.Changed)
		w.includes(planner.Remove, f.includes.Removed)
	}
}

// includes lists the included files, of one kind of change, that made a difference to a composed material.
func (w *textWriter) includes(kind planner.ActionKind, paths []string) {
	for _, path := range paths {
		w.line("      %s %s", sign(kind), faint("include "+path))
	}
}

// counts says how many files there are of each action, those without any left out.
func counts(all []shownFile, word func(fileAction) string) string {
	n := map[planner.ActionKind]int{}
	for _, f := range all {
		n[f.kind]++
	}
	var parts []string
	for _, action := range fileActions() {
		if n[action.kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[action.kind], word(action)))
		}
	}
	return strings.Join(parts, ", ")
}

// revision shortens a revision for reading; commands have it whole.
func (w *textWriter) revision(r lockv2.Revision) string {
	const enough = 12
	if w.verbose || len(r) <= enough {
		return string(r)
	}
	return string(r[:enough])
}
