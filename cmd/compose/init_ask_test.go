package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
)

// asked is a catalog with something to ask for of every kind.
var asked = catalogtest.Catalog{
	Components: []catalogtest.Component{
		{ID: "artifact.app"},
		{ID: "capability.image", ParametersSchema: `{
			"type": "object", "required": ["name", "size"], "additionalProperties": false,
			"properties": {
				"name": {"type": "string", "pattern": "^[a-z]+$", "description": "What it is called."},
				"size": {"enum": ["small", "large"], "default": "small"},
				"extra": {"type": "integer"}
			}}`},
		{ID: "capability.notes"},
		{ID: "capability.odd", ParametersSchema: `{"minProperties": 1}`},
		{ID: "topology.one", Conflicts: []string{"capability.notes"}},
	},
	Recipes: []catalogtest.Recipe{
		{ID: "app", Artifact: "artifact.app", Default: []string{"capability.notes"}, Optional: []string{"capability.image", "capability.odd", "topology.one"}},
		{ID: "plain", Artifact: "artifact.app"},
	},
}

// answer runs the questions with these answers and returns what was shown, without what the answers echo on a terminal.
func answer(t *testing.T, c catalogtest.Catalog, command *initCommand, answers ...string) (*initialization, string, error) {
	t.Helper()
	var out bytes.Buffer
	command.Config = "composition.json"
	a := &asker{ctx: context.Background(), in: bufio.NewReader(strings.NewReader(strings.Join(answers, "\n") + "\n")), out: &out}
	i := &initialization{command: command, catalog: catalogtest.Load(t, c.Files()), asker: a}
	i.draft.Recipe, i.draft.Include, i.draft.Exclude = command.Recipe, command.Include, command.Exclude
	err := i.choose()
	return i, out.String(), err
}

func TestQuestions(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers []string
		want    string   // of the configuration, on one line
		shows   []string // somewhere, in this order
	}{
		{"all as it is", []string{"app", "", "", "", ""}, `"recipe": "app", "components": {"include": [], "exclude": []}, "parameters": {}`,
			[]string{" 1  app    recipe app\n", " 2  plain  recipe plain\n", "Number or id:", "In by default", "capability.notes: component capability.notes", "Keep it? [Y/n]", "Optional", "Add it? [y/N]"}},
		{"nothing to ask", []string{"2"}, `"recipe": "plain", "components": {"include": [], "exclude": []}, "parameters": {}`, nil},
		{"asked again", []string{"3", "0", "", "nothing", "1", "maybe", "No", "", "", ""}, `"recipe": "app", "components": {"include": [], "exclude": ["capability.notes"]}, "parameters": {}`,
			[]string{`there is no recipe "3"; type a number from 1 to 2, or an id`, `there is no recipe "0"`, `there is no recipe ""`, `there is no recipe "nothing"`, "type y or n"}},
		{"what can't be together, asked again with the answers as they were", []string{"1", "", "n", "n", "y", "n", "", "", ""},
			`"recipe": "app", "components": {"include": ["topology.one"], "exclude": ["capability.notes"]}, "parameters": {}`,
			[]string{"conflicts with", "Keep it? [Y/n]", "Add it? [y/N]", "Add it? [y/N]", "Add it? [Y/n]"}},
		{"parameters", []string{"1", "y", "y", "", "", "orders", ""},
			`"recipe": "app", "components": {"include": ["capability.image"], "exclude": []}, "parameters": {"capability.image": {"name": "orders", "size": "small"}}`,
			[]string{"Parameters of capability.image", "What it is called.", "name (a text):", "size (small, large) [small]:"}},
		{"parameters, asked again", []string{"1", "y", "y", "", "", "ORDERS", "huge", "large", "orders"},
			`"recipe": "app", "components": {"include": ["capability.image"], "exclude": []}, "parameters": {"capability.image": {"name": "orders", "size": "large"}}`,
			[]string{"name (a text):", `"huge" is no value of "size"; give one of small, large`, "/name: ", "does not match", "name (a text):"}},
		{"parameters that no list names", []string{"1", "y", "", "y", "", "[1]", "{", "{}", `{"a": 1}`},
			`"recipe": "app", "components": {"include": ["capability.odd"], "exclude": []}, "parameters": {"capability.odd": {"a": 1}}`,
			[]string{"all parameters (a JSON object):", "it is no object", "all parameters (a JSON object):", "line 1, column 2", "all parameters (a JSON object):", "all parameters (a JSON object):"}},
		{"a key that is no character", []string{"\x1b[A", "\xff", strings.Repeat("x", 100_000), "plain"}, `"recipe": "plain", "components": {"include": [], "exclude": []}, "parameters": {}`,
			[]string{"a key that is no character", "a key that is no character", "too long"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i, shown, err := answer(t, asked, &initCommand{}, test.answers...)
			if err != nil {
				t.Fatalf("%v\n%s", err, shown)
			}
			if got := strings.Join(strings.Fields(string(i.text())), " "); !strings.Contains(squeezed(got), squeezed(test.want)) {
				t.Errorf("%s\nwant %s", got, test.want)
			}
			rest := shown
			for _, text := range test.shows {
				_, after, found := strings.Cut(rest, text)
				if !found {
					t.Fatalf("%q is not shown in\n%s\nbut before it in\n%s", text, rest, shown)
				}
				rest = after
			}
		})
	}
}

func squeezed(text string) string { return strings.ReplaceAll(text, " ", "") }

// Where the flags name the recipe, nothing is asked but parameters, and what does not resolve is the end.
func TestQuestionsBesideFlags(t *testing.T) {
	i, shown, err := answer(t, asked, &initCommand{Recipe: "app", Include: []string{"capability.image"}, Parameter: []string{"capability.image.size=large"}}, "orders")
	if err != nil || strings.Contains(shown, "Number") || strings.Contains(shown, "Keep it?") || strings.Contains(shown, "size") {
		t.Errorf("%v\n%s", err, shown)
	}
	if text := string(i.text()); !strings.Contains(text, `"size": "large"`) || !strings.Contains(text, `"name": "orders"`) {
		t.Error(text)
	}
	_, shown, err = answer(t, asked, &initCommand{Recipe: "app", Include: []string{"topology.one"}}, "")
	if coded := diag.Coded(nil); !errors.As(err, &coded) || coded.Code() != "COMPONENT_CONFLICT" || shown != "" {
		t.Errorf("%v\n%s", err, shown)
	}
}

// The input may end at any question.
func TestQuestionsEnd(t *testing.T) {
	answers := []string{"1", "y", "y", "n", "n", "orders", ""}
	for n := range len(answers) {
		_, _, err := answer(t, asked, &initCommand{}, answers[:n]...)
		if n == 0 {
			continue // the one line is empty, and refused: the end is the same
		}
		if usage := (*usageError)(nil); !errors.As(err, &usage) || !strings.Contains(usage.msg, "nothing was written") {
			t.Errorf("after %d answers: %v", n, err)
		}
	}
}

// Summaries and descriptions are a catalog's, and may try to steer the terminal.
func TestQuestionsAreSafe(t *testing.T) {
	files := asked.Files()
	for name, f := range files {
		f.Content = strings.ReplaceAll(f.Content, "component capability.notes", `\u001b[2J\n\u202enotes`)
		f.Content = strings.ReplaceAll(f.Content, "What it is called.", `\u0007called`)
		files[name] = f
	}
	var out bytes.Buffer
	a := &asker{ctx: context.Background(), in: bufio.NewReader(strings.NewReader("1\ny\ny\nn\nn\norders\n\n")), out: &out}
	i := &initialization{command: &initCommand{Config: "composition.json"}, catalog: catalogtest.Load(t, files), asker: a}
	if err := i.choose(); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\x07\u202e") || !strings.Contains(out.String(), `\x1b[2J\n\u{202e}notes`) {
		t.Errorf("%q", out.String())
	}
}

// A catalog without recipes has nothing to choose.
func TestNoRecipes(t *testing.T) {
	_, _, err := answer(t, catalogtest.Catalog{}, &initCommand{}, "1")
	if coded := diag.Coded(nil); !errors.As(err, &coded) || coded.Code() != "UNKNOWN_RECIPE" {
		t.Errorf("%v", err)
	}
}
