package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string whose opening quote is at p.at. Without an escape the result shares the text.
func (p *parser) str() (string, bool) {
	start := p.at + 1
	for i := start; i < len(p.text); {
		switch c := p.text[i]; {
		case c == '"':
			p.at = i + 1
			return p.text[start:i], true
		case c == '\\':
			return p.escaped(start, i)
		case c < ' ':
			return "", p.fail(i, controlFault(c))
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRuneInString(p.text[i:])
			if r == utf8.RuneError && size == 1 {
				return "", p.fail(i, "a byte that is not UTF-8; save the file as UTF-8")
			}
			i += size
		}
	}
	return "", p.fail(p.at, "the string that begins here is not closed")
}

// escaped goes on with a string that began at start, from its first escape at i.
func (p *parser) escaped(start, i int) (string, bool) {
	b := append(make([]byte, 0, 2*(i-start)+16), p.text[start:i]...)
	for i < len(p.text) {
		switch c := p.text[i]; {
		case c == '"':
			p.at = i + 1
			return string(b), true
		case c == '\\':
			r, size := p.escape(i)
			if size == 0 {
				return "", false
			}
			b = utf8.AppendRune(b, r)
			i += size
		case c < ' ':
			return "", p.fail(i, controlFault(c))
		case c < utf8.RuneSelf:
			b = append(b, c)
			i++
		default:
			r, size := utf8.DecodeRuneInString(p.text[i:])
			if r == utf8.RuneError && size == 1 {
				return "", p.fail(i, "a byte that is not UTF-8; save the file as UTF-8")
			}
			b = append(b, p.text[i:i+size]...)
			i += size
		}
	}
	return "", p.fail(p.at, "the string that begins here is not closed")
}

// escape reads the escape at i and returns its character and length; length 0 after a fault.
func (p *parser) escape(i int) (rune, int) {
	if i+1 < len(p.text) {
		switch c := p.text[i+1]; c {
		case '"', '\\', '/':
			return rune(c), 2
		case 'b':
			return '\b', 2
		case 'f':
			return '\f', 2
		case 'n':
			return '\n', 2
		case 'r':
			return '\r', 2
		case 't':
			return '\t', 2
		case 'u':
			return p.unicodeEscape(i)
		}
	}
	p.fail(i, `an escape that JSON does not have; it has \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits`)
	return 0, 0
}

func (p *parser) unicodeEscape(i int) (rune, int) {
	high, ok := hex4(p.text, i+2)
	if !ok {
		p.fail(i, `\u without four hexadecimal digits`)
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, 6
	}
	if i+7 < len(p.text) && p.text[i+6] == '\\' && p.text[i+7] == 'u' {
		if low, ok := hex4(p.text, i+8); ok {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, 12
			}
		}
	}
	p.fail(i, "half of a surrogate pair, which is no character")
	return 0, 0
}

func hex4(text string, at int) (rune, bool) {
	if at+4 > len(text) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(text[at : at+4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// number reads the number that begins at p.at.
func (p *parser) number() (string, bool) {
	end := numberEnd(p.text, p.at)
	if end < 0 || end < len(p.text) && wordByte(p.text[end]) {
		stop := p.at
		for stop < len(p.text) && wordByte(p.text[stop]) {
			stop++
		}
		return "", p.fail(p.at, quote(p.text[p.at:stop])+" is no JSON number")
	}
	token := p.text[p.at:end]
	p.at = end
	return token, true
}

// numberEnd returns where the JSON number that begins at i ends; -1 where none begins.
func numberEnd(text string, i int) int {
	digits := func() bool {
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}
