package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/compose/schemas"
	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
)

const docsFolder = "../../docs"

// sessions are the shell blocks of a page, each with the block of text that follows it at once, if one does.
var sessions = regexp.MustCompile("(?m)^```sh\n((?s:.*?))^```\n(?:\n```text\n((?s:.*?))^```\n)?")

// typed NAME types what a page of docs shows: each shell block, from one folder, and wants the output that is shown. In
// it "..." stands for any text, and alone on a line for any lines.
func typed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: typed NAME")
	}
	page, err := os.ReadFile(filepath.Join(docsFolder, args[0]))
	ts.Check(err)
	blocks := sessions.FindAllStringSubmatch(string(page), -1)
	if len(blocks) == 0 {
		ts.Fatalf("%s has no shell block", args[0])
	}
	// As on a terminal: the human form.
	const terminal = "compose() { command compose --format human \"$@\"; }\n"
	for _, block := range blocks {
		commands, shown := block[1], block[2]
		ts.Check(ts.Exec("sh", "-euc", terminal+commands))
		if output := ts.ReadFile("stdout"); shown != "" && !shownAs(shown).MatchString(output) {
			ts.Fatalf("%s shows\n%s\nand the commands print\n%s", args[0], shown, output)
		}
	}
}

// shownAs makes a pattern of a shown output.
func shownAs(text string) *regexp.Regexp {
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for line := range strings.Lines(text) {
		if line == "...\n" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`))
	}
	return regexp.MustCompile(pattern.String() + `\z`)
}

func TestShownAs(t *testing.T) {
	for _, test := range []struct {
		shown, output string
		want          bool
	}{
		{"a ... c\n", "a b c\n", true},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true},
		{"a\n", "a\nb\n", false},
		{"a\n...\n", "b\na\n", false},
	} {
		if got := shownAs(test.shown).MatchString(test.output); got != test.want {
			t.Errorf("%q shows %q: got %v, want %v", test.shown, test.output, got, test.want)
		}
	}
}

// docs/cli.md lists every command, with the schema of its answer, and every flag of each, and no others.
func TestCommandsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docsFolder, "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := documentedFlags(t, string(text))
	declared := declaredFlags(t)
	for command, flags := range declared {
		if got, there := documented[command]; !there {
			t.Errorf("docs/cli.md does not list compose %s", command)
		} else if !slices.Equal(got, flags) {
			t.Errorf("docs/cli.md lists compose %s with %q, and it takes %q", command, got, flags)
		}
	}
	for command := range documented {
		if _, there := declared[command]; !there {
			t.Errorf("docs/cli.md lists compose %s, which is no command", command)
		}
	}
}

// declaredFlags returns the flags of each command, sorted, less those that every command has.
func declaredFlags(t *testing.T) map[string][]string {
	t.Helper()
	var line commandLine
	parser, err := kong.New(&line, append(grammar(nil), kong.Vars{"source": builtinSource})...)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, command := range parser.Model.Leaves(false) {
		name := strings.TrimPrefix(command.Path(), parser.Model.Name+" ")
		all[name] = []string{}
		for _, group := range command.AllFlags(false) {
			for _, flag := range group {
				if !slices.Contains([]string{"help", "format", "color", "verbose", "quiet"}, flag.Name) {
					all[name] = append(all[name], "--"+flag.Name)
				}
			}
		}
		slices.Sort(all[name])
	}
	return all
}

var (
	commandRow = regexp.MustCompile("(?m)^\\| `compose ([a-z ]*[a-z])[^`]*` \\|.*\\| ([^|]*) \\|$")
	flagRow    = regexp.MustCompile("(?m)^\\| `(--[a-z-]+)[^`]*` \\| ([a-z, ]+) \\|")
)

// documentedFlags reads the same out of the tables of the page.
func documentedFlags(t *testing.T, page string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, row := range commandRow.FindAllStringSubmatch(page, -1) {
		all[row[1]] = []string{}
		names := regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row[2], -1)
		if len(names) == 0 {
			t.Errorf("docs/cli.md lists compose %s without a schema", row[1])
		}
		for _, name := range names {
			if !slices.Contains(schemas.Names(), name[1]) {
				t.Errorf("docs/cli.md names the schema %s, which there is not", name[1])
			}
		}
	}
	for _, row := range flagRow.FindAllStringSubmatch(page, -1) {
		for _, command := range strings.Split(row[2], ", ") {
			all[command] = append(all[command], row[1])
		}
	}
	for _, flags := range all {
		slices.Sort(flags)
	}
	return all
}
