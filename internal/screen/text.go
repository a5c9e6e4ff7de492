package screen

import "strings"

// Style is how a span looks where there is colour.
type Style uint8

// The styles, by what they are for.
const (
	Plain  Style = iota
	Bold         // what to see first
	Faint        // what only some want to know
	Red          // what stops a run, or is lost
	Green        // what is good, or new
	Yellow       // what changes, or deserves a second look
	Cyan         // a command to copy
)

// sequences are the escape sequences that begin each style.
var sequences = [...]string{Bold: "\x1b[1m", Faint: "\x1b[2m", Red: "\x1b[31m", Green: "\x1b[32m", Yellow: "\x1b[33m", Cyan: "\x1b[36m"}

const reset = "\x1b[0m"

// Span is a piece of a line in one style. Its text holds no control character.
type Span struct {
	Style Style
	Text  string
}

// Text is one line, or what is to be wrapped into several.
type Text []Span

// String returns the text without styles.
func (t Text) String() string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(span.Text)
	}
	return b.String()
}

// Width returns the columns that the text takes.
func (t Text) Width() int { return Width(t.String()) }

// Render returns the bytes that show t, without a line end.
func (s Screen) Render(t Text) string {
	if !s.Color {
		return t.String()
	}
	var b strings.Builder
	now := Plain
	become := func(style Style) {
		if style != now && now != Plain {
			b.WriteString(reset)
		}
		if style != now && style != Plain {
			b.WriteString(sequences[style])
		}
		now = style
	}
	for _, span := range t {
		if span.Text != "" {
			become(span.Style)
			b.WriteString(span.Text)
		}
	}
	become(Plain)
	return b.String()
}

// cell is one character of a text.
type cell struct {
	char  rune
	width int
	style Style
}

// Wrap cuts t into lines of at most columns columns, at spaces and between wide characters. A word that is longer than a
// line has one of its own and stays whole, so that a path or a digest can be copied, and a number stays with what it
// counts. There is at least one line.
func (t Text) Wrap(columns int) []Text {
	var cells []cell
	for _, span := range t {
		for _, char := range span.Text {
			cells = append(cells, cell{char, runeWidth(char), span.Style})
		}
	}
	var lines []Text
	for {
		end, next := breakLine(cells, columns)
		lines = append(lines, textOf(cells[:end]))
		if next == len(cells) {
			return lines
		}
		cells = cells[next:]
	}
}

// breakLine returns where the first line of cells ends, and where the next begins.
func breakLine(cells []cell, columns int) (end, next int) {
	width, found := 0, false
	number := false // the word so far
	for i, c := range cells {
		first := i == 0 || cells[i-1].char == ' '
		switch {
		case c.char == ' ' && !first && !number:
			end, next, found = i, i, true
		case c.char != ' ' && i > 0 && c.width == 2 && cells[i-1].width == 2:
			end, next, found = i, i, true
		}
		number = (number || first) && '0' <= c.char && c.char <= '9'
		if width += c.width; width > columns && c.char != ' ' && found {
			for next < len(cells) && cells[next].char == ' ' {
				next++
			}
			return end, next
		}
	}
	return len(cells), len(cells)
}

// textOf joins cells into spans.
func textOf(cells []cell) Text {
	var t Text
	for i := 0; i < len(cells); {
		var b strings.Builder
		style := cells[i].style
		for ; i < len(cells) && cells[i].style == style; i++ {
			b.WriteRune(cells[i].char)
		}
		t = append(t, Span{style, b.String()})
	}
	return t
}

// Cut returns t as it fits in columns columns, with "..." for what does not.
func (t Text) Cut(columns int) Text {
	if t.Width() <= columns {
		return t
	}
	const dots = "..."
	room := max(columns-len(dots), 0)
	var cut Text
	for _, span := range t {
		var b strings.Builder
		for _, char := range span.Text {
			w := runeWidth(char)
			if w > room {
				return append(cut, Span{span.Style, b.String() + dots[:min(len(dots), columns)]})
			}
			room -= w
			b.WriteRune(char)
		}
		cut = append(cut, Span{span.Style, b.String()})
	}
	return cut
}
