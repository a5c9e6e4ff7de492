package gitssh

import (
	"errors"
	"strings"

	"example.org/compose/internal/glob"
)

// splitLine reads a line of ssh's configuration: a keyword in lower case and its arguments, without a comment.
// The keyword is "" where the line says nothing.
//
// Format: ssh_config(5); quotes and escapes as OpenSSH's argv_split.
func splitLine(line string) (keyword string, args []string, err error) {
	line = strings.Trim(line, " \t\r\f\v")
	if line == "" || line[0] == '#' {
		return "", nil, nil
	}
	if line[0] == '"' {
		words, err := splitWords(line)
		if err != nil || len(words) == 0 {
			return "", nil, err
		}
		return strings.ToLower(words[0]), words[1:], nil
	}
	end := strings.IndexAny(line, " \t=")
	if end < 0 {
		return strings.ToLower(line), nil, nil
	}
	keyword = strings.ToLower(line[:end])
	rest := strings.TrimLeft(line[end:], " \t")
	rest = strings.TrimPrefix(rest, "=")
	args, err = splitWords(rest)
	return keyword, args, err
}

// splitWords splits at white space outside quotes; a word that begins with "#" begins a comment.
func splitWords(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" || text[0] == '#' {
			return words, nil
		}
		var word strings.Builder
		quote := byte(0)
		i := 0
	scan:
		for ; i < len(text); i++ {
			c := text[i]
			switch {
			case c == '\\' && i+1 < len(text) && isEscaped(text[i+1], quote):
				i++
				word.WriteByte(text[i])
			case quote == 0 && (c == ' ' || c == '\t'):
				break scan
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case quote != 0 && c == quote:
				quote = 0
			default:
				word.WriteByte(c)
			}
		}
		if quote != 0 {
			return nil, errors.New("a quote is not closed")
		}
		words = append(words, word.String())
		text = text[i:]
	}
}

func isEscaped(c, quote byte) bool {
	return c == '"' || c == '\'' || c == '\\' || quote == 0 && c == ' '
}

// matchesAny fits a list of patterns without regard to ASCII case.
func matchesAny(patterns []string, name string) bool {
	folded := make([]string, len(patterns))
	for i, pattern := range patterns {
		folded[i] = lower(pattern)
	}
	return glob.Any(folded, lower(name))
}

// lower leaves all but ASCII letters as they are.
func lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
