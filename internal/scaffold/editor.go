package scaffold

import (
	"bytes"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// editorComment begins the comment by which an editor's schema is known as one of ours.
const editorComment = "Written by compose init"

// EditorSchemaName is the file, beside a configuration, in which its editor's schema stands.
func EditorSchemaName(config string) string {
	return strings.TrimSuffix(config, ".json") + ".schema.json"
}

// IsEditorSchema reports whether a text is one that EditorSchema returned for some catalog, so that it may be written anew.
func IsEditorSchema(text []byte) bool {
	doc, err := strictjson.Parse(text, 0)
	comment, _ := doc.Get("$comment")
	return err == nil && strings.HasPrefix(comment.Text, editorComment)
}

// EditorSchema returns a JSON Schema of the configurations that cat takes, for editors: the published one, with the recipes
// and components that there are, each with its summary, what each recipe offers, and the parameters of each component. It is a help
// for typing; what holds is decided by the catalog that is composed from.
func EditorSchema(cat *catalog.Catalog) ([]byte, error) {
	doc, err := strictjson.Parse(schemas.Bytes(schemas.Config), 0)
	if err != nil {
		return nil, err
	}
	// An editor that knows the published $id must not take this for it.
	doc.Members = slices.DeleteFunc(slices.Clone(doc.Members), func(m strictjson.Member) bool { return m.Name == "$id" })
	of := cat.Repository
	if of == "" {
		of = "the catalog"
	}
	comment := editorComment + " for " + of + " at " + string(cat.Revision()) + ". compose reads it nowhere; compose init --schema-only writes it anew."
	doc.Members = slices.Insert(doc.Members, 1, strictjson.F("$comment", strictjson.Str(comment)))

	properties, _ := doc.Get("properties")
	recipe, _ := properties.Get("recipe")
	recipe = withoutField(recipe, "$ref")
	var offers []strictjson.Value
	recipes := strictjson.Value{Kind: strictjson.Array}
	for _, r := range cat.Recipes {
		recipes.Items = append(recipes.Items, choice(string(r.ID), r.Summary))
		offers = append(offers, offerOf(cat, r))
	}
	if len(recipes.Items) > 0 {
		recipe = withField(recipe, "oneOf", recipes)
	}
	properties = withMember(properties, "recipe", recipe)
	properties = withMember(properties, "parameters", parametersOf(cat))
	doc = withMember(doc, "properties", properties)
	if offers != nil {
		doc = withField(doc, "allOf", strictjson.Arr(offers...))
	}
	return strictjson.Encode(doc), nil
}

func withoutField(object strictjson.Value, name string) strictjson.Value {
	object.Members = slices.DeleteFunc(slices.Clone(object.Members), func(m strictjson.Member) bool { return m.Name == name })
	return object
}

// choice is one value of several, with what an editor shows beside it.
func choice(id, summary string) strictjson.Value {
	return strictjson.Obj(strictjson.F("const", strictjson.Str(id)), strictjson.F("description", strictjson.Str(summary)))
}

// offerOf says what can be included and excluded with a recipe.
func offerOf(cat *catalog.Catalog, r *catalog.Recipe) strictjson.Value {
	list := func(ids ...[]lockv2.ComponentID) strictjson.Value {
		choices := strictjson.Value{Kind: strictjson.Array}
		for _, id := range slices.Sorted(slices.Values(slices.Concat(ids...))) {
			summary := ""
			if c := cat.Component(id); c != nil {
				summary = c.Summary
			}
			choices.Items = append(choices.Items, choice(string(id), summary))
		}
		if len(choices.Items) == 0 {
			return strictjson.Obj(strictjson.F("maxItems", strictjson.Int(0)))
		}
		return strictjson.Obj(strictjson.F("items", strictjson.Obj(strictjson.F("oneOf", choices))))
	}
	return strictjson.Obj(
		strictjson.F("if", strictjson.Obj(
			strictjson.F("properties", strictjson.Obj(strictjson.F("recipe", strictjson.Obj(strictjson.F("const", strictjson.Str(r.ID)))))),
			strictjson.F("required", strictjson.Strs([]string{"recipe"})),
		)),
		strictjson.F("then", strictjson.Obj(strictjson.F("properties", strictjson.Obj(strictjson.F("components", strictjson.Obj(
			strictjson.F("properties", strictjson.Obj(
				strictjson.F("include", list(r.Optional, r.Default, r.Required)),
				strictjson.F("exclude", list(r.Default, r.Optional)),
			)))))))),
	)
}

// parametersOf is the schema of the parameters: for each component its own.
func parametersOf(cat *catalog.Catalog) strictjson.Value {
	own := strictjson.Value{Kind: strictjson.Object}
	for _, c := range cat.Components {
		described := strictjson.Obj(strictjson.F("description", strictjson.Str(c.Summary)), strictjson.F("type", strictjson.Str("object")))
		if c.ParametersSchema != nil {
			if schema := withoutField(*c.ParametersSchema, "$schema"); standsAlone(schema) {
				described = withField(described, "allOf", strictjson.Arr(schema))
			}
		}
		own.Members = append(own.Members, strictjson.F(string(c.ID), described))
	}
	return strictjson.Obj(
		strictjson.F("type", strictjson.Str("object")),
		strictjson.F("description", strictjson.Str("Parameters by component id; each value is that component's parameter object.")),
		strictjson.F("properties", own),
		strictjson.F("additionalProperties", strictjson.Boolean(false)),
	)
}

// standsAlone reports whether a schema means the same inside another document: it refers to nothing and is referred to by nothing.
func standsAlone(schema strictjson.Value) bool {
	text := strictjson.Encode(schema)
	for _, name := range []string{"$ref", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$schema"} {
		if bytes.Contains(text, []byte(`"`+name+`"`)) {
			return false
		}
	}
	return true
}
