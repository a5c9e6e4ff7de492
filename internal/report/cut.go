package report

import (
	"fmt"
	"strings"
)

// Cut counts what a form of the report leaves out.
type Cut struct {
	Conflicts  int  // that are not listed
	Ways       int  // groups of conflicts without their ways out
	Components int  // that change, and are not listed
	Files      int  // that are not listed, those in conflict aside
	Lines      int  // files whose differing lines are not all there
	Graph      bool // the graph
}

// Any reports whether something is left out.
func (c Cut) Any() bool { return c != Cut{} }

// String says what is left out of a report; "" for nothing.
func (c Cut) String(r *Report) string {
	var parts []string
	if c.Conflicts > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s", thousands(c.Conflicts), count(r.Count(Conflicting), "conflict")))
	}
	if c.Ways > 0 {
		parts = append(parts, fmt.Sprintf("the ways out for %s of %s", thousands(c.Ways), count(len(r.Conflicts), "reason")))
	}
	if c.Components > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s that change", thousands(c.Components), count(len(r.Components), "component")))
	}
	if c.Files > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s", thousands(c.Files), count(len(r.Files), "file")))
	}
	if c.Lines > 0 {
		parts = append(parts, "lines of "+count(c.Lines, "file"))
	}
	if c.Graph {
		parts = append(parts, "the graph")
	}
	return strings.Join(parts, ", ")
}
