package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/compose/docs"
	"example.org/compose/internal/manual"
	"github.com/alecthomas/kong"
)

// What a topic, a code or a command's help gives to copy is a command line that compose takes.
func TestHelpGivesCommandLines(t *testing.T) {
	program, err := described(nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"compose": description}
	for _, topic := range manual.Topics() {
		texts[topic.Name] = manual.TopicText(topic.Name)
	}
	for _, c := range program.Leaves() {
		texts[c.Name()] = c.About
	}
	for _, code := range manual.Codes(docs.Codes) {
		texts[code] = manual.CodeText(docs.Codes, code)
	}
	found := 0
	for name, text := range texts {
		for _, line := range commandsIn(text) {
			found++
			if err := parses(line); err != nil {
				t.Errorf("%s gives %q: %v", name, line, err)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d commands", found)
	}
}

// commandsIn returns the lines of a text that are commands of compose.
func commandsIn(text string) []string {
	var list []string
	for _, block := range manual.Blocks(text) {
		if block.Kind != manual.Verbatim {
			continue
		}
		for line := range strings.Lines(block.Text) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " > ")
			line = strings.TrimSuffix(strings.TrimPrefix(line, "source <("), ")")
			if strings.HasPrefix(line, "compose ") {
				list = append(list, line)
			}
		}
	}
	return list
}

// parses reports whether a command line without quotes is one that compose takes.
func parses(line string) error {
	words := strings.Fields(line)[1:]
	var parsed commandLine
	exited := false
	parser, err := kong.New(&parsed, append(grammar(words), kong.Name("compose"), kong.Exit(func(int) { exited = true }), kong.Writers(new(strings.Builder), new(strings.Builder)),
		kong.KindMapper(reflect.String, rawText{}), kong.Vars{"source": builtinSource})...)
	if err != nil {
		return err
	}
	command, err := parser.Parse(words)
	if exited || err != nil {
		return err
	}
	return checkFlags(command)
}

func TestParsesRefuses(t *testing.T) {
	for _, line := range []string{"compose plan --mood update", "compose nothing", "compose plan --recipe", "compose plan --mode=", "compose catalog"} {
		if parses(line) == nil {
			t.Errorf("%s is taken", line)
		}
	}
}

// The topic of the environment has the variables of docs/cli.md, in their order.
func TestEnvironmentTopic(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docsFolder, "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Environment\n")
	var want, got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|").FindAllStringSubmatch(table, -1) {
		want = append(want, row[1])
	}
	for _, block := range manual.Blocks(manual.TopicText("environment")) {
		if name, _, found := strings.Cut(block.Text, ": "); found && block.Kind == manual.Bullet {
			got = append(got, name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("the topic has %q, docs/cli.md %q", got, want)
	}
}

// Codes that a topic names are codes, and topics that any text names are topics.
func TestTopicsNameWhatThereIs(t *testing.T) {
	codes := manual.Codes(docs.Codes)
	for _, topic := range manual.Topics() {
		text := manual.TopicText(topic.Name)
		for _, m := range regexp.MustCompile(`\(([A-Z]+(?:_[A-Z]+)+)\)`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(codes, m[1]) {
				t.Errorf("%s names %s, which is no code", topic.Name, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`compose help ([a-z-]+)`).FindAllStringSubmatch(text, -1) {
			if manual.TopicText(m[1]) == "" {
				t.Errorf("%s leads to compose help %s, which there is not", topic.Name, m[1])
			}
		}
	}
}
