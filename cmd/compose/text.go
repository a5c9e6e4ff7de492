package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// textWriter collects the human form of an answer.
type textWriter struct{ bytes.Buffer }

// line adds one line, whatever the arguments hold: characters that would steer a terminal or begin another line are shown,
// not sent.
func (w *textWriter) line(format string, args ...any) {
	w.WriteString(printable(fmt.Sprintf(format, args...)))
	w.WriteByte('\n')
}

// printable shows control characters and bytes that are no UTF-8 as escapes, so that a name from a
// catalog or a target can't steer the terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return validText(s)
	}
	var b strings.Builder
	for _, r := range validText(s) {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// validText replaces what is no UTF-8, so that it fits in a JSON document.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// count says "1 file" or "3 files".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
