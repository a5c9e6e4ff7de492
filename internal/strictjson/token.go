package strictjson

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string whose opening quote is at p.at. Its entry tells where the characters stand as they
// are written; chars undoes the escapes.
func (p *parser) str() bool {
	start := p.at + 1
	escaped := false
	for i := start; ; {
		i += plain(p.text[i:])
		if i == len(p.text) {
			return p.fail(p.at, "the string that begins here is not closed")
		}
		switch c := p.text[i]; {
		case c == '"':
			p.at = i + 1
			p.push(entry{kind: String, flag: escaped, start: uint32(start), end: uint32(i)})
			return true
		case c == '\\':
			_, size, reason := escape(p.text[i:])
			if reason != "" {
				return p.fail(i, reason)
			}
			escaped = true
			i += size
		case c < ' ':
			return p.fail(i, controlFault(c))
		default:
			r, size := utf8.DecodeRune(p.text[i:])
			if r == utf8.RuneError && size == 1 {
				return p.fail(i, "a byte that is not UTF-8; save the file as UTF-8")
			}
			i += size
		}
	}
}

// ones has a 1 in each byte: times a byte it is that byte eight times.
const ones = 0x0101010101010101

// plain returns how many bytes at the beginning of text can stand in a string as they are, looking at
// eight at once: ASCII but for controls, quote and backslash.
func plain[S []byte | string](text S) int {
	const high = 0x80 * ones
	i := 0
	for ; len(text)-i >= 8; i += 8 {
		x := load(text[i:])
		quote, backslash := x^'"'*ones, x^'\\'*ones
		// Each term sets the high bit of a byte that is < 0x20, a quote or a backslash. A borrow can do so for a byte after one of
		// those, never before one, and the lowest is what counts.
		if found := ((x-' '*ones)&^x | (quote-ones)&^quote | (backslash-ones)&^backslash | x) & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// load returns the first eight bytes; the compiler makes one instruction of it.
func load[S []byte | string](b S) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// unescape returns the characters of a string that str has read.
func unescape(raw []byte) []byte {
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		n := plain(raw[i:])
		b = append(b, raw[i:i+n]...)
		if i += n; i == len(raw) {
			break
		}
		if raw[i] != '\\' {
			b = append(b, raw[i])
			i++
			continue
		}
		r, size, _ := escape(raw[i:])
		b = utf8.AppendRune(b, r)
		i += max(size, 1)
	}
	return b
}

// escape reads the escape at the beginning of text: its character and length, or why it is none.
func escape(text []byte) (r rune, size int, reason string) {
	if len(text) > 1 {
		switch c := text[1]; c {
		case '"', '\\', '/':
			return rune(c), 2, ""
		case 'b':
			return '\b', 2, ""
		case 'f':
			return '\f', 2, ""
		case 'n':
			return '\n', 2, ""
		case 'r':
			return '\r', 2, ""
		case 't':
			return '\t', 2, ""
		case 'u':
			return unicodeEscape(text)
		}
	}
	return 0, 0, `an escape that JSON does not have; it has \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits`
}

func unicodeEscape(text []byte) (r rune, size int, reason string) {
	high, ok := hex4(text, 2)
	if !ok {
		return 0, 0, `\u without four hexadecimal digits`
	}
	if !utf16.IsSurrogate(high) {
		return high, 6, ""
	}
	if len(text) > 7 && text[6] == '\\' && text[7] == 'u' {
		if low, ok := hex4(text, 8); ok {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, 12, ""
			}
		}
	}
	return 0, 0, "half of a surrogate pair, which is no character"
}

func hex4(text []byte, at int) (rune, bool) {
	if at+4 > len(text) {
		return 0, false
	}
	var r rune
	for _, c := range text[at : at+4] {
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
func (p *parser) number() bool {
	end := numberEnd(p.text, p.at)
	if end < 0 || end < len(p.text) && wordByte(p.text[end]) {
		stop := p.at
		for stop < len(p.text) && wordByte(p.text[stop]) {
			stop++
		}
		return p.fail(p.at, quote(string(p.text[p.at:stop]))+" is no JSON number")
	}
	p.push(entry{kind: Number, start: uint32(p.at), end: uint32(end)})
	p.at = end
	return true
}

// numberEnd returns where the JSON number that begins at i ends; -1 where none begins.
func numberEnd[S []byte | string](text S, i int) int {
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
