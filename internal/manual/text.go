package manual

import "strings"

// Block is a piece of a text that is shown as one.
type Block struct {
	Kind Shape
	Text string // one line, or of Verbatim all lines
}

// Shape is how a block is shown.
type Shape uint8

// The shapes of a block.
const (
	Prose    Shape = iota // wrapped
	Bullet                // wrapped, behind a mark
	Heading               // bold
	Verbatim              // each line as it is: commands
)

// Blocks takes a text apart, in the small part of Markdown that topics, codes and the help of commands keep to:
// paragraphs, lines that begin with "- ", headings that begin with "#", and lines indented by two blanks or fenced, which
// stand as they are. A link is its text.
func Blocks(text string) []Block {
	var list []Block
	var kind Shape
	var lines []string
	flush := func() {
		switch {
		case len(lines) == 0:
		case kind == Verbatim:
			list = append(list, Block{kind, strings.Join(lines, "\n")})
		default:
			list = append(list, Block{kind, unlinked(strings.Join(lines, " "))})
		}
		lines = nil
	}
	begin := func(as Shape) {
		if len(lines) > 0 && (kind != as || as == Bullet) {
			flush()
		}
		kind = as
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		inner := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(inner, "```"):
			flush()
			fenced = !fenced
		case fenced:
			begin(Verbatim)
			lines = append(lines, line)
		case inner == "":
			flush()
		case strings.HasPrefix(line, "#"):
			flush()
			list = append(list, Block{Heading, strings.TrimSpace(strings.TrimLeft(line, "#"))})
		case strings.HasPrefix(line, "- "):
			begin(Bullet)
			lines = append(lines, inner[2:])
		case strings.HasPrefix(line, "  ") && len(lines) > 0 && kind == Bullet:
			lines = append(lines, inner)
		case strings.HasPrefix(line, "  "):
			begin(Verbatim)
			lines = append(lines, line[2:])
		default:
			if len(lines) > 0 && kind == Bullet {
				lines = append(lines, inner)
				continue
			}
			begin(Prose)
			lines = append(lines, inner)
		}
	}
	flush()
	return list
}

// unlinked leaves the texts of links.
func unlinked(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "[")
		label, rest, linked := strings.Cut(after, "](")
		_, behind, closed := strings.Cut(rest, ")")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if !linked || !closed || strings.ContainsAny(label, "[]") {
			b.WriteByte('[')
			text = after
			continue
		}
		b.WriteString(label)
		text = behind
	}
}
