package codehost

import (
	"fmt"
	"strings"
)

// GitHub returns workflow commands, one a line: printed by a step, each makes an annotation. Nothing where nothing is at fault.
func GitHub(findings []Finding) []byte {
	var b strings.Builder
	for _, f := range findings {
		column := ""
		if f.Column > 0 {
			column = fmt.Sprintf(",col=%d", f.Column)
		}
		fmt.Fprintf(&b, "::error file=%s,line=%d%s,title=%s::%s\n",
			escapeProperty(f.Path), f.Line, column, escapeProperty("compose: "+f.Code), escapeCommand(f.Message))
	}
	return []byte(b.String())
}

// escapeCommand keeps a text in the line of its command.
func escapeCommand(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

// escapeProperty keeps a text in its property.
func escapeProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeCommand(text))
}
