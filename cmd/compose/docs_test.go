package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/compose/lockv2"
	"example.org/compose/schemas"
	"github.com/alecthomas/kong"
)

const docsFolder = "../../docs"

// links are the links of a page to files of the project.
var links = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)

// What pages link to is there, headings too.
func TestLinks(t *testing.T) {
	pages := []string{"../../README.md"}
	err := filepath.WalkDir(docsFolder, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllStringSubmatch(outsideCode(string(text)), -1) {
			to := page
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(page), link[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which there is not", page, link[1])
			} else if link[2] != "" && !slices.Contains(anchors(t, to), link[2]) {
				t.Errorf("%s links to %s#%s, and there is no such heading", page, link[1], link[2])
			}
		}
	}
}

// outsideCode returns a page without its blocks of code.
func outsideCode(page string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(page, "")
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(t *testing.T, page string) []string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(outsideCode(string(text)), -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		all = append(all, strings.ReplaceAll(words, " ", "-"))
	}
	return all
}

// The commands that README.md begins with run in the folder of the project.
func TestReadmeBegins(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^go run (\./cmd/compose .*) --target /tmp/my-skill$`).FindStringSubmatch(string(text))
	if command == nil || !strings.Contains(string(text), "\ngo test ./...\n") {
		t.Fatal("README.md has no first command, or none that tests")
	}
	target := filepath.Join(t.TempDir(), "my-skill")
	run := exec.Command("go", append([]string{"run"}, append(strings.Fields(command[1]), "--target", target)...)...)
	run.Dir = "../.."
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(target, filepath.FromSlash(lockv2.LockPath))); err != nil {
		t.Error(err)
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
