package validator

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteText writes the report for a reader: a line for each fault, then the verdict. The same report
// gives the same text everywhere.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i := range r.Faults {
		f := &r.Faults[i]
		b.WriteString(f.Code)
		b.WriteString(": ")
		if f.Destination != "" {
			b.WriteString(printable(string(f.Destination)))
			b.WriteString(": ")
		}
		b.WriteString(printable(f.Message))
		b.WriteByte('\n')
	}
	b.WriteString(r.status())
	if r.Lock != nil && r.State != Interrupted {
		fmt.Fprintf(&b, ": %s, %s", count(r.Checked, "file"), count(len(r.Faults), "fault"))
	}
	if c, ok := r.Composition(); ok {
		fmt.Fprintf(&b, ", composition %s", c)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// printable makes s safe for a terminal: what is no printable character shows as its escape.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
