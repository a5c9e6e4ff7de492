package manual

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a command line of bash as far as the cursor, taken apart. bash itself splits a line for completion also where no
// word ends, at every "=" and ":", and leaves the quotes in; what it wants back depends on both.
type Line struct {
	Words []string // without quotes; the last one, which may be empty, is to be completed

	kept  int  // how many bytes of the last word bash keeps, and a reply leaves out
	quote byte // the quote that is still open at the end; 0 for none
}

// ParseLine reads a line, from the name of the program on, as bash would, but for expansions, which stay as they are
// written. breaks is $COMP_WORDBREAKS. ok is false where the end is no word to complete: in a redirection, after another
// command, in $'...'.
func ParseLine(line, breaks string) (l Line, ok bool) {
	var word strings.Builder
	inWord := false
	flush := func() {
		if inWord {
			l.Words = append(l.Words, word.String())
		}
		word.Reset()
		inWord, l.kept = false, 0
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case l.quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			flush()
			continue
		case l.quote == 0 && strings.IndexByte(";&|<>()", c) >= 0:
			return Line{}, false
		case l.quote == 0 && (c == '\'' || c == '"'):
			if i > 0 && line[i-1] == '$' && !escaped(line, i-1) {
				return Line{}, false
			}
			l.quote, inWord = c, true
			if !closes(line[i+1:], c) {
				l.kept = word.Len()
			}
			continue
		case c == l.quote:
			l.quote = 0
			continue
		case c == '\\' && l.quote != '\'':
			inWord = true
			if i+1 == len(line) {
				continue // the escaped character is not typed yet
			}
			if next := line[i+1]; l.quote == '"' && strings.IndexByte("\"\\$`\n", next) < 0 {
				word.WriteByte(c)
			} else if i++; next != '\n' {
				word.WriteByte(next)
			}
			continue
		}
		inWord = true
		word.WriteByte(c)
		if l.quote == 0 && strings.IndexByte(breaks, c) >= 0 {
			l.kept = word.Len()
		}
	}
	if len(l.Words) == 0 {
		return Line{}, false // the name of the program itself
	}
	l.Words = append(l.Words[1:], word.String())
	return l, true
}

// escaped reports whether the byte at i stands after a backslash that counts.
func escaped(line string, i int) bool {
	n := 0
	for ; i > n && line[i-1-n] == '\\'; n++ {
	}
	return n%2 == 1
}

// closes reports whether a quote that was opened before rest is closed in it.
func closes(rest string, quote byte) bool {
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == quote:
			return true
		case rest[i] == '\\' && quote == '"':
			i++
		}
	}
	return false
}

// Replies returns what bash puts in the place of what it does not keep of the last word, for each candidate: quoted, so
// that it stays one word that nothing is expanded in. Left out is what can't be quoted here.
func (l Line) Replies(list []Candidate) []string {
	kept := l.Words[len(l.Words)-1][:l.kept]
	var replies []string
	for _, c := range list {
		rest, fits := strings.CutPrefix(c.Word, kept)
		if !fits || rest == "" || !visible(kept) || !visible(rest) {
			continue
		}
		switch l.quote {
		case '\'':
			rest = "'" + strings.ReplaceAll(rest, "'", `'\''`) + "'"
		case '"':
			if strings.Contains(rest, "!") { // of the history, even here, and a backslash would stay
				continue
			}
			rest = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(rest) + `"`
		default:
			rest = backslashed(rest)
		}
		replies = append(replies, rest)
	}
	return replies
}

// backslashed escapes each character that may mean something to a shell.
func backslashed(word string) string {
	var b strings.Builder
	for _, r := range word {
		plain := r < utf8.RuneSelf && strings.ContainsRune("%+,-./:=@_", r) || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
		if !plain {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
