package giturl

import (
	"fmt"
	"strings"

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
	return &Error{diag.New(CodeInvalidSource, diag.Printable(shown, maxShown), fmt.Sprintf(format, args...))}
}

func (e *Error) withHint(hint string) *Error { return &Error{e.WithHint(hint)} }
