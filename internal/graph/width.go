package graph

import (
	"strings"
	"unicode"
)

// advances are how wide the characters from space to tilde are in Helvetica and Arial, in thousandths of the font size.
var advances = [...]int{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
}

// Other fonts are wider: a text is taken to need 1.1 times what Arial does, 1.2 times where it is bold. DejaVu Sans, the widest
// of the usual ones, is 1.14 on average, and the difference fits into the padding of a card.
const (
	slack     = 110 // hundredths
	slackBold = 120
)

// font is a size in pixels and a weight.
type font struct {
	size int
	bold bool
}

// width returns how many pixels a text is taken to need.
func (f font) width(s string) int {
	sum := 0
	for _, r := range s {
		sum += advance(r)
	}
	share := slack
	if f.bold {
		share = slackBold
	}
	return (sum*f.size*share + 99_999) / 100_000
}

// advance returns how wide a character is taken to be: what is not in the table is Latin, Greek or Cyrillic, or else as
// wide as it is high.
func advance(r rune) int {
	switch {
	case r >= ' ' && int(r-' ') < len(advances):
		return advances[r-' ']
	case unicode.Is(unicode.Mn, r):
		return 0
	case r == '…' || r >= 0x1100:
		return 1000
	}
	return 700
}

// fit returns the text, cut with an ellipsis where it needs more than that many pixels.
func (f font) fit(s string, most int) string {
	cut := 0 // where the ellipsis would stand
	for i := range s {
		if f.width(s[:i]+"…") <= most {
			cut = i
		} else if f.width(s[:i]) > most {
			return s[:cut] + "…"
		}
	}
	if f.width(s) <= most {
		return s
	}
	return s[:cut] + "…"
}

// fitEnd is fit for a path, of which the end tells more.
func (f font) fitEnd(s string, most int) string {
	if f.width(s) <= most {
		return s
	}
	for i := range s {
		if f.width("…"+s[i:]) <= most {
			return "…" + s[i:]
		}
	}
	return "…"
}

// wrap breaks a text at its spaces into at most that many lines; the last is cut with an ellipsis where more would follow.
func (f font) wrap(s string, width, lines int) []string {
	var list []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		longer := strings.TrimPrefix(line+" "+word, " ")
		if line == "" || f.width(longer) <= width || len(list)+1 == lines {
			if line = longer; len(list)+1 == lines && f.width(line) > width {
				break
			}
			continue
		}
		list, line = append(list, f.fit(line, width)), word
	}
	if line != "" {
		list = append(list, f.fit(line, width))
	}
	return list
}
