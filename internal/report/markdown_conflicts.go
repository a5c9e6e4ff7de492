package report

import (
	"fmt"
	"strings"

	"example.org/compose/internal/review"
)

// groupText is a group of conflicts as far as there is room for it.
type groupText struct {
	*Group
	head, rows, ways, lines string
}

// conflicts is the section of conflicts: first all of them have a row, then come the ways out, then the lines.
func (m *markdown) conflicts() string {
	total := m.Count(Conflicting)
	if total == 0 {
		return ""
	}
	head := fmt.Sprintf("#### Conflicts: %s\n\n", thousands(total))
	const tail = 60 // bytes that say how many are left
	m.room -= len(head) + tail
	texts, listed := m.conflictRows()
	m.cut.Conflicts = total - listed
	waysRoom := m.room * 3 / 5
	for i := range texts {
		ways := texts[i].Group.waysText()
		left := waysRoom - len(ways)
		if texts[i].ways = m.take(ways, waysRoom); texts[i].ways == "" && ways != "" {
			m.cut.Ways++
			continue
		}
		waysRoom = left
	}
	m.cut.Ways += len(m.Conflicts) - len(texts)
	m.conflictLines(texts)
	var b strings.Builder
	b.WriteString(head)
	for _, t := range texts {
		b.WriteString(t.head + t.rows + t.ways + t.lines)
	}
	if m.cut.Conflicts > 0 {
		fmt.Fprintf(&b, "and %s\n\n", count(m.cut.Conflicts, "more conflict"))
	}
	return b.String()
}

// conflictRows lists the conflicts by group, and returns how many are listed.
func (m *markdown) conflictRows() (texts []groupText, listed int) {
	for i := range m.Conflicts {
		g := &m.Conflicts[i]
		t := groupText{Group: g, head: fmt.Sprintf("%s%s\n\n", mdCode(clip(g.Code, 100)), reason(g.Why))}
		rows := make([]string, len(g.Files))
		for j := range g.Files {
			f := &g.Files[j]
			rows[j] = "- " + mdCode(f.name()) + suffixed(mdText(f.supplier())) + reason(f.Why) + "\n"
		}
		n := fit(rows, m.room-len(t.head)-1, 0)
		if n == 0 {
			return texts, listed
		}
		t.rows = strings.Join(rows[:n], "") + "\n"
		m.room -= len(t.head) + len(t.rows)
		texts = append(texts, t)
		if listed += n; n < len(rows) {
			return texts, listed
		}
	}
	return texts, listed
}

// reason says why, after what it is about.
func reason(why string) string {
	if why == "" {
		return ""
	}
	return ": " + mdText(clip(shown(why, false), 300))
}

// suffixed puts a text into brackets after another.
func suffixed(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// waysText tells the ways out of the first conflict of a group.
func (g *Group) waysText() string {
	var b strings.Builder
	ways := g.Files[0].Ways
	if len(ways) == 0 {
		return ""
	}
	if len(g.Files) > 1 {
		fmt.Fprintf(&b, "For %s, and likewise for each:\n\n", mdCode(g.Files[0].name()))
	}
	for i := range ways {
		fmt.Fprintf(&b, "%d. **%s.** %s\n", i+1, mdText(ways[i].Title), mdText(ways[i].Text))
		if lines := commands(&ways[i]); len(lines) > 0 {
			b.WriteByte('\n')
			for line := range strings.Lines(mdFence("sh", lines)) {
				b.WriteString("   " + line)
			}
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// commands are the steps of a way as a script: each note is a comment.
func commands(w *review.Way) []string {
	var lines []string
	for _, step := range w.Steps {
		if step.Note != "" {
			lines = append(lines, fenced("# "+shown(step.Note, false)))
		}
		lines = append(lines, fenced(shown(step.Command, false)))
	}
	return lines
}

// conflictLines adds the lines of the listed conflicts, in two fifths of the room at most.
func (m *markdown) conflictLines(texts []groupText) {
	var files []*File
	group := make(map[*File]int)
	for i := range texts {
		for j := range texts[i].Files {
			f := &texts[i].Files[j]
			files = append(files, f)
			group[f] = i
		}
	}
	m.lines(files, m.room*2/5, func(f *File, text string) { texts[group[f]].lines += text })
}
