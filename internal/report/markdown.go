package report

import (
	"fmt"
	"strings"
)

// MinMarkdown is the least that a budget for Markdown may be: the totals always have room.
const MinMarkdown = 2_000

// markdown is a report at work.
type markdown struct {
	*Report
	budget int
	room   int // that is left
	cut    Cut
}

// reserved is what the sentence about what is left out takes at most.
const reserved = 420

// Markdown returns the report in at most budget bytes, and so in no more characters, and what it leaves out for that. A budget below
// MinMarkdown counts as that.
//
// Title and totals are whole. Then comes, as far as there is room: each conflict, the ways out, the lines of conflicts, components, the
// graph where it takes a fifth of what is left, and files and their lines, which share the rest.
func (r *Report) Markdown(budget int) ([]byte, Cut) {
	m := &markdown{Report: r, budget: max(budget, MinMarkdown)}
	head := m.head()
	m.room = m.budget - len(head) - reserved
	next := m.take(m.next(), m.room/4)
	conflicts := m.conflicts()
	components := m.components(m.room / 4)
	picture := m.picture(m.room / 5)
	files, lines := m.share()
	note := m.note()
	return []byte(head + note + conflicts + components + files + lines + picture + next), m.cut
}

// take returns a part that there is room for, and else nothing.
func (m *markdown) take(part string, most int) string {
	if len(part) > min(most, m.room) {
		return ""
	}
	m.room -= len(part)
	return part
}

// head is the title, what the plan comes to, and the totals.
func (m *markdown) head() string {
	name := func(most int) func(string) string {
		return func(s string) string { return mdCode(clip(shown(s, false), most)) }
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s from %s%s\n\n", m.heading(name(70)), name(120)(m.Source.Repository), m.revisions(name(12)))
	switch words, follows := m.verdict(); {
	case m.Count(Conflicting) > 0:
		fmt.Fprintf(&b, "> [!CAUTION]\n> **%s.** %s\n\n", words, follows)
	default:
		fmt.Fprintf(&b, "**%s.** %s\n\n", words, follows)
	}
	titles, rule, totals := "|", "|", "|"
	for _, bucket := range m.buckets() {
		titles += " " + bucket.said().title + " |"
		rule += " ---: |"
		if n := m.Count(bucket); n > 0 {
			totals += fmt.Sprintf(" **%s** |", thousands(n))
		} else {
			totals += " 0 |"
		}
	}
	fmt.Fprintf(&b, "%s\n%s\n%s\n\n", titles, rule, totals)
	if lines := m.Lines().String(); lines != "" {
		fmt.Fprintf(&b, "Lines: %s\n\n", lines)
	}
	return b.String()
}

// note says what is left out; "" for nothing.
func (m *markdown) note() string {
	left := m.cut.String(m.Report)
	if left == "" {
		return ""
	}
	return fmt.Sprintf("> [!NOTE]\n> This is cut to %s bytes. Left out: %s. `compose report --as html` has more.\n\n", thousands(m.budget), left)
}

// next is the command to go on with.
func (m *markdown) next() string {
	if m.Next == "" || !m.Writes && m.Count(Conflicting) == 0 {
		return ""
	}
	does := "This does it:"
	if m.Count(Conflicting) > 0 {
		does = "Then again:"
	}
	return does + "\n\n" + mdFence("sh", []string{fenced(shown(m.Next, false))})
}

// components lists the components that come, change and go.
func (m *markdown) components(most int) string {
	if len(m.Components) == 0 {
		return ""
	}
	open := ""
	if m.From != "" && len(m.Components) <= 10 {
		open = " open"
	}
	head := fmt.Sprintf("<details%s><summary><b>Components</b>: %s</summary>\n\n", open, m.Report.components())
	rows := make([]string, len(m.Components))
	for i := range m.Components {
		c := &m.Components[i]
		rows[i] = fmt.Sprintf("- %s %s\n", mdCode(string(c.ID)), c.change())
	}
	text, left := m.list(head, rows, "component", most)
	m.cut.Components = left
	return text
}

// list puts as many rows as there is room for into a <details> that head begins, and says how many are left; "" where there is no room for
// any.
func (m *markdown) list(head string, rows []string, noun string, most int) (text string, left int) {
	const end = "\n</details>\n\n"
	const more = 60 // bytes that say how many are left
	most = min(most, m.room) - len(head) - len(end)
	shown := fit(rows, most, more)
	if shown == 0 {
		return "", len(rows)
	}
	text = head + strings.Join(rows[:shown], "")
	if left = len(rows) - shown; left > 0 {
		text += "\nand " + count(left, "more "+noun) + "\n"
	}
	text += end
	m.room -= len(text)
	return text, left
}

// fit returns how many of the rows fit into most bytes, where more bytes are kept free unless all do.
func fit(rows []string, most, more int) int {
	sum, fitting := 0, 0
	for i, row := range rows {
		sum += len(row)
		if sum > most {
			return fitting
		}
		if sum <= most-more {
			fitting = i + 1
		}
	}
	return len(rows)
}

// picture is the graph.
func (m *markdown) picture(most int) string {
	if m.Graph == nil {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(string(m.Graph.Mermaid()), "\n"), "\n")
	text := m.take("<details><summary><b>Graph</b> of the composition</summary>\n\n"+mdFence("mermaid", lines)+"\n</details>\n\n", most)
	m.cut.Graph = text == ""
	return text
}
