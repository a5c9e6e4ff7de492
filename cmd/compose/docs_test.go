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
)

const docsFolder = "../../docs"

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
