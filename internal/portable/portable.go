// Package portable holds the one rule for paths that must mean the same file on every system
// (docs/paths.md): relative, "/"-separated, ASCII, no name that some system can't hold.
// It imports the standard library alone and touches no file.
package portable

import (
	"fmt"
	"strings"
)

// Limits of a path, in bytes.
const (
	MaxSegment = 255
	MaxPath    = 1024
)

// Error says which segment of a path breaks the rule.
type Error struct {
	Segment string // the offending segment; "" for a fault of the whole path
	Reason  string // lower case, no final period
}

func (e *Error) Error() string {
	if e.Segment == "" {
		return e.Reason
	}
	return fmt.Sprintf("segment %q %s", e.Segment, e.Reason)
}

// Check returns nil for a portable path, else an *Error that names the first offending segment.
func Check(path string) error {
	if path == "" {
		return &Error{Reason: "the path is empty"}
	}
	if len(path) > MaxPath {
		return &Error{Reason: fmt.Sprintf("the path has %d bytes; at most %d are portable", len(path), MaxPath)}
	}
	if path[0] == '/' {
		return &Error{Reason: "the path is absolute; it must be relative"}
	}
	for rest, more := path, true; more; {
		segment := rest
		slash := strings.IndexByte(rest, '/')
		if more = slash >= 0; more {
			segment, rest = rest[:slash], rest[slash+1:]
		}
		if reason := segmentFault(segment); reason != "" {
			if segment == "" {
				return &Error{Reason: reason}
			}
			return &Error{Segment: segment, Reason: reason}
		}
	}
	return nil
}

func segmentFault(s string) string {
	switch {
	case s == "":
		return "the path has an empty segment"
	case s == "." || s == "..":
		return "is not a name"
	case len(s) > MaxSegment:
		return fmt.Sprintf("has %d bytes; at most %d are portable", len(s), MaxSegment)
	}
	for i := 0; i < len(s); i++ {
		if !nameBytes[s[i]] {
			return "holds a character other than A-Z a-z 0-9 . _ -"
		}
	}
	switch {
	case s[0] == '-':
		return "starts with a hyphen, which programs take for an option"
	case s[len(s)-1] == '.':
		return "ends in a dot, which Windows drops"
	case len(s) == len(".git") && Fold(s) == ".git":
		return "is git's own folder"
	case device(s):
		return "is a device name on Windows"
	}
	return ""
}

// nameBytes tells which bytes may stand in a segment.
var nameBytes = func() (table [256]bool) {
	for c := range byte(128) {
		table[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
	}
	return table
}()

// device reports whether Windows takes the segment for a device, with or without an extension.
func device(segment string) bool {
	stem := segment
	if dot := strings.IndexByte(segment, '.'); dot >= 0 {
		stem = segment[:dot]
	}
	if len(stem) != 3 && len(stem) != 4 {
		return false
	}
	stem = Fold(stem)
	switch stem {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "com" || stem[:3] == "lpt") && stem[3] >= '0' && stem[3] <= '9'
}

// Fold returns path with ASCII upper case made lower: two paths that fold to the same text are
// the same file on a system that ignores case.
func Fold(path string) string {
	for i := 0; i < len(path); i++ {
		if FoldByte(path[i]) != path[i] {
			b := []byte(path)
			for ; i < len(b); i++ {
				b[i] = FoldByte(b[i])
			}
			return string(b)
		}
	}
	return path
}

// FoldByte is Fold for one byte of a path.
func FoldByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
