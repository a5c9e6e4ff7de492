package strictjson

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// CodeInvalidJSON is the code of every *Error.
const CodeInvalidJSON = "INVALID_JSON"

// Error says where a text stops being the JSON that compose takes.
type Error struct {
	Line   int    // from 1; a line ends at LF
	Column int    // from 1, in bytes
	Reason string // lower case, no final period
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}
func (e *Error) Code() string { return CodeInvalidJSON }
func (e *Error) Path() string { return "" }
func (e *Error) Hint() string { return "" }

// fault turns what stopped the parser into an error.
func (p *parser) fault() *Error {
	text := string(p.text)
	if at, marker := conflictMarker(text); marker != "" {
		p.fail(at, "a merge-conflict marker, "+quote(marker)+"; resolve the conflict, then try again")
	}
	before := text[:p.failAt]
	return &Error{
		Line:   1 + strings.Count(before, "\n"),
		Column: len(before) - strings.LastIndexByte(before, '\n'),
		Reason: p.reason,
	}
}

// encodingFault names a text that is not UTF-8 without BOM from its first byte on; "" for any other.
func encodingFault(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return "the text begins with a byte order mark; save it as UTF-8 without BOM"
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")),
		len(b) >= 2 && (b[0] == 0) != (b[1] == 0):
		return "the text is UTF-16, not UTF-8; save it as UTF-8 without BOM"
	}
	return ""
}

// conflictMarker finds the first line that git writes around the two sides of a conflict. None of
// them can stand at the beginning of a line in JSON, so it is asked only after a fault.
func conflictMarker(text string) (at int, marker string) {
	for line := text; ; {
		for _, marker := range [...]string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if rest, found := strings.CutPrefix(line, marker); found && (rest == "" || strings.IndexByte(" \r\n", rest[0]) >= 0) {
				return len(text) - len(line), marker
			}
		}
		_, rest, found := strings.Cut(line, "\n")
		if !found {
			return 0, ""
		}
		line = rest
	}
}

// unexpected fails at p.at, where want belongs, and names what stands there instead.
func (p *parser) unexpected(want string) bool {
	rest := p.text[p.at:]
	if len(rest) == 0 {
		return p.fail(p.at, "the text ends where "+want+" belongs")
	}
	for _, w := range [...]string{"NaN", "Infinity", "+Infinity"} {
		if word(rest, w) {
			return p.fail(p.at, w+" is no JSON number")
		}
	}
	r, size := utf8.DecodeRune(rest)
	switch {
	case r == utf8.RuneError && size == 1:
		return p.fail(p.at, "a byte that is not UTF-8; save the file as UTF-8")
	case r == '\'':
		return p.fail(p.at, "a single quote where "+want+" belongs; strings stand in double quotes")
	case r == '/' || r == '#':
		return p.fail(p.at, quote(string(rest[:size]))+" where "+want+" belongs; JSON has no comments")
	}
	end := 0
	for end < len(rest) && end < 20 && wordByte(rest[end]) {
		end++
	}
	return p.fail(p.at, quote(string(rest[:max(size, end)]))+" where "+want+" belongs")
}

func controlFault(c byte) string {
	if c == '\n' || c == '\r' {
		return "a string that is not closed before its line ends"
	}
	return fmt.Sprintf(`a control character in a string; write it as \u%04x`, c)
}

// quote shows text in a message.
func quote(text string) string { return strconv.Quote(clip(text)) }

// clip cuts a text of any length to what a message can hold.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

func itoa(n int) string { return strconv.Itoa(n) }
