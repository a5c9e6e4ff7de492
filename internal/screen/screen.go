// Package screen is what a person sees on a terminal: its width, colour, the wrapping and folding of what is too
// long for it, and a line of progress.
//
// Start with Detect, which looks at a stream and the environment once, where a program starts. A Text is a line
// in spans of one style each; Screen.Render makes bytes of it, in colour or plain, and Text.Wrap cuts it to a
// width. Widths are columns of a terminal, not bytes or characters: see Width. Progress is a line that goes away.
//
// Nothing here makes text safe to print: what comes from elsewhere has to be free of control characters before it
// becomes a Span. Colour never says more than the words do, because most readers of an output never see it.
package screen

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// The bounds of a width, in columns. Below the least one a line of an answer makes no sense, and the terminal
// wraps it; past the most a line of prose is hard to read.
const (
	DefaultColumns = 80
	leastColumns   = 40
	mostColumns    = 1000
)

// Color says when a screen is coloured: one of the constants.
type Color string

// The values of --color.
const (
	Auto   Color = "auto" // on a terminal, unless the environment says otherwise
	Always Color = "always"
	Never  Color = "never"
)

// Screen is where text is shown. The zero value is plain and 80 columns wide.
type Screen struct {
	Columns  int  // 0 means DefaultColumns
	Measured bool // Columns is what the terminal has, or what COLUMNS says: text that need not be wrapped may be
	Color    bool // escape sequences of ECMA-48 are understood and wanted
	Terminal bool // somebody looks at it while it is written
	Erases   bool // a line can be taken back; implies Terminal
}

// Detect looks at a stream and at the environment: COLUMNS, TERM, and for Auto also NO_COLOR (https://no-color.org),
// CLICOLOR_FORCE and CLICOLOR (https://bixense.com/clicolors), the first one that is set counting.
func Detect(w io.Writer, color Color, getenv func(string) string) Screen {
	file, _ := w.(*os.File)
	terminal := file != nil && term.IsTerminal(int(file.Fd()))
	understands := terminal && getenv("TERM") != "dumb" && understandsEscapes(file)
	s := Screen{Columns: DefaultColumns, Terminal: terminal, Erases: understands}
	s.Color = colored(color, understands, getenv)
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		s.Columns, s.Measured = n, true
	} else if terminal {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			s.Columns, s.Measured = n, true
		}
	}
	s.Columns = min(max(s.Columns, leastColumns), mostColumns)
	return s
}

// colored decides on colour.
func colored(color Color, understands bool, getenv func(string) string) bool {
	switch {
	case color == Always || color == Never:
		return color == Always
	case getenv("NO_COLOR") != "":
		return false
	case getenv("CLICOLOR_FORCE") != "" && getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return understands && getenv("CLICOLOR") != "0"
}

// Width returns the columns between the edges of the screen.
func (s Screen) Width() int {
	if s.Columns == 0 {
		return DefaultColumns
	}
	return s.Columns
}

// Shown returns how many of n lines to show where at most limit fit: all of them, or room for the line that counts the
// rest. That line never stands for one line alone, which it would take the place of.
func Shown(n, limit int, all bool) int {
	if all || n <= limit {
		return n
	}
	return max(limit-1, 0)
}
