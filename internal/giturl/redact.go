package giturl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/compose/internal/diag"
)

// maxShown bounds a source in an error, in letters.
const maxShown = 200

// redact returns scheme://rest for an error: without what may be a user, a password, a query or a fragment, however odd
// the text. Signs of a password that nobody encoded move the borders of a URL's parts, so all up to the last @ goes.
func redact(scheme, rest string) string {
	place, extra := rest, ""
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		place, extra = rest[:i], rest[i:]
	}
	if strings.Contains(extra, "@") {
		return scheme + "://..."
	}
	if i := strings.LastIndexByte(place, '@'); i >= 0 {
		place = "..." + place[i:]
	}
	return scheme + "://" + place
}

func invalid(shown, format string, args ...any) *Error {
	return &Error{diag.New(CodeInvalidSource, clean(shown), fmt.Sprintf(format, args...))}
}

func (e *Error) withHint(hint string) *Error { return &Error{e.WithHint(hint)} }

// clean makes a text fit for a terminal.
func clean(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxShown {
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
