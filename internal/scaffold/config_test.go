package scaffold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/scaffold"
	"example.org/compose/internal/starter"
	"example.org/compose/internal/strictjson"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
	draft "github.com/santhosh-tekuri/jsonschema/v5"
)

func TestDraft(t *testing.T) {
	d := scaffold.Draft{Recipe: "skill", Include: []string{"capability.mcp", "capability.cli"}}
	d.Set("capability.cli", "name", strictjson.Str("x"))
	d.Set("capability.cli", "big", strictjson.Value{Kind: strictjson.Number, Text: "1e400"})
	d.Set("capability.cli", "name", strictjson.Str("y"))
	d.SetAll("artifact.skill-core", strictjson.Obj())
	const want = `{
  "$schema": "./my%20choice.schema.json",
  "schema_version": 1,
  "recipe": "skill",
  "components": {
    "include": [
      "capability.cli",
      "capability.mcp"
    ],
    "exclude": []
  },
  "parameters": {
    "artifact.skill-core": {},
    "capability.cli": {
      "big": 1e400,
      "name": "y"
    }
  }
}
`
	got := d.Encode("my choice.schema.json")
	if string(got) != want {
		t.Errorf("%s", got)
	}
	if _, err := resolver.ParseConfig("f", got); err != nil {
		t.Error(err)
	}
}

// Without a schema and parameters a draft is the file that --recipe stands for.
func TestDraftIsTheSelection(t *testing.T) {
	d := scaffold.Draft{Recipe: "service", Include: []string{"capability.mcp", "capability.cli"}, Exclude: []string{"capability.container"}}
	if got, want := d.Encode(""), resolver.SelectionBytes(d.Recipe, d.Include, d.Exclude); !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func value(t *testing.T, text string) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestParameters(t *testing.T) {
	list := scaffold.Parameters(value(t, `{
		"required": ["image", "free"],
		"properties": {
			"port": {"type": "integer", "title": "A port", "default": 80},
			"image": {"type": "string", "description": "Its name"},
			"level": {"$ref": "#/$defs/level"},
			"debug": {"type": ["boolean", "null"]},
			"odd": true
		},
		"$defs": {"level": {"enum": ["low", "high", 3], "title": "How loud"}}
	}`))
	names := ""
	for _, p := range list {
		names += p.Name + "(" + p.Description + "; " + p.Offer() + ") "
	}
	if want := "image(Its name; a text) free(; a text, or JSON) port(A port; an integer) level(How loud; low, high, 3) debug(; yes or no, null) odd(; a text, or JSON) "; names != want {
		t.Errorf("%s\nwant %s", names, want)
	}
	if !list[0].Required || !list[1].Required || list[2].Required || list[2].Default.Text != "80" {
		t.Errorf("%+v", list)
	}
	for _, test := range []struct {
		of         int
		text, want string // canonical; "" is refused
	}{
		{0, "orders", `"orders"`}, {0, "true", `"true"`}, {0, `"quoted"`, `"\"quoted\""`},
		{1, "plain", `"plain"`}, {1, "[1, 2", `"[1, 2"`}, {1, "12", "12"}, {1, `"12"`, `"12"`}, {1, "{\"a\": []}", "{\n  \"a\": []\n}"},
		{2, "8080", "8080"}, {2, "many", ""}, {2, "-", ""},
		{3, "low", `"low"`}, {3, "3", "3"}, {3, `"high"`, `"high"`}, {3, "4", ""},
		{4, "yes", "true"}, {4, "N", "false"}, {4, "null", "null"}, {4, "perhaps", ""},
	} {
		got, err := list[test.of].Read(test.text)
		if test.want == "" {
			if code(err) != scaffold.CodeParameterInvalid {
				t.Errorf("%s: %q is read as %v, %v", list[test.of].Name, test.text, got, err)
			}
		} else if text := strings.TrimSuffix(string(strictjson.Encode(got)), "\n"); err != nil || text != test.want {
			t.Errorf("%s: %q is read as %s, %v; want %s", list[test.of].Name, test.text, text, err, test.want)
		}
	}
}

// A parameters_schema is a catalog's: whatever it holds, it is taken apart without harm.
func FuzzParameters(f *testing.F) {
	f.Add([]byte(`{"required": [1, "a"], "properties": {"a": {"$ref": "#/properties/a", "type": 1, "enum": 2}}}`), "x")
	f.Add([]byte(`{"properties": []}`), "")
	f.Add([]byte(`true`), "")
	f.Fuzz(func(t *testing.T, text []byte, answer string) {
		schema, err := strictjson.Parse(text, 0)
		if err != nil {
			return
		}
		for _, p := range scaffold.Parameters(schema) {
			_ = p.Offer()
			if v, err := p.Read(answer); err == nil && strictjson.Check(v, 0) == nil {
				_ = scaffold.Shown(v)
			}
		}
	})
}

func TestShown(t *testing.T) {
	for text, want := range map[string]string{`"a b"`: "a b", `{"a": [1, true], "b": {}}`: `{"a": [1, true], "b": {}}`, "null": "null"} {
		if got := scaffold.Shown(value(t, text)); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

// editorSchema compiles the schema for editors as they do: with a general validator.
func editorSchema(t *testing.T, cat *catalog.Catalog) *draft.Schema {
	t.Helper()
	b, err := scaffold.EditorSchema(cat)
	if err != nil {
		t.Fatal(err)
	}
	if !scaffold.IsEditorSchema(b) || scaffold.IsEditorSchema(schemas.Bytes(schemas.Config)) || scaffold.IsEditorSchema([]byte("{")) {
		t.Error("it is not known as what it is")
	}
	if _, err := schemas.Compile(value(t, string(b))); err != nil {
		t.Error(err)
	}
	c := draft.NewCompiler()
	if err := c.AddResource("file:///composition.schema.json", bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("file:///composition.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEditorSchema(t *testing.T) {
	repo, err := starter.Repository()
	if err != nil {
		t.Fatal(err)
	}
	head, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	source, err := catalog.Bind(context.Background(), repo, head)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	cat, err := catalog.Load(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	schema := editorSchema(t, cat)
	for _, test := range []struct {
		text string
		good bool
	}{
		{`{"schema_version": 1, "recipe": "skill"}`, true},
		{`{"$schema": "./x", "schema_version": 1, "recipe": "service", "components": {"include": ["capability.mcp"], "exclude": ["capability.container"]}, "parameters": {}}`, true},
		{`{"schema_version": 1, "recipe": "service", "parameters": {"capability.container": {"image": "a/b"}}}`, true},
		{`{"schema_version": 1, "recipe": "nothing"}`, false},
		{`{"schema_version": 1, "recipe": "skill", "components": {"include": ["capability.container"]}}`, false},
		{`{"schema_version": 1, "recipe": "skill", "components": {"exclude": ["capability.nothing"]}}`, false},
		{`{"schema_version": 1, "recipe": "service", "parameters": {"capability.container": {"image": "A"}}}`, false},
		{`{"schema_version": 1, "recipe": "service", "parameters": {"capability.nothing": {}}}`, false},
		{`{"schema_version": 2, "recipe": "service"}`, false},
	} {
		if err := schema.Validate(decode(t, test.text)); (err == nil) != test.good {
			t.Errorf("%s: %v", test.text, err)
		}
	}
}

// A catalog may have no recipe, a recipe nothing to offer, and a parameters_schema references of its own.
func TestEditorSchemaOfOddCatalogs(t *testing.T) {
	editorSchema(t, catalogtest.Load(t, catalogtest.Catalog{}.Files()))
	cat := catalogtest.Load(t, catalogtest.Catalog{
		Repository: "-",
		Components: []catalogtest.Component{
			{ID: "artifact.app"},
			{ID: "capability.a", ParametersSchema: `{"properties": {"x": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"const": 1}}}`},
			{ID: "capability.b", ParametersSchema: `false`},
			{ID: "capability.c", ParametersSchema: `{"$schema": "https://json-schema.org/draft/2020-12/schema", "required": ["y"]}`},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
	}.Files())
	schema := editorSchema(t, cat)
	for text, good := range map[string]bool{
		`{"schema_version": 1, "recipe": "app", "parameters": {"capability.a": {"x": 2}}}`:        true, // not looked at: it refers to its own document
		`{"schema_version": 1, "recipe": "app", "parameters": {"capability.b": {}}}`:              false,
		`{"schema_version": 1, "recipe": "app", "parameters": {"capability.c": {}}}`:              false,
		`{"schema_version": 1, "recipe": "app", "components": {"include": ["capability.a"]}}`:     false,
		`{"schema_version": 1, "recipe": "app", "components": {"include": []}, "parameters": {}}`: true,
	} {
		if err := schema.Validate(decode(t, text)); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}
