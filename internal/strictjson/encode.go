package strictjson

import (
	"strings"
	"unicode/utf8"
)

// Encode returns v in the canonical form of this package, final newline included. Bytes of a text
// that are not UTF-8 become U+FFFD, so that the result is JSON whatever v holds.
func Encode(v Value) []byte {
	return append(appendIndented(nil, v, 0), '\n')
}

// AppendCompact appends v to b on one line, with no white space at all and the same escapes.
func AppendCompact(b []byte, v Value) []byte {
	switch v.Kind {
	case Array:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendCompact(b, v.Items[i])
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, v.Members[i].Name), ':')
			b = AppendCompact(b, v.Members[i].Value)
		}
		return append(b, '}')
	}
	return appendScalar(b, v)
}

func appendIndented(b []byte, v Value, depth int) []byte {
	switch {
	case v.Kind == Array && len(v.Items) > 0:
		for i := range v.Items {
			b = appendBreak(b, '[', i, depth+1)
			b = appendIndented(b, v.Items[i], depth+1)
		}
		return append(appendLine(b, depth), ']')
	case v.Kind == Object && len(v.Members) > 0:
		for i := range v.Members {
			b = appendBreak(b, '{', i, depth+1)
			b = append(appendString(b, v.Members[i].Name), ':', ' ')
			b = appendIndented(b, v.Members[i].Value, depth+1)
		}
		return append(appendLine(b, depth), '}')
	}
	return AppendCompact(b, v)
}

// appendBreak appends what stands before element i of a container.
func appendBreak(b []byte, opening byte, i, depth int) []byte {
	if i > 0 {
		opening = ','
	}
	return appendLine(append(b, opening), depth)
}

// appendLine begins a line at depth.
func appendLine(b []byte, depth int) []byte {
	b = append(b, '\n')
	for range depth {
		b = append(b, ' ', ' ')
	}
	return b
}

func appendScalar(b []byte, v Value) []byte {
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
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		b = appendEscape(b, c)
	}
	return append(append(b, s[from:]...), '"')
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
