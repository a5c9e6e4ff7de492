package skillrx

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"example.org/compose/internal/strictjson"
)

// ParseContext returns the identity of the options in a JSON document: the SHA-256 of its canonical form. White space, the
// order of members and the spelling of numbers do not count. Errors are those of Canonical.
func ParseContext(doc []byte) (ContextDigest, error) {
	canonical, err := Canonical(doc)
	if err != nil {
		return ContextDigest{}, err
	}
	return sha256.Sum256(canonical), nil
}

// Canonical returns a JSON document in the form of RFC 8785, JSON Canonicalization Scheme: no white space, members by
// the UTF-16 code units of their names, numbers as ECMAScript writes a double.
//
// INVALID_JSON: doc is not strict JSON (docs/json.md), or a number is beyond a double.
func Canonical(doc []byte) ([]byte, error) {
	v, err := strictjson.Parse(doc, 0)
	if err != nil {
		return nil, err
	}
	return appendCanonical(nil, v, "")
}

func appendCanonical(b []byte, v strictjson.Value, pointer string) ([]byte, error) {
	var err error
	switch v.Kind {
	case strictjson.Number:
		n, parseErr := strconv.ParseFloat(v.Text, 64)
		if parseErr != nil || math.IsInf(n, 0) {
			return nil, &Error{code: CodeInvalidJSON, msg: strings.TrimPrefix(fmt.Sprintf("%s: the number is beyond what a double holds; write it as a string", pointer), ": ")}
		}
		return appendNumber(b, n), nil
	case strictjson.Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendCanonical(b, item, strictjson.Pointer(pointer, strconv.Itoa(i))); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case strictjson.Object:
		members := slices.Clone(v.Members)
		slices.SortFunc(members, func(x, y strictjson.Member) int { return compareUTF16(x.Name, y.Name) })
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(strictjson.AppendCompact(b, strictjson.Str(m.Name)), ':')
			if b, err = appendCanonical(b, m.Value, strictjson.Pointer(pointer, m.Name)); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return strictjson.AppendCompact(b, v), nil
}

// compareUTF16 orders texts by UTF-16 code units, where a character beyond U+FFFF stands before U+E000.
func compareUTF16(x, y string) int {
	return slices.Compare(utf16.Encode([]rune(x)), utf16.Encode([]rune(y)))
}

// appendNumber writes a finite number as ECMAScript's Number::toString does: the shortest digits that give it back, an
// exponent from 1e21 on and below 1e-6.
func appendNumber(b []byte, n float64) []byte {
	size := math.Abs(n)
	switch {
	case n == 0:
		return append(b, '0') // minus zero too
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(b, n, 'f', -1, 64)
	}
	text := strconv.FormatFloat(n, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	b = append(b, mantissa...)
	b = append(b, 'e', exponent[0]) // the sign, which is always there
	return append(b, strings.TrimLeft(exponent[1:], "0")...)
}
