package strictjson

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Encode returns v in the canonical form of this package, final newline included. Bytes of a text
// that are not UTF-8 become U+FFFD, so that the result is JSON whatever v holds.
func Encode(v Value) []byte { return Append(nil, v) }

// Append appends what Encode returns to b.
func Append(b []byte, v Value) []byte {
	e := encoder{b: b}
	e.value(&v, 0)
	return append(e.b, '\n')
}

// Write writes what Encode returns in pieces, so that it never stands in memory as a whole. The error is that of w,
// which is then written to no more.
func Write(w io.Writer, v Value) error {
	e := encoder{w: w}
	e.value(&v, 0)
	e.b = append(e.b, '\n')
	e.flush()
	return e.err
}

// AppendCompact appends v to b on one line, with no white space at all and the same escapes.
func AppendCompact(b []byte, v Value) []byte {
	e := encoder{b: b, compact: true}
	e.value(&v, 0)
	return e.b
}

// piece is how many bytes Write gathers at least: few calls, and room in the cache.
const piece = 64 << 10

type encoder struct {
	b       []byte
	compact bool
	w       io.Writer // nil: b is to hold the whole
	err     error
}

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.b)
	}
	e.b = e.b[:0]
}

// value appends v, which stands at depth.
func (e *encoder) value(v *Value, depth int) {
	switch v.Kind {
	case Array:
		for i := range v.Items {
			e.element('[', i, depth+1)
			e.value(&v.Items[i], depth+1)
			if !e.more() {
				return
			}
		}
		n := len(v.Items)
		if v.rows != nil {
			v.rows(func(item *Value) bool {
				e.element('[', n, depth+1)
				e.value(item, depth+1)
				n++
				return e.more()
			})
		}
		e.end('[', n, depth)
	case Object:
		for i := range v.Members {
			e.element('{', i, depth+1)
			e.b = append(appendString(e.b, v.Members[i].Name), ':')
			if !e.compact {
				e.b = append(e.b, ' ')
			}
			e.value(&v.Members[i].Value, depth+1)
		}
		e.end('{', len(v.Members), depth)
	default:
		e.b = appendScalar(e.b, v)
	}
}

// more writes what was gathered, if it is much, and reports whether more is wanted.
func (e *encoder) more() bool {
	if e.w != nil && len(e.b) >= piece {
		e.flush()
	}
	return e.err == nil
}

// element appends what stands before element i of a container.
func (e *encoder) element(opening byte, i, depth int) {
	if i > 0 {
		opening = ','
	}
	e.b = append(e.b, opening)
	e.line(depth)
}

// end closes a container of n elements.
func (e *encoder) end(opening byte, n, depth int) {
	if n == 0 {
		e.b = append(e.b, opening)
	} else {
		e.line(depth)
	}
	e.b = append(e.b, opening+2) // "]" and "}" stand two places after the ones that they close
}

// line begins a line at depth.
func (e *encoder) line(depth int) {
	const deep = "                " // of eight levels
	if e.compact {
		return
	}
	e.b = append(e.b, '\n')
	for ; depth > len(deep)/2; depth -= len(deep) / 2 {
		e.b = append(e.b, deep...)
	}
	e.b = append(e.b, deep[:2*depth]...)
}

func appendScalar(b []byte, v *Value) []byte {
	switch v.Kind {
	case Bool:
		if v.Truth {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case Number:
		return append(b, v.Text...)
	case String:
		return appendString(b, v.Text)
	}
	return append(b, "null"...)
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	n := plain(s)
	if n < len(s) && !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		n = plain(s)
	}
	for b = append(b, s[:n]...); n < len(s); {
		if c := s[n]; c < ' ' || c == '"' || c == '\\' {
			b = appendEscape(b, c)
		} else {
			b = append(b, c)
		}
		s = s[n+1:]
		n = plain(s)
		b = append(b, s[:n]...)
	}
	return append(b, '"')
}

func appendEscape(b []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}
