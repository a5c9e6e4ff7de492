package graph

import (
	"bytes"
	"fmt"
	"strings"

	"example.org/compose/lockv2"
)

// dotShape returns Graphviz's shape of a role.
func dotShape(role lockv2.Role) string {
	switch role {
	case lockv2.Artifact:
		return "component"
	case lockv2.Lifecycle:
		return "note"
	case lockv2.Foundation:
		return "box3d"
	case lockv2.Topology:
		return "hexagon"
	case lockv2.Workspace:
		return "folder"
	}
	return "box" // a capability
}

// DOT returns the graph for Graphviz.
func (m *Model) DOT() []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("digraph composition {")
	line("  graph [rankdir=LR, ranksep=0.8, nodesep=0.25, labelloc=t, fontname=\"Helvetica,Arial,sans-serif\", label=%s]", dotLines("\\n", m.heading(), m.extent()))
	line("  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, style=filled, fontcolor=\"#1a2230\"]")
	line("  edge [fontname=\"Helvetica,Arial,sans-serif\", color=\"#5b6675\"]")
	line("  recipe [shape=cds, %s, label=%s]", dotColors(classRecipe), dotLines("\\l", "recipe "+string(m.Recipe.ID), summary(m.Recipe.Summary)))
	for i := range m.Components {
		c := &m.Components[i]
		line("  %s [shape=%s, %s, label=%s, tooltip=%s]", dotQuote(string(c.ID)), dotShape(c.ID.Role()), dotColors(string(c.ID.Role())), dotLines("\\l", c.lines(true)...), dotQuote(summary(c.Summary)))
	}
	for _, o := range m.Outside {
		line("  %s [shape=box, style=\"filled,dashed\", fillcolor=\"#f6f7f9\", color=\"#b3261e\", fontcolor=\"#4a5364\", label=%s, tooltip=%s]",
			dotQuote(string(o.ID)), dotLines("\\l", string(o.ID), "not in the composition"), dotQuote(summary(o.Summary)))
	}
	for i := range m.Components {
		if m.Components[i].Reason != Needed {
			line("  recipe -> %s [penwidth=2]", dotQuote(string(m.Components[i].ID)))
		}
	}
	for i := range m.Components {
		for _, id := range m.Components[i].Requires {
			line("  %s -> %s", dotQuote(string(m.Components[i].ID)), dotQuote(string(id)))
		}
		for _, id := range m.Components[i].Conflicts {
			line("  %s -> %s [dir=both, arrowhead=tee, arrowtail=tee, style=dashed, color=\"#b3261e\", fontcolor=\"#b3261e\", fontsize=9, label=\"conflicts\"]", dotQuote(string(m.Components[i].ID)), dotQuote(string(id)))
		}
	}
	line("}")
	return b.Bytes()
}

func dotColors(class string) string {
	for _, p := range palette {
		if p.class == class {
			return fmt.Sprintf("fillcolor=%q, color=%q", p.light.fill, p.light.line)
		}
	}
	return `fillcolor="#ffffff"`
}

// dotLines quotes lines as one label; end is what closes each: \n centred, \l to the left.
func dotLines(end string, lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(dotEscape(l) + end)
	}
	return `"` + b.String() + `"`
}

func dotQuote(s string) string { return `"` + dotEscape(s) + `"` }

// dotEscape escapes for a quoted string of Graphviz: a backslash begins an escape such as \N, and & an entity of HTML.
func dotEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(printable(s))
}
