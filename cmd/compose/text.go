package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/screen"
)

// textWriter collects the human form of an answer. The zero value writes plain text, 80 columns wide.
//
// A screen is made of a few parts, each of which knows the width, folds, and is safe for any name:
//
//	w.line("%s of %s", strong("Plan"), name)     one line as it is, never wrapped
//	w.prose(2, "%s", message)                    a sentence, wrapped, indented by 2
//	w.heading("Files: %d", n)                    a bold line, set off by an empty one
//	w.bullet(2, "%s", reason)                    the same after "- "
//	w.field("Recipe", "%s", id)                  "  Recipe       skill", its value wrapped
//	w.list(len(files), "file", func(i int) {})   lines, the many folded: "... and 12 more files (--verbose lists all)"
//	w.command("compose apply --mode update")     a command ready to copy, on a line of its own, never wrapped
//	w.next("compose apply", "...")               what to do now, as commands; the end of an answer
//	w.gap()                                      an empty line, unless one is there
//
// Arguments of line, prose, heading and field may be marked with strong, faint, good, bad, caution or code, which
// show where there is colour. Colour is never all that says something: a sign or a word says it too.
type textWriter struct {
	bytes.Buffer
	screen  screen.Screen
	verbose bool // nothing is folded
}

// How much of one kind a person is shown before the rest is counted.
const foldAt = 20

// marked is an argument with a style.
type marked struct {
	style screen.Style
	value any
}

func strong(v any) marked  { return marked{screen.Bold, v} }   // to see first
func faint(v any) marked   { return marked{screen.Faint, v} }  // an aside
func good(v any) marked    { return marked{screen.Green, v} }  // done, valid, new
func bad(v any) marked     { return marked{screen.Red, v} }    // a conflict, a fault, a removal
func caution(v any) marked { return marked{screen.Yellow, v} } // a change, a warning
func code(v any) marked    { return marked{screen.Cyan, v} }   // a command within a line

// Format shows the value where spans can't.
func (m marked) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), m.value) }

// spans is Sprintf into spans. Characters that would steer a terminal or begin another line are shown, not sent,
// wherever they come from.
func spans(format string, args ...any) screen.Text {
	var text screen.Text
	add := func(style screen.Style, s string) {
		if s != "" {
			text = append(text, screen.Span{Style: style, Text: printable(s)})
		}
	}
	used := 0
	for rest := format; ; {
		before, after, found := strings.Cut(rest, "%")
		add(screen.Plain, before)
		if !found {
			return text
		}
		end := strings.IndexFunc(after, func(r rune) bool { return !strings.ContainsRune(".#+- 0123456789", r) })
		if end < 0 || strings.ContainsRune("*[", rune(after[end])) || used == len(args) && after[end] != '%' {
			return screen.Text{{Text: printable(fmt.Sprintf(format, args...))}} // too clever, or wrong: no styles
		}
		verb := "%" + after[:end+1]
		rest = after[end+1:]
		if verb == "%%" {
			add(screen.Plain, "%")
			continue
		}
		arg := args[used]
		used++
		m, ok := arg.(marked)
		if !ok {
			m = marked{screen.Plain, arg}
		}
		add(m.style, fmt.Sprintf(verb, m.value))
	}
}

func (w *textWriter) put(indent int, text screen.Text) {
	if len(text) > 0 {
		w.WriteString(strings.Repeat(" ", indent))
	}
	w.WriteString(w.screen.Render(text))
	w.WriteByte('\n')
}

// line adds one line, whatever the arguments hold, as long as it is.
func (w *textWriter) line(format string, args ...any) { w.put(0, spans(format, args...)) }

// prose adds a sentence, wrapped and indented by indent columns.
func (w *textWriter) prose(indent int, format string, args ...any) {
	for _, line := range spans(format, args...).Wrap(w.screen.Width() - indent) {
		w.put(indent, line)
	}
}

// hanging adds a sentence after a label in the same line; what is wrapped stands below its beginning.
func (w *textWriter) hanging(indent int, label screen.Text, format string, args ...any) {
	start := indent + label.Width()
	for i, line := range spans(format, args...).Wrap(w.screen.Width() - start) {
		if i == 0 {
			w.put(indent, append(label[:len(label):len(label)], line...))
			continue
		}
		w.put(start, line)
	}
}

// heading adds a line that begins a part.
func (w *textWriter) heading(format string, args ...any) {
	w.gap()
	text := spans(format, args...)
	for i := range text {
		if text[i].Style == screen.Plain {
			text[i].Style = screen.Bold
		}
	}
	w.put(0, text)
}

// field adds a named value.
func (w *textWriter) field(name, format string, args ...any) {
	w.hanging(2, screen.Text{{Style: screen.Faint, Text: printable(fmt.Sprintf("%-12s ", name))}}, format, args...)
}

// list calls line for each of n things, of which noun names one, and each call adds one line. Of the many the first are
// shown, and the rest is counted.
func (w *textWriter) list(n int, noun string, line func(i int)) {
	shown := screen.Shown(n, foldAt, w.verbose)
	for i := range shown {
		line(i)
	}
	if shown < n {
		w.line("  %s", faint(fmt.Sprintf("... and %s (--verbose lists all)", diag.Count(n-shown, "more "+noun))))
	}
}

// command adds a command that stands alone, ready to copy. It is never wrapped, so that it stays one line when it is
// copied.
func (w *textWriter) command(command string) { w.commandAt(4, command) }

func (w *textWriter) commandAt(indent int, command string) {
	w.put(indent, spans("%s", code(command)))
}

// bullet adds one of several sentences that belong together.
func (w *textWriter) bullet(indent int, format string, args ...any) {
	w.hanging(indent, screen.Text{{Text: "- "}}, format, args...)
}

// next ends an answer with what to do now.
func (w *textWriter) next(commands ...string) {
	if len(commands) == 0 {
		return
	}
	w.heading("Next:")
	for _, command := range commands {
		w.command(command)
	}
}

// gap adds an empty line, unless one is there or nothing is.
func (w *textWriter) gap() {
	if w.Len() > 0 && !bytes.HasSuffix(w.Bytes(), []byte("\n\n")) {
		w.WriteByte('\n')
	}
}

// printable shows control characters and bytes that are no UTF-8 as escapes, so that a name from a
// catalog or a target can't steer the terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return validText(s)
	}
	var b strings.Builder
	for _, r := range validText(s) {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// validText replaces what is no UTF-8, so that it fits in a JSON document.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
