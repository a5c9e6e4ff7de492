package report

import (
	"fmt"
	"slices"
	"strings"

	"example.org/compose/internal/review"
)

// between begins the differences of files.
const between = "#### Differences\n\n"

// share gives files and lines what they need of the room, and where that is too much, three fifths and two.
func (m *markdown) share() (files, lines string) {
	tables := make(map[Bucket]*table)
	need := 0
	for _, b := range Buckets() {
		tables[b] = m.table(b)
		need += tables[b].size()
	}
	differing := slices.Concat(m.in(Replace), m.in(Remove), m.in(Create))
	filesRoom := m.room
	if wanted := linesNeed(differing, m.room) + len(between); need+wanted > m.room {
		filesRoom = max(m.room*3/5, m.room-wanted)
	}
	files = m.files(tables, filesRoom)
	m.room -= len(between)
	m.lines(differing, m.room, func(_ *File, text string) { lines += text })
	if lines == "" {
		m.room += len(between)
		return files, ""
	}
	return files, between + lines
}

// table is the files of a bucket.
type table struct {
	head string
	rows []string
}

func (t *table) size() int {
	sum := len(t.head)
	for _, row := range t.rows {
		sum += len(row)
	}
	return sum
}

// files lists the files of each bucket.
func (m *markdown) files(tables map[Bucket]*table, most int) string {
	most = min(most, m.room)
	texts := make(map[Bucket]string)
	put := func(b Bucket, share int) {
		if len(tables[b].rows) > 0 {
			text, left := m.list(tables[b].head, tables[b].rows, "file", share)
			texts[b] = text
			most -= len(text)
			m.cut.Files += left
		}
	}
	written := []Bucket{Create, Replace, Remove, Adopt}
	slices.SortStableFunc(written, func(a, b Bucket) int { return tables[a].size() - tables[b].size() })
	for i, b := range written { // the smallest first: what it does not need is there for the others
		put(b, most/(len(written)-i))
	}
	put(Preserve, most)
	put(Unchanged, most)
	var all strings.Builder
	for _, b := range Buckets() {
		all.WriteString(texts[b])
	}
	return all.String()
}

// table makes the table of a bucket.
func (m *markdown) table(b Bucket) *table {
	files := m.in(b)
	t := &table{rows: make([]string, len(files))}
	open := ""
	if len(files) <= 20 && b != Unchanged && b != Preserve {
		open = " open"
	}
	t.head = fmt.Sprintf("<details%s><summary><b>%s</b>: %s</summary>\n\n| File | Component | Lines |\n| --- | --- | ---: |\n", open, b.said().title, count(len(files), "file"))
	for i, f := range files {
		t.rows[i] = "| " + mdCell(string(f.Destination)) + f.includedCell() + " | " + mdText(f.supplier()) + " | " + f.extent() + " |\n"
	}
	return t
}

// includedCell adds the included files that made a difference, the first three.
func (f *File) includedCell() string {
	var b strings.Builder
	list := f.included()
	for i, include := range list {
		if i == 3 {
			b.WriteString("<br>and " + count(len(list)-i, "more include"))
			break
		}
		b.WriteString("<br>include " + mdCell(include.path) + " " + include.change)
	}
	return b.String()
}

// linesNeed returns how many bytes the lines of files take, and more than most where that is not enough.
func linesNeed(files []*File, most int) int {
	sum := 0
	for _, f := range files {
		if len(f.Comparisons) == 0 {
			continue
		}
		text, whole := f.linesText(most)
		if sum += len(text); sum > most || !whole {
			return most + 1
		}
	}
	return sum
}

// lines tells the differences of files, each by itself, and calls put with the text of each that there is room for. Where not all fit, none
// takes more than a quarter, so that one large file leaves something to the others.
func (m *markdown) lines(files []*File, most int, put func(f *File, text string)) {
	most = min(most, m.room)
	differing := 0
	for _, f := range files {
		if len(f.Comparisons) > 0 {
			differing++
		}
	}
	if differing == 0 {
		return
	}
	limit := most
	if linesNeed(files, most) > most {
		limit = max(most/4, most/differing)
	}
	for _, f := range files {
		if len(f.Comparisons) == 0 {
			continue
		}
		text, whole := f.linesText(min(most, limit))
		if text == "" || !whole {
			m.cut.Lines++
		}
		if text != "" {
			put(f, text)
			most -= len(text)
			m.room -= len(text)
		}
	}
}

// linesText tells the differences of a file in at most most bytes, and whether that is all; "" where it is not enough for anything.
func (f *File) linesText(most int) (text string, whole bool) {
	const end = "</details>\n\n"
	const least = 60 // what is left of nothing is not worth its frame
	head := "<details><summary>" + strings.TrimSpace(f.Bucket.said().sign+" "+htmlCode(f.name())+" "+f.extent()) + "</summary>\n\n"
	room := most - len(head) - len(end)
	if room < least*len(f.Comparisons) {
		return "", false
	}
	whole = true
	var b strings.Builder
	b.WriteString(head)
	for i := range f.Comparisons {
		part, all := f.Comparisons[i].text(room / (len(f.Comparisons) - i))
		if part == "" {
			return "", false
		}
		b.WriteString(part)
		room -= len(part)
		whole = whole && all
	}
	b.WriteString(end)
	return b.String(), whole
}

// text tells a comparison in at most most bytes, and whether that is all; "" where it is not enough for anything.
func (c *Comparison) text(most int) (text string, whole bool) {
	before := ""
	if c.Kind != review.Change {
		before = mdParagraph(upper(c.Title()))
	}
	for _, note := range c.Notes {
		before += mdParagraph(upper(note))
	}
	if instead := c.instead(); instead != "" {
		if text = before + mdParagraph(upper(instead)); len(text) > most {
			return "", false
		}
		return text, true
	}
	all := c.unified()
	const more = 50 // bytes that say how many are left
	room := most - len(before) - more - len("diff\n\n\n")
	longest, shown := 2, 0
	for i, line := range all {
		longest = max(longest, longestRun(line, '`'))
		room -= len(line) + 1
		if room < 2*(longest+1) {
			break
		}
		shown = i + 1
	}
	if shown < 4 { // the names and a header alone say nothing
		return "", false
	}
	text = before + mdFence("diff", all[:shown]) + "\n"
	left := c.Left
	for _, line := range all[shown:] {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, `\`) {
			left++
		}
	}
	if left > 0 {
		text += "and " + count(left, "more line") + "\n\n"
		return text, false
	}
	return text, true
}

// unified is the comparison as the lines of a unified diff.
func (c *Comparison) unified() []string {
	lines := []string{fenced("--- " + shown(c.Old.Name, false)), fenced("+++ " + shown(c.New.Name, false))}
	for _, h := range c.Hunks {
		lines = append(lines, h.Header())
		for i := range h.Lines {
			l := &h.Lines[i]
			text := shown(l.Text, true)
			if l.Skipped > 0 {
				text = "(" + count(l.Skipped, "character") + ") ... " + text
			}
			if l.Cut > 0 {
				text += " ... (" + count(l.Cut, "more character") + ")"
			}
			lines = append(lines, fenced(string(l.Op)+text))
			if l.NoNewline {
				lines = append(lines, `\ No newline at end of file`)
			}
		}
	}
	return lines
}
