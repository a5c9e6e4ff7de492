package include

import (
	"bytes"
	"strings"
	"unicode"
)

// kind is what a line is.
type kind uint8

const (
	static      kind = iota // includes targets[0]
	conditional             // includes targets[0] if condition, else targets[1]
	unresolved              // looks like a directive and names no file that can be known
)

// directive is a line that begins with @< after white space.
type directive struct {
	kind      kind
	targets   [2]string
	condition string
	at, end   int // the line in the text, its LF included
}

// next returns the first directive in text at or after from, which is the start of a line; false for none.
func next(text []byte, from int) (directive, bool) {
	for from < len(text) {
		at := bytes.Index(text[from:], []byte("@<"))
		if at < 0 {
			break
		}
		at += from
		start := from + bytes.LastIndexByte(text[from:at], '\n') + 1
		end := len(text)
		if lf := bytes.IndexByte(text[at:], '\n'); lf >= 0 {
			end = at + lf + 1
		}
		if len(bytes.TrimSpace(text[start:at])) == 0 {
			d := parse(string(bytes.TrimSpace(text[start:end])))
			d.at, d.end = start, end
			return d, true
		}
		from = end
	}
	return directive{}, false
}

// parse reads a line, trimmed, that begins with @<.
func parse(line string) directive {
	target, closed := strings.CutSuffix(line[len("@<"):], ">")
	if !closed || target == "" {
		return directive{kind: unresolved}
	}
	if expression, found := strings.CutPrefix(strings.TrimSpace(target), "{{"); found {
		if expression, found = strings.CutSuffix(expression, "}}"); found {
			return parseExpression(strings.TrimSpace(expression))
		}
	}
	if !isStatic(target) {
		return directive{kind: unresolved}
	}
	return directive{kind: static, targets: [2]string{target}}
}

// parseExpression reads what stands between {{ and }}: "a.md", or "a.md" if CONDITION else "b.md".
func parseExpression(text string) directive {
	if then, rest, found := strings.Cut(text, " if "); found {
		if condition, otherwise, found := strings.Cut(rest, " else "); found {
			a, okA := quoted(then)
			b, okB := quoted(otherwise)
			if condition = strings.TrimSpace(condition); okA && okB && condition != "" {
				return directive{kind: conditional, targets: [2]string{a, b}, condition: condition}
			}
		}
	}
	if target, ok := quoted(text); ok && isStatic(target) {
		return directive{kind: static, targets: [2]string{target}}
	}
	return directive{kind: unresolved}
}

// quoted returns what stands in quotes. What could be more of an expression than one text is refused: a chained
// conditional begins and ends with quotes, too.
func quoted(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if len(text) < 3 || text[0] != text[len(text)-1] || text[0] != '"' && text[0] != '\'' {
		return "", false
	}
	text = text[1 : len(text)-1]
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", false
	}
	for _, mark := range [...]string{"{{", "}}", " if ", " else "} {
		if strings.Contains(text, mark) {
			return "", false
		}
	}
	return text, true
}

// isStatic reports that nothing in a target is left for a renderer to fill in.
func isStatic(target string) bool {
	return !strings.Contains(target, "{{") && !strings.Contains(target, "{%") && !strings.Contains(target, "${")
}
