package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown returns a text as one line of UTF-8 in which nothing is hidden: control characters, bidirectional marks and bytes that are no UTF-8
// stand there as escapes, as package review writes them. Tabs stay where they are kept.
func shown(s string, tabs bool) string {
	fine := func(r rune) bool { return unicode.IsPrint(r) || r == '\t' && tabs }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !fine(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case fine(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// clip shortens a text to about most bytes, at a character.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "..."
}

// escapeHTML makes a text safe within an element or a quoted attribute.
func escapeHTML(s string) string {
	s = shown(s, true)
	if !strings.ContainsAny(s, `&<>"'`) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; c {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '"':
			b.WriteString("&quot;")
		case '\'':
			b.WriteString("&#39;")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mdParagraph is mdText for what begins a paragraph, and must not begin a list, a heading or code.
func mdParagraph(s string) string {
	s = mdText(strings.TrimSpace(shown(s, false)))
	if s != "" && strings.ContainsRune("-+=0123456789", rune(s[0])) {
		s = "&#8203;" + s
	}
	return s + "\n\n"
}

// maxRun is how many backticks in a row are left as they are: GitHub's renderer counts up to 80 around code, and to 255 around a block.
const maxRun = 70

// mdCode makes a name of a text: code, in which nothing is markup and nobody is mentioned. Not for tables.
func mdCode(s string) string {
	s = shown(s, false)
	if s == "" {
		return "(no name)"
	}
	run := longestRun(s, '`')
	if run > maxRun {
		return htmlCode(s)
	}
	fence := strings.Repeat("`", run+1)
	if fence == "`" && s[0] != ' ' {
		return fence + s + fence
	}
	return fence + " " + s + " " + fence // one space on each side is no part of the code
}

// mdCell is mdCode for a cell of a table, where a bar ends even code.
func mdCell(s string) string {
	if !strings.ContainsAny(s, "|`\\") {
		return mdCode(s)
	}
	return htmlCode(s)
}

// htmlCode is a name as HTML, for where Markdown is read and where it is not: all that means something to either is written by its number.
func htmlCode(s string) string {
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range shown(s, false) {
		switch {
		case r == '@':
			b.WriteString("@<wbr>") // an address would be a link even here
		case r < 0x80 && !isWord(r) && !strings.ContainsRune("/.- ", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "www.", "www&#46;") + "</code>"
}

// mdText makes a text safe in a paragraph or a cell: no markup, and nothing that a host makes a link or a notification of. Where a sign alone would
// do that, a space without width follows it.
func mdText(s string) string {
	const nothing = "&#8203;"
	s = shown(s, false)
	var b strings.Builder
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		touches := next != utf8.RuneError && next != ' '
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("@#!~%:$^", r) && touches:
			if r != ':' && r != '@' && r != '%' {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			b.WriteString(nothing)
		case strings.ContainsRune("\\`*_[]{}|~$#!^", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '.' && strings.HasSuffix(strings.ToLower(s[:i]), "www"),
			r == '-' && strings.HasSuffix(strings.ToLower(s[:i]), "gh"):
			b.WriteString(nothing)
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mdFence puts lines into a fenced block that none of them can end.
func mdFence(language string, lines []string) string {
	longest := 2
	for _, l := range lines {
		longest = max(longest, longestRun(l, '`')) // at most maxRun: see fenced
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}

// fenced makes a line fit for a fenced block: of more backticks in a row than can be told from its end, most are counted instead.
func fenced(line string) string {
	for longestRun(line, '`') > maxRun {
		at := strings.Index(line, strings.Repeat("`", maxRun+1)) + maxRun
		rest := strings.TrimLeft(line[at:], "`")
		line = line[:at] + "(" + count(len(line)-at-len(rest), "more backtick") + ")" + rest
	}
	return line
}

// longestRun returns how often a character stands in a row at most.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == c {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
