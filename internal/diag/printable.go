package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes what somebody else wrote fit for a terminal: one line of at most limit letters ("..." says that there were more),
// white space as one space, and "?" for what is no letter that can be seen, such as control characters and what changes the
// direction of the rest.
func Printable(text string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if n++; n > limit {
			b.WriteString("...")
			break
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// IsPrintable reports whether a text can be shown as it is: UTF-8, and nothing that Printable would replace.
func IsPrintable(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
