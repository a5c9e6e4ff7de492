package manual_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/manual"
)

// line is a small command line with one of everything.
func line() *manual.Program {
	return &manual.Program{
		Name: "tool", Summary: "Does things.", About: "More about it.\n\n  tool run a",
		Flags: []manual.Flag{{Name: "help", Help: "Show help."}, {Name: "color", Value: "WHEN", Choices: []string{"auto", "never"}, Help: "Colour. Often."}},
		Commands: []*manual.Command{
			{Words: []string{"run"}, Summary: "Run it", About: "It runs.", Args: []manual.Arg{{Value: "FILE", Needed: true, Help: "What to run."}, {Value: "SPEED", Choices: []string{"slow", "fast"}}},
				Flags: []manual.Flag{{Name: "mode", Value: "MODE", Choices: []string{"one", "other"}}, {Name: "add", Value: "NAME", Repeats: true}, {Name: "dir", Value: "DIR"}, {Name: "dry", Help: "Run *dry*|wet."}}},
			{Words: []string{"list"}, Summary: "List", Commands: []*manual.Command{
				{Words: []string{"list", "all"}, Summary: "List all", Flags: []manual.Flag{{Name: "long"}}},
				{Words: []string{"list", "new"}, Summary: "List the new", Args: []manual.Arg{{Value: "NAME", Repeats: true}}},
			}, Default: "all"},
		},
	}
}

func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		name  string
		words string // separated by blanks; the last one is completed
		want  string // the candidates
		kind  manual.Kind
	}{
		{"nothing yet", "", "run list", manual.Words},
		{"a command", "r", "run", manual.Words},
		{"no command", "x", "", manual.Words},
		{"a flag before the command", "--", "--help --color", manual.Words},
		{"a value", "--color ", "auto never", manual.Words},
		{"a value in the same word", "--color=n", "--color=never", manual.Words},
		{"a value of an unknown flag", "run --x=", "", manual.Words},
		{"a command behind flags", "--color never l", "list", manual.Words},
		{"a group", "list ", "all new", manual.Words},
		{"a flag of the default command", "list --l", "--long", manual.Words},
		{"a file", "run ", "", manual.Files},
		{"the second argument", "run a ", "slow fast", manual.Words},
		{"an argument behind flags", "run --mode one --dry a f", "fast", manual.Words},
		{"no third argument: what is left are flags", "run a slow ", "--mode --add --dir --dry --help --color", manual.Words},
		{"flags that are there are left out, but what repeats", "run --mode=one --add x --dry --", "--add --dir --help --color", manual.Words},
		{"a folder", "run --dir ", "", manual.Dirs},
		{"a folder in the same word", "run --dir=x", "", manual.Dirs},
		{"a flag that takes no value", "run --dry=", "", manual.Words},
		{"behind the end of flags", "run -- --mode ", "slow fast", manual.Words},
		{"flags behind the end of flags", "run -- -", "", manual.Files},
		{"an unknown flag is passed over", "run --what --m", "--mode", manual.Words},
		{"an unknown command has no flags of its own", "what --m", "", manual.Words},
		{"one dash", "run -", "--mode --add --dir --dry --help --color", manual.Words},
	} {
		t.Run(test.name, func(t *testing.T) {
			at := line().Locate(strings.Split(test.words, " "))
			var got []string
			for _, c := range at.Fitting(at.Known()) {
				got = append(got, c.Word)
			}
			if strings.Join(got, " ") != test.want || at.Kind() != test.kind {
				t.Errorf("got %q of kind %s, want %q of kind %s", got, at.Kind(), test.want, test.kind)
			}
		})
	}
}

func TestPlaceKnowsWhatIsGiven(t *testing.T) {
	at := line().Locate([]string{"run", "--add", "a", "--add=b", "--dry", "--mode", "one", "file", "--", "-s"})
	if got := at.Flags["add"]; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("--add is %q", got)
	}
	if len(at.Flags["dry"]) != 1 || !slices.Equal(at.Flags["mode"], []string{"one"}) || !slices.Equal(at.Args, []string{"file"}) {
		t.Errorf("flags %q, arguments %q", at.Flags, at.Args)
	}
	if at.Arg == nil || at.Arg.Value != "SPEED" || at.Typed != "-s" {
		t.Errorf("the place is %+v", at)
	}
}

// What could steer a terminal or would be taken for something else is no candidate.
func TestHostileCandidates(t *testing.T) {
	at := line().Locate([]string{"list", "new", ""})
	var list []manual.Candidate
	for _, word := range append(hostile(), "plain", "plain", "-rf", "--long", "", "a\nb", "a\tb", "\x1b[31m", "a\u202eb", "a\xffb", "a\u00a0b", "a\u2028b") {
		list = append(list, manual.Candidate{Word: word, About: "line\none\x1b[0m. And more"})
	}
	var got []string
	for _, c := range at.Fitting(list) {
		got = append(got, c.Word)
		if strings.ContainsAny(c.About, "\n\t\x1b") {
			t.Errorf("about %q: %q", c.Word, c.About)
		}
	}
	if want := append(hostile(), "plain"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFolded(t *testing.T) {
	words := []string{"README.md", "docs/a.md", "docs/b/c.md", "docs/b/d.md", "src/only.go"}
	for typed, want := range map[string]string{
		"":         "README.md docs/ src/only.go",
		"d":        "docs/",
		"docs/":    "docs/a.md docs/b/",
		"docs/b/":  "docs/b/c.md docs/b/d.md",
		"docs/b/d": "docs/b/d.md",
		"x":        "",
	} {
		var got []string
		for _, c := range manual.Folded(typed, words) {
			got = append(got, c.Word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}
