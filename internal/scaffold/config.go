package scaffold

import (
	"net/url"
	"slices"
	"strings"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Draft is a configuration in the making. Package resolver says whether the choice holds.
type Draft struct {
	Recipe           string
	Include, Exclude []string         // in any order
	Parameters       strictjson.Value // an object by component id; the zero value is an empty one
}

// Encode returns the text of the configuration file, in the form of docs/resolution.md with sorted lists. schema is the file that
// an editor finds the schema in, beside the configuration; "" for none.
func (d *Draft) Encode(schema string) []byte {
	sorted := func(list []string) strictjson.Value { return strictjson.Strs(slices.Sorted(slices.Values(list))) }
	var members []strictjson.Member
	if schema != "" {
		reference := url.URL{Path: "./" + schema}
		members = append(members, strictjson.F("$schema", strictjson.Str(reference.String())))
	}
	parameters := d.Parameters
	parameters.Kind = strictjson.Object
	return strictjson.Encode(strictjson.Obj(append(members,
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("recipe", strictjson.Str(d.Recipe)),
		strictjson.F("components", strictjson.Obj(
			strictjson.F("include", sorted(d.Include)),
			strictjson.F("exclude", sorted(d.Exclude)))),
		strictjson.F("parameters", parameters.Sorted()))...))
}

// Set gives a component a parameter, in the place of an earlier value.
func (d *Draft) Set(id lockv2.ComponentID, name string, value strictjson.Value) {
	own, _ := d.Parameters.Get(string(id))
	own.Kind = strictjson.Object
	d.SetAll(id, withField(own, name, value))
}

// SetAll gives a component its parameters, an object, in the place of earlier ones.
func (d *Draft) SetAll(id lockv2.ComponentID, parameters strictjson.Value) {
	d.Parameters.Kind = strictjson.Object
	d.Parameters = withField(d.Parameters, string(id), parameters)
}

// withField returns an object with a member of that name, a new one at its end.
func withField(object strictjson.Value, name string, value strictjson.Value) strictjson.Value {
	if _, found := object.Get(name); found {
		return withMember(object, name, value)
	}
	object.Members = append(slices.Clip(object.Members), strictjson.F(name, value))
	return object
}

// Parameter is a parameter that a component takes, as far as its parameters_schema tells at first sight. Only the whole schema
// says which values it allows.
type Parameter struct {
	Name        string
	Description string // what its schema says of it; ""
	Required    bool
	Kinds       []string           // the types of JSON Schema that it may have; nil for any
	Choices     []strictjson.Value // of an enum; nil
	Default     *strictjson.Value  // nil for none
}

// Parameters returns the parameters that a parameters_schema names: the required ones, then the others, each group in the order
// of the schema's own list.
func Parameters(schema strictjson.Value) []Parameter {
	properties, _ := schema.Get("properties")
	required, _ := schema.Get("required")
	var list []Parameter
	add := func(name string, required bool) {
		if !slices.ContainsFunc(list, func(p Parameter) bool { return p.Name == name }) {
			of, _ := properties.Get(name)
			list = append(list, parameterOf(name, required, follow(schema, of)))
		}
	}
	for _, name := range required.Items {
		if name.Kind == strictjson.String {
			add(name.Text, true)
		}
	}
	for _, m := range properties.Members {
		add(m.Name, false)
	}
	return list
}

func parameterOf(name string, required bool, of strictjson.Value) Parameter {
	p := Parameter{Name: name, Required: required}
	for _, member := range []string{"description", "title"} {
		if text, found := of.Get(member); found && text.Kind == strictjson.String {
			p.Description = text.Text
		}
	}
	switch kind, _ := of.Get("type"); kind.Kind {
	case strictjson.String:
		p.Kinds = []string{kind.Text}
	case strictjson.Array:
		p.Kinds = texts[string](kind)
	}
	if choices, found := of.Get("enum"); found {
		p.Choices = choices.Items
	}
	if value, found := of.Get("const"); found {
		p.Choices = []strictjson.Value{value}
	}
	if value, found := of.Get("default"); found {
		p.Default = &value
	}
	return p
}

// follow returns what a schema refers to within its document, where that is one step by a pointer; else the schema itself.
func follow(document, schema strictjson.Value) strictjson.Value {
	reference, _ := schema.Get("$ref")
	pointer, found := strings.CutPrefix(reference.Text, "#/")
	if !found {
		return schema
	}
	at := document
	for _, token := range strings.Split(pointer, "/") {
		next, found := at.Get(strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
		if !found {
			return schema
		}
		at = next
	}
	return at
}

// Read returns the value that a person means by text: one of the choices; text as it is where a text is asked for; true and false also
// as yes and no; else JSON, and where anything may stand, a text that is no JSON.
//
// PARAMETER_INVALID, an *Error, where it is none of what is asked for.
func (p Parameter) Read(text string) (strictjson.Value, error) {
	doc, err := strictjson.Parse([]byte(text), 0)
	isJSON := err == nil
	for _, choice := range p.Choices {
		if choice.Kind == strictjson.String && choice.Text == text || isJSON && string(strictjson.Encode(choice)) == string(strictjson.Encode(doc)) {
			return choice, nil
		}
	}
	takes := func(kind string) bool { return slices.Contains(p.Kinds, kind) }
	switch word := strings.ToLower(text); {
	case len(p.Choices) > 0:
		return strictjson.Value{}, p.fault(text, "one of "+p.Offer())
	case len(p.Kinds) == 1 && takes("string"):
		return strictjson.Str(text), nil
	case takes("boolean") && (word == "yes" || word == "y"):
		return strictjson.Boolean(true), nil
	case takes("boolean") && (word == "no" || word == "n"):
		return strictjson.Boolean(false), nil
	case isJSON:
		return doc, nil
	case p.Kinds == nil || takes("string"):
		return strictjson.Str(text), nil
	}
	return strictjson.Value{}, p.fault(text, p.Offer())
}

func (p Parameter) fault(text, want string) *Error {
	return fault(CodeParameterInvalid, "", "%q is no value of %q; give %s", clip(text), p.Name, want)
}

// Offer says which values are meant: the choices, or the types in a person's words.
func (p Parameter) Offer() string {
	const most = 20
	var list []string
	for i, choice := range p.Choices {
		if i == most {
			list = append(list, "...")
			break
		}
		list = append(list, Shown(choice))
	}
	if list == nil {
		for _, kind := range p.Kinds {
			word, known := map[string]string{
				"string": "a text", "integer": "an integer", "number": "a number", "boolean": "yes or no", "array": "a JSON array", "object": "a JSON object", "null": "null",
			}[kind]
			if known {
				list = append(list, word)
			}
		}
	}
	if list == nil {
		return "a text, or JSON"
	}
	return strings.Join(list, ", ")
}

// Shown is a value as a person types it: a text as it is, anything else as JSON on one line.
func Shown(v strictjson.Value) string {
	if v.Kind == strictjson.String {
		return v.Text
	}
	var b strings.Builder
	for line := range strings.Lines(string(strictjson.Encode(v))) {
		b.WriteString(strings.Trim(line, " \n"))
		if strings.HasSuffix(line, ",\n") {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
