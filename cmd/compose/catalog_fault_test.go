package main

import (
	"strings"
	"testing"

	"example.org/compose/internal/screen"
)

func TestExcerpt(t *testing.T) {
	for _, test := range []struct{ name, text, pointer, want string }{
		{"a member", "{\n  \"a\": 1\n}", "/a", "    2 |   \"a\": 1\n      |   ^^^^^^\n"},
		{"tabs and CRLF", "{\r\n\t\"a\":\t1\r\n}", "/a", "    2 |     \"a\":    1\n      |     ^^^^^^^^^\n"},
		{"of many lines the first", "{\n  \"a\": [\n    1\n  ]\n}", "/a", "    2 |   \"a\": [\n      |   ^^^^^^\n"},
		{"wide characters", "{\"\u65e5\u672c\": 1, \"a\": \"\u65e5\"}", "/a", "    1 | {\"\u65e5\u672c\": 1, \"a\": \"\u65e5\"}\n      |             ^^^^^^^^^\n"},
		{"characters that steer", "{\"\u202e\": 1, \"a\": \"\u009b2J\"}", "/a", "    1 | {\"\\u{202e}\": 1, \"a\": \"\\x9b2J\"}\n      |                 ^^^^^^^^^^^^^\n"},
		{"nothing on the line", "\n", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := textPlace{path: "f", pointer: test.pointer}
			p.find([]byte(test.text))
			w := &textWriter{}
			p.excerpt(w)
			if got := w.String(); got != test.want {
				t.Errorf("\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestExcerptOfPositions(t *testing.T) {
	const text = "one\n\t @<two>  \r\nthree"
	for _, test := range []struct {
		line, column int
		want         string
	}{
		{1, 2, "    1 | one\n      |  ^\n"},
		{1, 4, "    1 | one\n      |    ^\n"},      // the end of the line
		{3, 99, "    3 | three\n      |      ^\n"}, // the end of the text
		{2, 0, "    2 |      @<two>  \n      |      ^^^^^^\n"},
		{9, 1, ""},
	} {
		p := textPlace{path: "f", line: test.line, column: test.column}
		p.showPosition([]byte(text))
		w := &textWriter{}
		p.excerpt(w)
		if got := w.String(); got != test.want {
			t.Errorf("%d:%d:\n%s\nwant\n%s", test.line, test.column, got, test.want)
		}
	}
}

// Whatever a line holds, and however long it is, the excerpt is two lines that fit, and what is meant is underlined.
func FuzzExcerpt(f *testing.F) {
	f.Add(strings.Repeat("\u65e5", 300), `x`, strings.Repeat("\t", 50))
	f.Add("", strings.Repeat("\xff", 500), "e\u0301")
	f.Add(strings.Repeat("a", 1<<12), "b", strings.Repeat("c", 1<<12))
	f.Fuzz(func(t *testing.T, before, meant, after string) {
		if strings.ContainsAny(before+meant+after, "\n") || meant == "" {
			return
		}
		p := textPlace{path: "f", line: 1, column: 1}
		p.show([]byte(before+meant+after), len(before), len(before)+len(meant))
		w := &textWriter{}
		p.excerpt(w)
		if w.Len() == 0 {
			return
		}
		lines := strings.Split(strings.TrimSuffix(w.String(), "\n"), "\n")
		if len(lines) != 2 || strings.ContainsFunc(w.String(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) {
			t.Fatalf("%q", w.String())
		}
		for _, line := range lines {
			if screen.Width(line) > 80 {
				t.Errorf("%d columns: %q", screen.Width(line), line)
			}
		}
		if !strings.HasSuffix(lines[1], "^") {
			t.Errorf("%q", lines[1])
		}
	})
}
