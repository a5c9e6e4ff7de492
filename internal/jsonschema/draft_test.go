package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/jsonschema"
	"example.org/compose/internal/strictjson"
	draft "github.com/santhosh-tekuri/jsonschema/v5"
)

// oracle compiles a schema with a general implementation of the draft.
func oracle(schema string) (*draft.Schema, error) {
	c := draft.NewCompiler()
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("no %s here", url) }
	if err := c.AddResource("mem:schema", strings.NewReader(schema)); err != nil {
		return nil, err
	}
	return c.Compile("mem:schema")
}

func parse(t testing.TB, text string) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), 0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// On schemas and documents made at random, the verdict is that of the oracle.
func TestVerdictIsTheDrafts(t *testing.T) {
	rounds := 1500
	if testing.Short() {
		rounds = 300
	}
	valid, invalid := 0, 0
	for seed := range rounds {
		g := generator{rand.New(rand.NewPCG(uint64(seed), 1))}
		schema := `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"a":` + g.schema(2, false) + `,"b":{"$anchor":"b","type":["object","array","string"]}},"allOf":[` + g.schema(3, true) + `]}`
		want, err := oracle(schema)
		if err != nil {
			t.Fatalf("seed %d: the oracle refuses %s: %v", seed, schema, err)
		}
		got, err := jsonschema.Compile(parse(t, schema))
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, schema, err)
		}
		for range 10 {
			doc := g.document(3)
			if strings.Contains(schema, `"integer"`) && (strings.Contains(doc, "1.0") || strings.Contains(doc, "e-")) {
				continue // the one difference: what an integer's token is
			}
			d := json.NewDecoder(strings.NewReader(doc))
			d.UseNumber()
			var v any
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			accepted := want.Validate(v) == nil
			found := got.Validate(parse(t, doc))
			if trusted := got.ValidateTrusted(parse(t, doc)); !slices.Equal(trusted, found) {
				t.Errorf("%s: ValidateTrusted says %v, Validate %v", doc, trusted, found)
			}
			if accepted != (len(found) == 0) {
				t.Fatalf("seed %d: schema %s\ndocument %s\ngot %v, the oracle says %v", seed, schema, doc, found, accepted)
			}
			if accepted {
				valid++
			} else {
				invalid++
			}
		}
	}
	if valid < rounds || invalid < rounds {
		t.Errorf("%d valid and %d invalid documents: the test shows little", valid, invalid)
	}
}

type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) document(depth int) string {
	n := 6
	if depth == 0 {
		n = 4
	}
	switch g.IntN(n) {
	case 0:
		return g.pick("null", "true", "false")
	case 1:
		return g.pick("0", "1", "-1", "2", "3", "10", "0.5", "1.5", "250", "1.0", "10e-1")
	case 2, 3:
		return g.pick(`""`, `"a"`, `"b"`, `"ab"`, `"aab"`, `"é"`)
	case 4:
		var items []string
		for range g.IntN(4) {
			items = append(items, g.document(depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	var members []string
	for _, name := range []string{"a", "b", "c", "~/"} {
		if g.IntN(2) == 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, g.document(depth-1)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// schema makes one; refs says that it may refer to #/$defs/a.
func (g generator) schema(depth int, refs bool) string {
	if g.IntN(12) == 0 {
		return g.pick("true", "false")
	}
	var members []string
	has := map[string]bool{}
	add := func(name, value string) {
		if !has[name] {
			has[name] = true
			members = append(members, fmt.Sprintf("%q:%s", name, value))
		}
	}
	sub := func() string {
		if depth == 0 {
			return g.pick("true", `{"type":"string"}`, `{"type":"integer"}`, `{"const":1}`)
		}
		return g.schema(depth-1, refs)
	}
	list := func() string { return "[" + sub() + "," + sub() + "]" }
	named := func(a, b string) string { return fmt.Sprintf("{%q:%s,%q:%s}", a, sub(), b, sub()) }
	small := func() string { return fmt.Sprint(g.IntN(4)) }
	for range 1 + g.IntN(3) {
		switch g.IntN(32) {
		case 0, 1:
			add("type", g.pick(`"object"`, `"array"`, `"string"`, `"integer"`, `"number"`, `["object","array"]`, `["null","string","object"]`))
		case 2:
			add("const", g.document(1))
		case 3:
			add("enum", "["+g.document(1)+","+g.document(1)+`,"a",1]`)
		case 4:
			add(g.pick("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), g.pick("0", "1", "1.5", "-2"))
		case 5:
			add("multipleOf", g.pick("1", "0.5", "2", "0.25"))
		case 6:
			add(g.pick("minLength", "maxLength"), small())
		case 7:
			add("pattern", g.pick(`"^a"`, `"b$"`, `"^a{1,2}b?$"`))
		case 8:
			add(g.pick("minProperties", "maxProperties", "minItems", "maxItems"), small())
		case 9:
			add("required", g.pick(`["a"]`, `["a","b"]`, `[]`))
		case 10, 11:
			add("properties", named("a", "b"))
		case 12:
			add("patternProperties", named("^[ab]$", "c"))
		case 13:
			add("additionalProperties", sub())
		case 14:
			add("propertyNames", sub())
		case 15:
			add("dependentRequired", `{"a":["b"]}`)
		case 16:
			add("dependentSchemas", named("a", "~/"))
		case 17:
			add("uniqueItems", g.pick("true", "false"))
		case 18:
			add("prefixItems", list())
		case 19:
			add("items", sub())
		case 20:
			add("contains", sub())
		case 21:
			add(g.pick("minContains", "maxContains"), small())
		case 22, 23:
			add(g.pick("allOf", "anyOf", "oneOf"), list())
		case 24:
			add("not", sub())
		case 25:
			add("if", sub())
			add("then", sub())
		case 26:
			add("if", sub())
			add("else", sub())
		case 27:
			add("unevaluatedProperties", sub())
		case 28:
			add("unevaluatedItems", sub())
		case 29, 30:
			if refs {
				add("$ref", g.pick(`"#/$defs/a"`, `"#b"`))
			}
		case 31:
			add("format", g.pick(`"date"`, `"x"`))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func FuzzCompile(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"integer","minimum":1}`, "1"},
		{`{"$ref":"#"}`, "1"},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"properties":{"x":{"$ref":"#"}}}}}`, `{"x":{"x":1}}`},
		{`{"pattern":"(a{1000}){1000}"}`, `"a"`},
		{`{"multipleOf":1e-999999999}`, "1e999999999"},
		{`{"anyOf":[{"const":{"a":[1,2]}},{"enum":[null,1.0]}],"unevaluatedItems":false}`, "[1]"},
		{`{"uniqueItems":true,"contains":{"$anchor":"x"},"items":{"$ref":"#x"}}`, "[1,1.0]"},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, schema, doc []byte) {
		s, err := strictjson.Parse(schema, 0)
		if err != nil {
			return
		}
		compiled, err := jsonschema.Compile(s)
		if err != nil {
			return
		}
		d, err := strictjson.Parse(doc, 0)
		if err != nil {
			return
		}
		first, second := compiled.Validate(d), compiled.Validate(d)
		if fmt.Sprint(first) != fmt.Sprint(second) {
			t.Errorf("two validations differ: %v and %v", first, second)
		}
		for _, v := range first {
			if v.Rule == "" || v.Message == "" || !bytes.HasPrefix([]byte(v.Pointer+"/"), []byte("/")) {
				t.Errorf("violation %+v", v)
			}
		}
	})
}
