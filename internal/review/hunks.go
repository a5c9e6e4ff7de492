package review

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// compare fills in hunks and counts, or why there are none. The two texts are nil where a side is not present.
func (c *Comparison) compare(old, new []byte) error {
	switch {
	case len(old) > MaxText || len(new) > MaxText:
		c.Omitted = TooLong
	case bytes.Equal(old, new):
		c.same()
	case bytes.IndexByte(old, 0) >= 0 || bytes.IndexByte(new, 0) >= 0:
		c.Omitted = Binary
	case bytes.Count(old, lineEnd) > MaxLines || bytes.Count(new, lineEnd) > MaxLines:
		c.Omitted = TooLong
	case bytes.Equal(bytes.ReplaceAll(old, crlf, lineEnd), bytes.ReplaceAll(new, crlf, lineEnd)):
		c.Omitted = LineEnds
		c.note("%s before, %s after", endsOf(old), endsOf(new))
	default:
		return c.lines(old, new)
	}
	return nil
}

// same is for two sides with the same bytes, of which one may be no file at all.
func (c *Comparison) same() {
	switch {
	case c.Old.Present == c.New.Present:
		c.Omitted = Same
	case c.New.Present:
		c.note("the file is new, and empty")
	default:
		c.note("the file goes, and was empty")
	}
}

func (c *Comparison) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

var lineEnd, crlf = []byte("\n"), []byte("\r\n")

// endsOf says in a word how the lines of a text end.
func endsOf(text []byte) string {
	switch all, dos := bytes.Count(text, lineEnd), bytes.Count(text, crlf); {
	case dos == 0:
		return "LF"
	case dos == all:
		return "CRLF"
	}
	return "some CRLF and some LF"
}

// lines compares two texts line by line.
func (c *Comparison) lines(old, new []byte) error {
	// A CR that ends every line of what is there says nothing at any of them.
	quiet := (!c.Old.Present || endsOf(old) == "CRLF") && (!c.New.Present || endsOf(new) == "CRLF")
	r := hunkReader{comparison: c, quiet: quiet, rest: diff.Diff("old", old, "new", new)}
	if err := r.read(); err != nil {
		return fmt.Errorf("internal: the difference of %s and %s can't be taken apart: %w", c.Old.Name, c.New.Name, err)
	}
	if quiet {
		c.note("lines end in CRLF")
	}
	if r.escaped {
		c.note(`characters that would not be seen are shown as escapes, such as \x1b or \r`)
	}
	if r.cut {
		c.note("of lines of more than %d characters a part is shown", MaxLine)
	}
	return nil
}

// hunkReader takes a unified diff apart. Its first line names the files; in a hunk the first byte of each line says what it is, so that
// nothing in a file can be taken for a line of the diff itself.
type hunkReader struct {
	comparison   *Comparison
	quiet        bool // a CR at the end of a line is not shown
	rest         []byte
	escaped, cut bool
}

// noNewline follows a line without a line end.
const noNewline = "\\ No newline at end of file"

func (r *hunkReader) read() error {
	for range 3 { // diff old new, --- old, +++ new
		r.line()
	}
	for len(r.rest) > 0 {
		h, err := parseHeader(string(r.line()))
		if err != nil {
			return err
		}
		var texts [][]byte
		for old, new := 0, 0; old < h.OldLines || new < h.NewLines; {
			text := r.line()
			if len(text) == 0 {
				return fmt.Errorf("a hunk ends early")
			}
			line := Line{Op: Op(text[0])}
			switch line.Op {
			case Context:
				old++
				new++
			case Removed:
				old++
				r.comparison.Removed++
			case Added:
				new++
				r.comparison.Added++
			default:
				return fmt.Errorf("a line of a hunk begins with %q", text[0])
			}
			if bytes.HasPrefix(r.rest, []byte(noNewline)) {
				r.line()
				line.NoNewline = true
			} else if r.quiet {
				text = bytes.TrimSuffix(text, []byte("\r"))
			}
			h.Lines, texts = append(h.Lines, line), append(texts, text[1:])
		}
		r.show(h.Lines, texts)
		r.comparison.Hunks = append(r.comparison.Hunks, h)
	}
	return nil
}

// line takes the next line, without its end.
func (r *hunkReader) line() []byte {
	line, rest, _ := bytes.Cut(r.rest, lineEnd)
	r.rest = rest
	return line
}

// show makes the lines of a hunk from their texts.
func (r *hunkReader) show(lines []Line, texts [][]byte) {
	skip := skips(lines, texts)
	for i := range lines {
		l := &lines[i]
		l.Text, l.Escapes, l.Cut = visible(texts[i][skip[i]:], MaxLine)
		l.Skipped = utf8.RuneCount(texts[i][:skip[i]])
		r.escaped = r.escaped || len(l.Escapes) > 0
		r.cut = r.cut || l.Cut+l.Skipped > 0
	}
}

// skips returns for each line of a hunk how many bytes of it to leave out, so that of two long lines which take each other's place the part
// is shown in which they differ.
func skips(lines []Line, texts [][]byte) []int {
	const before = 40 // bytes that are shown before the difference
	skip := make([]int, len(lines))
	for i := 0; i < len(lines); {
		removed := leading(lines[i:], Removed)
		added := leading(lines[i+removed:], Added)
		for k := range min(removed, added) {
			a, b := texts[i+k], texts[i+removed+k]
			if len(a) <= MaxLine && len(b) <= MaxLine {
				continue
			}
			same := 0
			for same < len(a) && same < len(b) && a[same] == b[same] {
				same++
			}
			if same > MaxLine/2 {
				start := same - before
				for start > 0 && !utf8.RuneStart(a[start]) {
					start--
				}
				skip[i+k], skip[i+removed+k] = start, start
			}
		}
		i += max(removed+added, 1)
	}
	return skip
}

// leading counts the lines at the beginning of a list that have an op.
func leading(lines []Line, op Op) int {
	n := 0
	for n < len(lines) && lines[n].Op == op {
		n++
	}
	return n
}

// parseHeader reads "@@ -1,2 +3,4 @@".
func parseHeader(line string) (h Hunk, err error) {
	inner, found := strings.CutPrefix(line, "@@ -")
	inner, ended := strings.CutSuffix(inner, " @@")
	old, new, both := strings.Cut(inner, " +")
	if !found || !ended || !both {
		return h, fmt.Errorf("%q is no header of a hunk", line)
	}
	for _, side := range []struct {
		text         string
		start, lines *int
	}{{old, &h.OldStart, &h.OldLines}, {new, &h.NewStart, &h.NewLines}} {
		start, lines, _ := strings.Cut(side.text, ",")
		if *side.start, err = strconv.Atoi(start); err == nil {
			*side.lines, err = strconv.Atoi(lines)
		}
		if err != nil {
			return h, fmt.Errorf("%q is no header of a hunk", line)
		}
	}
	return h, nil
}
