package main

import (
	"fmt"

	"example.org/compose/internal/diag"
)

// working says what a long run is at. It shows only when it takes longer than half a second, and to people alone.
func (s *session) working(format string, args ...any) {
	s.line.Say(printable(fmt.Sprintf(format, args...)))
}

// progress returns a function that tells people how far a run over files is; nil where nobody looks.
func (s *session) progress() func(done, total int) {
	if s.line == nil {
		return nil
	}
	return func(done, total int) { s.working("writing: %d of %s", done, diag.Count(total, "file")) }
}

// fetchProgress returns a function that tells people what is being fetched; nil where nobody looks.
func (s *session) fetchProgress() func(what string, bytes int64) {
	if s.line == nil {
		return nil
	}
	return func(what string, bytes int64) { s.working("fetching %s: %s", what, sizeText(bytes)) }
}
