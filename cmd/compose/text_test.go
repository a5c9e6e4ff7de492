package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/compose/internal/review"
	"example.org/compose/internal/screen"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

func TestSpans(t *testing.T) {
	const hostile = "a\x1b[31m\nb\u202e\xff"
	const shown = `a\x1b[31m\nb\u{202e}` + "\uFFFD"
	cases := []struct {
		name, format string
		args         []any
		want         string // in colour
	}{
		{"no arguments", "100%% of it", nil, "100% of it"},
		{"plain", "%s %d %q", []any{"a", 1, "b"}, `a 1 "b"`},
		{"marked", "%s of %s", []any{strong("Plan"), "a"}, "\x1b[1mPlan\x1b[0m of a"},
		{"marked and padded", "%-6s|%4d", []any{good("ab"), bad(7)}, "\x1b[32mab    \x1b[0m|\x1b[31m   7\x1b[0m"},
		{"hostile", "%s", []any{hostile}, shown},
		{"hostile and marked", "%s", []any{code(hostile)}, "\x1b[36m" + shown + "\x1b[0m"},
		{"a hostile format", hostile, nil, shown},
		{"of a type of its own", "%s", []any{caution(lockv2.Destination("a\tb"))}, "\x1b[33ma\\x09b\x1b[0m"},
		{"a verb that takes two", "%*d", []any{4, 7}, "   7"},
		{"an index", "%[2]s %[1]s", []any{faint("a"), "b"}, "b a"},
		{"one missing", "%s %s", []any{"a"}, "a %!s(MISSING)"},
		{"a lone percent sign", "a %", nil, "a %!(NOVERB)"},
		{"brackets", "%s [%s]", []any{"a", "CODE"}, "a [CODE]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := (screen.Screen{Color: true}).Render(spans(c.format, c.args...)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTextWriter(t *testing.T) {
	w := &textWriter{screen: screen.Screen{Columns: 40}}
	w.gap()
	w.heading("One: %d", 1)
	w.field("Name", "%s", "a value that is too long for a line of it")
	w.prose(2, "some words that are too many for one line")
	w.bullet(4, "%s", "a word and others that do not fit there")
	w.command("compose apply --recipe skill --target a-folder")
	w.gap()
	w.gap()
	w.next("compose plan")
	const want = `One: 1
  Name         a value that is too long
               for a line of it
  some words that are too many for one
  line
    - a word and others that do not fit
      there
    compose apply --recipe skill --target a-folder

Next:
    compose plan
`
	if got := w.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

var (
	fileLines = regexp.MustCompile(`(?m)^  [+~.] `)
	foldLine  = regexp.MustCompile(`(?m)^  \.\.\. and (\d+) more files? `)
)

// However many files there are, what is shown and what is counted is all of them, and the sentence has the same numbers.
func TestFilesAreCounted(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		for n := range 3 * foldAt {
			for _, verbose := range []bool{false, true} {
				checkCounted(t, &textWriter{screen: screen.Screen{Columns: width}, verbose: verbose}, n)
			}
		}
	}
}

func checkCounted(t *testing.T, w *textWriter, n int) {
	t.Helper()
	var files []shownFile
	for i := range n {
		files = append(files, shownFile{kind: planner.Create, destination: lockv2.Destination(strings.Repeat("d/", i) + "f"), component: "artifact.app"})
	}
	files = append(files, shownFile{kind: planner.Replace, destination: "r", component: "artifact.app", ownership: lockv2.Generated}, shownFile{kind: planner.Unchanged, destination: "u"})
	w.files(files, title)
	shown := len(fileLines.FindAllString(w.String(), -1))
	if found := foldLine.FindStringSubmatch(w.String()); found != nil {
		more, _ := strconv.Atoi(found[1])
		shown += more
		if w.verbose || more < 2 {
			t.Errorf("%d files: folds %d", n, more)
		}
	}
	want, text := n+1, fmt.Sprintf("%d to create, 1 to replace, 1 unchanged", n)
	if w.verbose {
		want++
	}
	if n == 0 {
		text = "1 to replace, 1 unchanged"
	}
	if shown != want {
		t.Errorf("%d files: %d are shown and counted, want %d:\n%s", n, shown, want, w)
	}
	if got := counts(files, func(a fileAction) string { return a.count }); got != text {
		t.Errorf("%d files: %q, want %q", n, got, text)
	}
}

// The names of a target are not compose's: no screen sends what would steer a terminal.
func TestFilesAreSafe(t *testing.T) {
	w := &textWriter{screen: screen.Screen{Columns: 40, Color: true}}
	name := "\x1b[2J" + strings.Repeat("漢\n", 30)
	w.files([]shownFile{{kind: planner.Create, destination: lockv2.Destination(name), component: "\x1b]0;x\a"}, {kind: planner.Create, destination: "a"}}, title)
	conflictsText(w, []planner.Conflict{{Code: "X\n", Destination: lockv2.Destination(name), Message: name, Reason: name}}, func(*planner.Conflict) []review.Way {
		return []review.Way{{Title: name, Text: name, Steps: []review.Step{{Note: name, Command: name}}}}
	})
	sequence := regexp.MustCompile("\x1b\\[[0-9]*m")
	if rest := sequence.ReplaceAllString(w.String(), ""); strings.ContainsAny(rest, "\x1b\a\r") || strings.Contains(rest, "漢\n漢") {
		t.Errorf("%q", rest)
	}
}
