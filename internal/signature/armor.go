package signature

import (
	"bytes"
	"encoding/base64"
)

// begins reports whether text begins with the first line of an armor.
func begins(text []byte, label string) bool {
	return bytes.HasPrefix(text, []byte("-----BEGIN "+label+"-----"))
}

// dearmor reads one armored block at the beginning of text and returns what it holds, and what follows. It is stricter
// than most: only white space may stand around base64, and only a complete block counts.
//
// headers tells that OpenPGP's armor is meant, which has headers, an empty line, and perhaps a check sum, which RFC 9580
// says to ignore. reason says what is wrong, "" for nothing.
func dearmor(text []byte, label string, headers bool) (body, rest []byte, reason string) {
	line, rest := cutLine(text)
	if string(line) != "-----BEGIN "+label+"-----" {
		return nil, nil, "it begins with another line than its armor"
	}
	for headers {
		if len(rest) == 0 {
			return nil, nil, "its armor has no empty line before the base64"
		}
		if line, rest = cutLine(rest); len(line) == 0 {
			break
		}
		if bytes.IndexByte(line, ':') < 0 {
			return nil, nil, "its armor has no empty line before the base64"
		}
	}
	var digits []byte
	sum := false
	for {
		if len(rest) == 0 {
			return nil, nil, "its armor has no last line"
		}
		line, rest = cutLine(rest)
		switch {
		case string(line) == "-----END "+label+"-----":
			body = make([]byte, base64.StdEncoding.DecodedLen(len(digits)))
			n, err := base64.StdEncoding.Strict().Decode(body, digits)
			if err != nil || n == 0 {
				return nil, nil, "its armor holds no base64 that can be read"
			}
			return body[:n], rest, ""
		case sum:
			return nil, nil, "its armor goes on after the check sum"
		case headers && len(line) == 5 && line[0] == '=':
			sum = true
		default:
			digits = append(digits, line...)
		}
	}
}

// cutLine returns the first line, without the white space at its end, and what follows.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return bytes.TrimRight(line, " \t\r"), rest
}

// blank reports whether text is white space alone.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
