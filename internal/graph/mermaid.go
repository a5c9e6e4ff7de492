package graph

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
)

// What Mermaid draws by itself: past these bounds, which GitHub and GitLab keep, it shows an error instead.
const (
	mermaidEdges = 500
	mermaidText  = 50_000 // characters
)

// mermaidShape returns the brackets of a role's node.
func mermaidShape(role lockv2.Role) (left, right string) {
	switch role {
	case lockv2.Artifact:
		return "[[", "]]"
	case lockv2.Capability:
		return "(", ")"
	case lockv2.Lifecycle:
		return "([", "])"
	case lockv2.Foundation:
		return "[(", ")]"
	case lockv2.Topology:
		return "{{", "}}"
	case lockv2.Workspace:
		return "[/", "/]"
	}
	return "[", "]"
}

// Mermaid returns a flowchart. Where Mermaid would refuse its size, folders are left out, and then the requirements that others imply;
// a comment says so.
func (m *Model) Mermaid() []byte {
	text := m.mermaid(true, false)
	if m.edges() > mermaidEdges || len(text) > mermaidText {
		if text = m.mermaid(false, false); m.edges() > mermaidEdges || len(text) > mermaidText {
			return m.mermaid(false, true)
		}
	}
	return text
}

// edges returns how many lines a picture of everything has.
func (m *Model) edges() int {
	n := 0
	for i := range m.Components {
		n += len(m.Components[i].Requires) + len(m.Components[i].Conflicts)
		if m.Components[i].Reason != Needed {
			n++
		}
	}
	return n
}

func (m *Model) mermaid(folders, direct bool) []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("flowchart LR")
	line("  accTitle: %s", mermaidPlain(m.heading()))
	line("  accDescr: %s", mermaidPlain(m.extent()))
	line("  recipe>%s]:::recipe", mermaidLabel("recipe "+string(m.Recipe.ID), summary(m.Recipe.Summary)))
	for i := range m.Components {
		c := &m.Components[i]
		left, right := mermaidShape(c.ID.Role())
		line("  %s%s%s%s:::%s", mermaidID(c.ID), left, mermaidLabel(c.lines(folders)...), right, mermaidID(lockv2.ComponentID(c.ID.Role())))
	}
	for _, o := range m.Outside {
		line("  %s[%s]:::outside", mermaidID(o.ID), mermaidLabel(string(o.ID), "not in the composition"))
	}
	for i := range m.Components {
		if m.Components[i].Reason != Needed {
			line("  recipe ==> %s", mermaidID(m.Components[i].ID))
		}
	}
	kept, left := m.requirements(direct)
	if left > 0 {
		line("  %%%% left out because others imply them: %s", diag.Count(left, "requirement"))
	}
	for i := range m.Components {
		for _, id := range kept[i] {
			line("  %s --> %s", mermaidID(m.Components[i].ID), mermaidID(id))
		}
	}
	for i := range m.Components {
		for _, id := range m.Components[i].Conflicts {
			line("  %s x-. conflicts .-x %s", mermaidID(m.Components[i].ID), mermaidID(id))
		}
	}
	for _, p := range palette {
		if p.class != classRecipe && !m.has(lockv2.Role(p.class)) {
			continue
		}
		line("  classDef %s fill:%s,stroke:%s,color:#1a2230", p.class, p.light.fill, p.light.line)
	}
	if len(m.Outside) > 0 {
		line("  classDef outside fill:#f6f7f9,stroke:#b3261e,color:#4a5364,stroke-dasharray:4 3")
	}
	return b.Bytes()
}

// has reports whether a component of that role is in the composition.
func (m *Model) has(role lockv2.Role) bool {
	return slices.ContainsFunc(m.Components, func(c Component) bool { return c.ID.Role() == role })
}

// requirements returns what each component requires, without those that are implied if only direct ones are wanted, and how
// many it leaves out.
func (m *Model) requirements(direct bool) (kept [][]lockv2.ComponentID, left int) {
	if direct {
		return m.direct()
	}
	for i := range m.Components {
		kept = append(kept, m.Components[i].Requires)
	}
	return kept, 0
}

// mermaidID makes an id of Mermaid's of one of ours: without hyphens, which may be read as part of an arrow.
func mermaidID(id lockv2.ComponentID) string {
	return strings.NewReplacer(".", "__", "-", "_").Replace(mermaidPlain(string(id)))
}

// mermaidLabel quotes lines as one label. Everything that may mean something to Mermaid, to Markdown or to HTML is written by its number.
func mermaidLabel(lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, r := range printable(l) {
			if plain(r) || r > 0x7f {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, "#%d;", r)
			}
		}
	}
	return `"` + b.String() + `"`
}

// mermaidPlain keeps what means nothing to Mermaid, for where it knows no escapes.
func mermaidPlain(s string) string {
	return strings.Map(func(r rune) rune {
		if !plain(r) {
			return '_'
		}
		return r
	}, s)
}

func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" .,:/()-", r)
}
