package screen

import (
	"unicode"

	"golang.org/x/text/width"
)

// Width returns the columns that s takes on a terminal: none for a character that combines with the one before, two
// for a wide one, such as those of Chinese and most emoji, one for any other. Terminals disagree about sequences
// of emoji; each character counts by itself here.
func Width(s string) int {
	n := 0
	for _, char := range s {
		n += runeWidth(char)
	}
	return n
}

func runeWidth(char rune) int {
	switch {
	case char < 0x20 || char == 0x7f:
		return 0
	case char < 0x300:
		return 1
	case unicode.In(char, unicode.Mn, unicode.Me, unicode.Cf) || 0x1160 <= char && char <= 0x11ff: // vowels and finals of Hangul join the syllable
		return 0
	}
	switch width.LookupRune(char).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
