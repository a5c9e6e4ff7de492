package screen_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/compose/internal/screen"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"":                0,
		"abc":             3,
		"äöü":             3,
		"a\u0308":         1, // a letter and what combines with it
		"漢字":              4,
		"ｆｕ":              4, // full width
		"한글":              4,
		"\u1112\u1161":    2, // the same kind of syllable in pieces
		"\U0001F600":      2,
		"a\u200bb\u200dc": 3,
		"→✓":              2,
	} {
		if got := screen.Width(text); got != want {
			t.Errorf("%q is %d wide, want %d", text, got, want)
		}
	}
}

func TestRender(t *testing.T) {
	text := screen.Text{{Style: screen.Bold, Text: "a"}, {Text: " b "}, {Style: screen.Red, Text: "c"}, {Style: screen.Green}}
	if got := (screen.Screen{Color: true}).Render(text); got != "\x1b[1ma\x1b[0m b \x1b[31mc\x1b[0m" {
		t.Errorf("%q", got)
	}
	same := screen.Text{{Style: screen.Bold, Text: "a"}, {Style: screen.Bold, Text: "b"}, {Style: screen.Red, Text: "c"}}
	if got := (screen.Screen{Color: true}).Render(same); got != "\x1b[1mab\x1b[0m\x1b[31mc\x1b[0m" {
		t.Errorf("%q", got)
	}
	if got := (screen.Screen{}).Render(text); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func wrapped(text string, columns int) []string {
	var lines []string
	for _, line := range (screen.Text{{Text: text}}).Wrap(columns) {
		lines = append(lines, line.String())
	}
	return lines
}

func TestWrap(t *testing.T) {
	cases := []struct {
		name, text string
		columns    int
		want       []string
	}{
		{"nothing", "", 10, []string{""}},
		{"short", "one two", 10, []string{"one two"}},
		{"exactly", "one two", 7, []string{"one two"}},
		{"one too long", "one two", 6, []string{"one", "two"}},
		{"several", "one two three four", 9, []string{"one two", "three", "four"}},
		{"a long word", "see components/artifact.app/component.json now", 12, []string{"see", "components/artifact.app/component.json", "now"}},
		{"a long word first", "components/artifact.app now", 5, []string{"components/artifact.app", "now"}},
		{"spaces within", "a  b", 10, []string{"a  b"}},
		{"spaces at the break", "aaa   bbb", 5, []string{"aaa", "bbb"}},
		{"a space at the end", "aaa ", 3, []string{"aaa "}},
		{"an indent", "  aaa bbb", 6, []string{"  aaa", "bbb"}},
		{"between wide characters", "漢字漢字", 5, []string{"漢字", "漢字"}},
		{"not within a combination", "aa bb\u0308", 5, []string{"aa bb\u0308"}},
		{"a number and what it counts", "1 file, 10 folders", 10, []string{"1 file,", "10 folders"}},
		{"a number and a space more", "aaa 10  folders", 6, []string{"aaa", "10  folders"}},
		{"no room at all", "a b", 0, []string{"a", "b"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := wrapped(c.text, c.columns); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWrapKeepsStyles(t *testing.T) {
	lines := screen.Text{{Style: screen.Bold, Text: "one tw"}, {Style: screen.Red, Text: "o three"}}.Wrap(7)
	want := []screen.Text{{{Style: screen.Bold, Text: "one tw"}, {Style: screen.Red, Text: "o"}}, {{Style: screen.Red, Text: "three"}}}
	if !slices.EqualFunc(lines, want, func(a, b screen.Text) bool { return slices.Equal(a, b) }) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "ab..."}, {"漢字漢", 5, "漢..."}, {"漢字漢", 4, "..."}, {"abcdef", 2, ".."}, {"abcdef", 0, ""},
	} {
		got := screen.Text{{Text: c.text[:1]}, {Text: c.text[1:]}}.Cut(c.columns)
		if c.text[0] >= utf8.RuneSelf {
			got = screen.Text{{Text: c.text}}.Cut(c.columns)
		}
		if got.String() != c.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

var numbers = regexp.MustCompile(`(^| )([0-9]+ +)+`)

// Wrapping loses nothing but spaces, and no line that could be shorter is longer than asked for.
func FuzzWrap(f *testing.F) {
	f.Add("one two three", 5)
	f.Add("漢字 a\u0308 \U0001F600\U0001F600", 3)
	f.Add("  x   ", 1)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		text = strings.ToValidUTF8(text, "")
		columns %= 200
		lines := wrapped(text, columns)
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := strings.Join(lines, ""); squeeze(got) != squeeze(text) {
			t.Fatalf("%q became %q", text, got)
		}
		for _, line := range lines {
			if screen.Width(strings.TrimRight(line, " ")) > columns && strings.Contains(numbers.ReplaceAllString(strings.Trim(line, " "), ""), " ") {
				t.Fatalf("%q is longer than %d", line, columns)
			}
		}
	})
}
