// Package review shows what a plan would do to each file, as a person compares them: unified differences, and for a local
// modification the three-way picture of what the lock had, what the catalog wants and what is on disk.
//
// Start with OfInitial or OfManaged and range over Files: every destination of the plan once, in byte order, each with its
// comparisons. A Comparison has hunks of lines, or says in Omitted and Why why there are none. The values are for screens of every
// kind: text in them is safe to print (see Line), numbers are exact, and nothing in them depends on the width or the colours of one.
//
// What is read is the target, through the root that was planned for, the bound revision, and for local modifications the revision of the
// lock. One file of each worker is in memory, and no more than MaxText bytes of it. Nothing is written, and nothing is cached.
//
// Terms: a Side is one state of a file; locked is what the lock recorded, wanted what the bound revision supplies, disk what stands in the
// target. A Way is a way out of a conflict.
package review

import (
	"fmt"

	"example.org/compose/fingerprint"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Bounds of what is compared line by line: a person reads no longer difference.
const (
	MaxText  = 1 << 20 // bytes of one side
	MaxLines = 20_000  // lines of one side
	MaxLine  = 500     // characters of a line that are shown
)

// File is what a plan says about one destination. Either Action or Conflict is set.
type File struct {
	Destination lockv2.Destination
	Component   lockv2.ComponentID // "" for one of the composer's own places, which only a conflict is about
	Ownership   lockv2.Ownership   // the lock's where that has the file, else the material's; "" where Component is
	Action      planner.ActionKind // "" for a conflict
	Conflict    *planner.Conflict  // nil for an action

	// Comparisons is what there is to see, in the order in which it is read: the Change of an action that writes or removes, or of a
	// conflict; of a LOCAL_MODIFICATION the Edit and the Upstream. None for a file that is left alone, and where the conflict
	// says all.
	Comparisons []Comparison
}

// Kind says which two sides a comparison is of.
type Kind string

// The kinds of a Comparison.
const (
	Change   Kind = "change"   // from disk to wanted: what apply would do, or would do but for the conflict
	Edit     Kind = "edit"     // from locked to disk: the consumer's own change
	Upstream Kind = "upstream" // from locked to wanted: the catalog's change
)

// Comparison is the difference between two sides of a file.
type Comparison struct {
	Kind     Kind
	Old, New Side
	Hunks    []Hunk // in order, with three lines of context; none where Omitted says why
	Added    int    // lines in Hunks that only New has
	Removed  int    // lines in Hunks that only Old has
	Omitted  Omission
	Why      string   // with Unreadable and LockedUnavailable: what is at fault, in a sentence without capital and period, safe to print
	Notes    []string // what the lines do not show, such as CRLF line ends or a mode; sentences like Why
}

// Title says what a comparison is of, in the reader's terms: "your edit", "the catalog's change".
func (c *Comparison) Title() string {
	switch c.Kind {
	case Edit:
		return "your edit: from what the lock records to what is on disk"
	case Upstream:
		return "the catalog's change: from what the lock records to what the catalog wants"
	}
	return "the change: from what is on disk to what the catalog wants"
}

// Side is one state of a file.
type Side struct {
	Present    bool
	Name       string               // as unified diffs name it: a/DEST, b/DEST, locked/DEST, or /dev/null where nothing is; safe to print
	Size       int64                // bytes; 0 where nothing is, or it is not known
	Digest     fingerprint.Material // zero where nothing is, or it is not known
	Executable bool                 // some executable bit of the file, or the git mode 100755
}

// Omission says why a comparison has no hunks. It is one word, for programs and style sheets; String is for people.
type Omission string

// The omissions.
const (
	Same              Omission = "same"               // the two sides have the same bytes
	LineEnds          Omission = "line-ends"          // the two sides differ in CR before LF alone
	Binary            Omission = "binary"             // a side has a NUL byte
	TooLong           Omission = "too-long"           // a side has more than MaxText bytes or MaxLines lines
	Unreadable        Omission = "unreadable"         // disk can't be read as a file: Why
	LockedUnavailable Omission = "locked-unavailable" // the locked bytes can't be had: Why
)

// String says it in words: "binary files differ".
func (o Omission) String() string {
	switch o {
	case Same:
		return "the bytes are the same"
	case LineEnds:
		return "only the line ends differ"
	case Binary:
		return "binary files differ"
	case TooLong:
		return "too long to compare line by line"
	case Unreadable:
		return "can't be read"
	case LockedUnavailable:
		return "the locked bytes can't be had"
	}
	return string(o)
}

// Hunk is one piece of a difference, with the numbers of a unified diff: the first line counts from 1, and is the one before where a
// side has no lines in it.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
}

// Op says on which sides a line is.
type Op byte

// The ops of a Line, as unified diffs write them.
const (
	Context Op = ' '
	Removed Op = '-'
	Added   Op = '+'
)

// Line is one line of a hunk. Text is safe to print: valid UTF-8 without line ends, control characters, bidirectional marks and other
// characters that nobody would see, but for tabs. Each of them stands there as an escape: \x1b, \r, \u{202e}, or \xe9 for a byte that is no UTF-8.
// It still has to be escaped for HTML or Markdown.
type Line struct {
	Op        Op
	Text      string
	Escapes   []Span // the parts of Text that are escapes, in order: what tells \x1b the escape from the same four characters in the file
	Skipped   int    // characters that the line has before Text: of two long lines the part is shown in which they differ
	Cut       int    // characters that the line has after Text
	NoNewline bool   // the last line of its side, without a line end
}

// Span is the bytes from Start up to End of a text.
type Span struct{ Start, End int }

// Place is how the command line named what the commands of a Way have to name again. The zero value is the target in the current
// folder and the usual source.
type Place struct {
	Target string // as it was given
	Source string // the flags that name the source, but for its revision, quoted for a shell: "--source ../templates"; "" for none
}

// Way is one way out of a conflict.
type Way struct {
	Title string // "restore the locked bytes": what the reader wants
	Text  string // when it is right and what follows, one or two sentences; safe to print
	Steps []Step // in order; none where there is nothing to run
}

// Step is a command that is ready to copy into a POSIX shell.
type Step struct {
	Note    string // what the command is for, or when it is needed, without period; "" for nothing to say
	Command string // one line, safe to print
}

// Header returns the line that begins the hunk in a unified diff.
func (h *Hunk) Header() string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
}
