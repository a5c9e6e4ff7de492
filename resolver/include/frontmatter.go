package include

import (
	"bytes"
)

// bom is the byte order mark in UTF-8.
const bom = "\ufeff"

// body returns where the text of a file begins after a BOM and the blocks of front matter; false where a block has no end.
//
// A block begins with a line --- and ends with a line --- or ... From the second block on, one that holds template syntax
// is the beginning of the text: a document may be about front matter.
func body(text []byte) (at int, ok bool) {
	if bytes.HasPrefix(text, []byte(bom)) {
		at = len(bom)
	}
	for first := true; ; first = false {
		opening := openingLine(text[at:])
		if opening == 0 {
			return at, true
		}
		length, after, closed := closingLine(text[at+opening:])
		if !closed {
			return 0, false
		}
		if block := text[at+opening:][:length]; !first && hasTemplateSyntax(block) {
			return at, true
		}
		at += opening + after
	}
}

// openingLine returns the length of the line --- that text begins with; 0 for none.
func openingLine(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("---\n")):
		return len("---\n")
	case bytes.HasPrefix(text, []byte("---\r\n")):
		return len("---\r\n")
	case string(text) == "---":
		return len("---")
	}
	return 0
}

// closingLine returns the length of a block up to the line that ends it, and with that line.
func closingLine(text []byte) (length, after int, ok bool) {
	for length < len(text) {
		after = len(text)
		if lf := bytes.IndexByte(text[length:], '\n'); lf >= 0 {
			after = length + lf + 1
		}
		if line := string(bytes.TrimRight(text[length:after], "\r\n")); line == "---" || line == "..." {
			return length, after, true
		}
		length = after
	}
	return 0, 0, false
}

func hasTemplateSyntax(block []byte) bool {
	return bytes.Contains(block, []byte("{{")) || bytes.Contains(block, []byte("{%")) || bytes.Contains(block, []byte("{#"))
}
