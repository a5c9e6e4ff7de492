package graph

import (
	"fmt"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
)

// labelFolders is how many folders of a component Mermaid and DOT show at most.
const labelFolders = 4

// String lists the ownerships that there are: "3 managed, 1 seed".
func (f Files) String() string {
	var parts []string
	for _, part := range []struct {
		n         int
		ownership lockv2.Ownership
	}{{f.Managed, lockv2.Managed}, {f.Generated, lockv2.Generated}, {f.Seed, lockv2.Seed}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.ownership))
		}
	}
	return strings.Join(parts, ", ")
}

// files counts all materials of the composition.
func (m *Model) files() Files {
	var sum Files
	for i := range m.Components {
		sum.add(m.Components[i].Files())
	}
	return sum
}

// heading names the composition.
func (m *Model) heading() string { return fmt.Sprintf("Composition of recipe %s", m.Recipe.ID) }

// extent says where the composition is from and how large it is.
func (m *Model) extent() string {
	files := m.files()
	return fmt.Sprintf("%s at %s: %s, %s (%s)", m.Source.Repository, short(m.Source.Revision),
		diag.Count(len(m.Components), "component"), diag.Count(files.Total(), "file"), files)
}

// short returns enough of a revision to find it.
func short(r lockv2.Revision) string { return string(r[:min(len(r), 12)]) }

// because says why a component is in, as short as can be.
func (c *Component) because() string {
	switch c.Reason {
	case Needed:
		return fmt.Sprintf("needed by %d", len(c.NeededBy))
	case Included:
		return "included"
	}
	return string(c.Reason)
}

// lines tells the component in lines of text, with its folders or without.
func (c *Component) lines(folders bool) []string {
	lines := []string{string(c.ID), fmt.Sprintf("v%d, %s", c.Version, c.because())}
	if !folders {
		return append(lines, c.Files().String())
	}
	shown, more := folded(c.Folders, labelFolders)
	for _, f := range shown {
		lines = append(lines, f.label()+" "+f.Files.String())
	}
	if more > 0 {
		lines = append(lines, "and "+diag.Count(more, "more folder"))
	}
	return lines
}

// name is the part of an id after the role.
func name(id lockv2.ComponentID) string {
	_, name, _ := strings.Cut(string(id), ".")
	return name
}

// summary returns as much of a summary as a label or a tooltip has room for.
func summary(s string) string { return diag.Printable(s, 200) }

// printable shows a line that may hold what others wrote; a path has at most 1,024 bytes.
func printable(s string) string { return diag.Printable(s, 2000) }

// maxDescribed is how many components a description goes through.
const maxDescribed = 60

// description tells the picture to those who don't see it.
func (m *Model) description() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s.", strings.TrimRight(summary(m.Recipe.Summary), ". "), m.extent())
	for i := range m.Components {
		if i == maxDescribed {
			fmt.Fprintf(&b, " And %s more.", diag.Count(len(m.Components)-i, "component"))
			break
		}
		c := &m.Components[i]
		fmt.Fprintf(&b, " %s: %s, %s", c.ID, c.because(), c.Files())
		if len(c.Requires) > 0 {
			fmt.Fprintf(&b, "; requires %s", join(c.Requires))
		}
		if len(c.Conflicts) > 0 {
			fmt.Fprintf(&b, "; conflicts with %s", join(c.Conflicts))
		}
		b.WriteString(".")
	}
	return b.String()
}
