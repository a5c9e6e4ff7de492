package review

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text, such as a name, in the safe form of a Line, with tabs and line ends as escapes too.
func Visible(text string) string {
	shown, _, _ := visible([]byte(text), len(text))
	return strings.ReplaceAll(shown, "\t", `\t`)
}

// visible returns the safe form of a line, at most most characters of it, where its escapes are, and how many characters
// are left out.
func visible(text []byte, most int) (shown string, escapes []Span, cut int) {
	if len(text) <= most && plain(text) {
		return string(text), nil, 0
	}
	var b strings.Builder
	for n := 0; len(text) > 0; n++ {
		if n == most {
			return b.String(), escapes, utf8.RuneCount(text)
		}
		r, size := utf8.DecodeRune(text)
		if escape := escapeOf(r, text[:size]); escape != "" {
			escapes = append(escapes, Span{b.Len(), b.Len() + len(escape)})
			b.WriteString(escape)
		} else {
			b.Write(text[:size])
		}
		text = text[size:]
	}
	return b.String(), escapes, 0
}

// plain reports whether a text is ASCII that is shown as it is: nearly every line.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\t' || c > '~' {
			return false
		}
	}
	return true
}

// escapeOf returns the escape of a character that is not shown as it is; else "". raw is its bytes.
func escapeOf(r rune, raw []byte) string {
	switch {
	case r == '\t', unicode.IsPrint(r) && (r != utf8.RuneError || len(raw) > 1):
		return ""
	case r == '\r':
		return `\r`
	case r == '\n':
		return `\n`
	case len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	}
	return fmt.Sprintf(`\u{%x}`, r)
}
