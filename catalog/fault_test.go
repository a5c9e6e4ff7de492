package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
)

// sound is a catalog with something of everything.
func sound() catalogtest.Catalog {
	return catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Requires: []string{"foundation.base"}, Materials: []catalogtest.Material{
				{Destination: "README.md", Ownership: "seed", Content: "# app\n"}, {Destination: "bin/run", Content: "#!/bin/sh\n", Executable: true}}},
			{ID: "capability.cli", Version: 3, ParametersSchema: `{"type":"object"}`, Materials: []catalogtest.Material{
				{Destination: "docs/cli.md", Content: "cli\n", Compose: "include-v1"}}},
			{ID: "capability.mcp", Requires: []string{"capability.cli"}},
			{ID: "foundation.base"},
			{ID: "lifecycle.contracts", Registrations: registration, Materials: []catalogtest.Material{
				{Destination: "contracts/manifest.json", Generator: "contract-manifest-v1"}}},
			{ID: "topology.one"}, {ID: "topology.two"},
			{ID: "workspace.one"}, {ID: "workspace.two"},
		},
		Recipes: []catalogtest.Recipe{
			{ID: "app", Artifact: "artifact.app", Required: []string{"lifecycle.contracts"}, Default: []string{"capability.cli", "topology.one"}, Optional: []string{"capability.mcp", "topology.two"}},
			{ID: "bare", Artifact: "artifact.app"},
		},
	}
}

const registration = `[{"id":"routes","document":"contracts/routes.json","schema":"schemas/routes.schema.json","migration_slug":"routes",
	"document_schema_version":2,"version_history":[{"version":1,"change_type":"initial"},{"version":2,"change_type":"additive"},
	{"version":4,"change_type":"breaking","migration":"docs/migrations/routes.md"}],"purpose":"routes"}]`

// edit changes one document of a catalog.
func edit(files catalogtest.Files, path string, change func(doc map[string]any)) {
	var doc map[string]any
	if err := json.Unmarshal([]byte(files[path].Content), &doc); err != nil {
		panic(err)
	}
	change(doc)
	b, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	files.Set(path, string(b))
}

func descriptor(id string) string { return "components/" + id + "/component.json" }

// set returns a change of one descriptor's field.
func set(id, field string, value any) func(catalogtest.Files) {
	return func(f catalogtest.Files) { edit(f, descriptor(id), func(doc map[string]any) { doc[field] = value }) }
}

func setRecipe(id, field string, value any) func(catalogtest.Files) {
	return func(f catalogtest.Files) {
		edit(f, "recipes/"+id+".json", func(doc map[string]any) { doc[field] = value })
	}
}

func setMaterial(id string, i int, field string, value any) func(catalogtest.Files) {
	return func(f catalogtest.Files) {
		edit(f, descriptor(id), func(doc map[string]any) {
			doc["materials"].([]any)[i].(map[string]any)[field] = value
		})
	}
}

func put(path, content string) func(catalogtest.Files) {
	return func(f catalogtest.Files) { f.Set(path, content) }
}

func mode(path string, m catalogtest.Mode, content string) func(catalogtest.Files) {
	return func(f catalogtest.Files) { f[path] = catalogtest.File{Content: content, Mode: m} }
}

func missing(path string) func(catalogtest.Files) {
	return func(f catalogtest.Files) {
		f[path] = catalogtest.File{Content: f[path].Content + " ", Missing: true}
	}
}

func remove(path string) func(catalogtest.Files) {
	return func(f catalogtest.Files) { delete(f, path) }
}

func history(text string) func(catalogtest.Files) {
	return func(f catalogtest.Files) {
		edit(f, descriptor("lifecycle.contracts"), func(doc map[string]any) {
			doc["contract_registrations"].([]any)[0].(map[string]any)["version_history"] = json.RawMessage(text)
		})
	}
}

var lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"

const commitID = "1111111111111111111111111111111111111111"

// faults holds, for each way to break a catalog, the faults that Check reports, as CODE PATH. Load reports
// the first, but for those of Check alone.
var faults = map[string]struct {
	change    func(catalogtest.Files)
	want      []string
	says      string // part of the first message
	checkOnly bool
}{
	"nothing": {change: func(catalogtest.Files) {}},
	"other files beside": {change: func(f catalogtest.Files) {
		f.Set("README.md", "x").Set("components/README.md", "x").Set("recipes/README.md", "x").Set("recipes/notes/a.json", "{").Set("catalog/x.json", "{").
			Set("components/capability.cli/unused/x", "x").Set("Übersicht.md", "x")
		mode("components/note", catalogtest.Symlink, "README.md")(f)
	}},
	"an executable descriptor": {change: func(f catalogtest.Files) {
		mode(descriptor("capability.cli"), catalogtest.Executable, f[descriptor("capability.cli")].Content)(f)
	}},

	"no index":         {change: remove("catalog/catalog.json"), want: []string{"INVALID_SOURCE_AUTHORITY catalog/catalog.json"}, says: "holds no catalog"},
	"index a symlink":  {change: mode("catalog/catalog.json", catalogtest.Symlink, "x"), want: []string{"INVALID_SOURCE_AUTHORITY catalog/catalog.json"}, says: "is a symlink"},
	"index a folder":   {change: func(f catalogtest.Files) { delete(f, "catalog/catalog.json"); f.Set("catalog/catalog.json/x", "") }, want: []string{"INVALID_SOURCE_AUTHORITY catalog/catalog.json"}, says: "is a folder"},
	"index no JSON":    {change: put("catalog/catalog.json", `{"a":1,"a":2}`), want: []string{"INVALID_JSON catalog/catalog.json"}, says: "line 1, column 8"},
	"index too large":  {change: put("catalog/catalog.json", "{}"+strings.Repeat(" ", catalog.MaxFile)), want: []string{"SOURCE_TOO_LARGE catalog/catalog.json"}, says: "4 MiB"},
	"index incomplete": {change: put("catalog/catalog.json", `{"schema_version":1.0}`), want: []string{"SCHEMA_VALIDATION_FAILED catalog/catalog.json", "SCHEMA_VALIDATION_FAILED catalog/catalog.json", "SCHEMA_VALIDATION_FAILED catalog/catalog.json#/schema_version"}},
	"index with a double": {change: func(f catalogtest.Files) {
		edit(f, "catalog/catalog.json", func(doc map[string]any) { doc["recipes"] = []string{"app", "app", "bare"} })
	}, want: []string{"SCHEMA_VALIDATION_FAILED catalog/catalog.json#/recipes"}, says: `"app" is there twice`},
	"index not sorted": {change: func(f catalogtest.Files) {
		edit(f, "catalog/catalog.json", func(doc map[string]any) { doc["recipes"] = []string{"bare", "app"} })
	}, want: []string{"INVALID_CATALOG catalog/catalog.json#/recipes/1"}, says: `"app" stands after "bare"`},
	"repository has no form": {change: func(f catalogtest.Files) {
		edit(f, "catalog/catalog.json", func(doc map[string]any) { doc["repository"] = "a/../b" })
	}, want: []string{"INVALID_CATALOG catalog/catalog.json#/repository"}},

	"stray component":      {change: put("components/capability.stray/component.json", "{}"), want: []string{"CATALOG_NOT_CLOSED catalog/catalog.json#/components"}, says: `"capability.stray"`},
	"stray folder":         {change: put("components/x/y/z", ""), want: []string{"CATALOG_NOT_CLOSED catalog/catalog.json#/components"}, says: `"x"`},
	"stray submodule":      {change: mode("components/x", catalogtest.Submodule, commitID), want: []string{"CATALOG_NOT_CLOSED catalog/catalog.json#/components"}, says: `"x"`},
	"stray recipe":         {change: put("recipes/stray.json", "{"), want: []string{"CATALOG_NOT_CLOSED catalog/catalog.json#/recipes"}, says: `"stray"`},
	"component not there":  {change: func(f catalogtest.Files) { drop(f, "components/topology.two/") }, want: []string{"CATALOG_NOT_CLOSED catalog/catalog.json#/components"}, says: `lists "topology.two"`},
	"recipe not there":     {change: remove("recipes/bare.json"), want: []string{"CATALOG_NOT_CLOSED catalog/catalog.json#/recipes"}, says: `lists "bare"`},
	"components a symlink": {change: func(f catalogtest.Files) { drop(f, "components/"); mode("components", catalogtest.Symlink, "x")(f) }, want: []string{"INVALID_SOURCE_AUTHORITY components"}, says: "is a symlink"},
	"component a symlink": {change: func(f catalogtest.Files) {
		drop(f, "components/topology.two/")
		mode("components/topology.two", catalogtest.Symlink, "topology.one")(f)
	}, want: []string{"INVALID_SOURCE_AUTHORITY components/topology.two/component.json"}, says: `"components/topology.two" is a symlink`},
	"component a submodule": {change: func(f catalogtest.Files) {
		drop(f, "components/topology.two/")
		mode("components/topology.two", catalogtest.Submodule, commitID)(f)
	}, want: []string{"INVALID_SOURCE_AUTHORITY components/topology.two/component.json"}, says: "is a submodule"},

	"descriptor missing":          {change: remove(descriptor("topology.two")), want: []string{"INVALID_SOURCE_AUTHORITY components/topology.two/component.json"}, says: "is not in the revision"},
	"descriptor a symlink":        {change: mode(descriptor("topology.two"), catalogtest.Symlink, "x"), want: []string{"INVALID_SOURCE_AUTHORITY components/topology.two/component.json"}},
	"descriptor no JSON":          {change: put(descriptor("topology.two"), "<<<<<<< HEAD\n"), want: []string{"INVALID_JSON components/topology.two/component.json"}, says: "merge-conflict"},
	"descriptor too large":        {change: put(descriptor("topology.two"), strings.Repeat(" ", catalog.MaxFile+1)), want: []string{"SOURCE_TOO_LARGE components/topology.two/component.json"}},
	"unknown field":               {change: set("topology.two", "hooks", 1), want: []string{"SCHEMA_VALIDATION_FAILED components/topology.two/component.json#/hooks"}, says: "unknown field"},
	"$schema is one":              {change: set("topology.two", "$schema", "x"), want: []string{"SCHEMA_VALIDATION_FAILED components/topology.two/component.json#/$schema"}},
	"version with a point":        {change: set("topology.two", "version", json.RawMessage("1.0")), want: []string{"SCHEMA_VALIDATION_FAILED components/topology.two/component.json#/version"}, says: "1.0"},
	"version 0":                   {change: set("topology.two", "version", 0), want: []string{"SCHEMA_VALIDATION_FAILED components/topology.two/component.json#/version"}},
	"version beyond 64 bits":      {change: set("topology.two", "version", json.RawMessage("9223372036854775808")), want: []string{"SCHEMA_VALIDATION_FAILED components/topology.two/component.json#/version"}},
	"no materials":                {change: set("topology.two", "materials", []any{}), want: []string{"SCHEMA_VALIDATION_FAILED components/topology.two/component.json#/materials"}},
	"requires twice":              {change: set("capability.mcp", "requires", []string{"capability.cli", "capability.cli"}), want: []string{"SCHEMA_VALIDATION_FAILED components/capability.mcp/component.json#/requires"}},
	"another id":                  {change: set("topology.two", "id", "topology.three"), want: []string{"INVALID_COMPONENT components/topology.two/component.json#/id"}, says: `the folder is "topology.two"`},
	"another role":                {change: set("topology.two", "component_role", "workspace"), want: []string{"INVALID_COMPONENT components/topology.two/component.json#/component_role"}},
	"copied without source":       {change: setMaterial("lifecycle.contracts", 0, "ownership", "managed"), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/materials/0", "SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/materials/0/generator"}, says: `lacks the field "source"`},
	"generated with source":       {change: setMaterial("lifecycle.contracts", 0, "source", "x"), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/materials/0/source"}},
	"generated and composed":      {change: setMaterial("lifecycle.contracts", 0, "compose", "include-v1"), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/materials/0/compose"}},
	"composed otherwise":          {change: setMaterial("capability.cli", 0, "compose", "include-v2"), want: []string{"SCHEMA_VALIDATION_FAILED components/capability.cli/component.json#/materials/0/compose"}, says: "include-v1"},
	"owned by nobody":             {change: setMaterial("capability.cli", 0, "ownership", "shared"), want: []string{"SCHEMA_VALIDATION_FAILED components/capability.cli/component.json#/materials/0/ownership"}},
	"parameters_schema is none":   {change: set("capability.cli", "parameters_schema", map[string]any{"properties": map[string]any{"a/b": map[string]any{"type": "text"}}}), want: []string{"SCHEMA_VALIDATION_FAILED components/capability.cli/component.json#/parameters_schema/properties/a~1b/type"}},
	"parameters_schema reads out": {change: set("capability.cli", "parameters_schema", map[string]any{"$ref": "file:///etc/passwd"}), want: []string{"SCHEMA_VALIDATION_FAILED components/capability.cli/component.json#/parameters_schema/$ref"}},
	"parameters_schema a text":    {change: set("capability.cli", "parameters_schema", "x"), want: []string{"SCHEMA_VALIDATION_FAILED components/capability.cli/component.json#/parameters_schema"}},
	"destination absolute":        {change: setMaterial("capability.cli", 0, "destination", "/etc/passwd"), want: []string{"INVALID_DESTINATION components/capability.cli/component.json#/materials/0/destination"}},
	"destination not ASCII":       {change: setMaterial("capability.cli", 0, "destination", "é.md"), want: []string{"INVALID_DESTINATION components/capability.cli/component.json#/materials/0/destination"}, says: `"é.md"`},
	"destination empty":           {change: setMaterial("capability.cli", 0, "destination", ""), want: []string{"INVALID_DESTINATION components/capability.cli/component.json#/materials/0/destination"}},
	"source goes up":              {change: setMaterial("capability.cli", 0, "source", "../x/files/a"), want: []string{"INVALID_DESTINATION components/capability.cli/component.json#/materials/0/source"}, says: `".."`},

	"history without initial":   {change: history(`[{"version":1,"change_type":"additive"}]`), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/version_history/0/change_type"}},
	"history from 2":            {change: history(`[{"version":2,"change_type":"initial"}]`), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/version_history/0/version"}},
	"history empty":             {change: history(`[]`), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/version_history"}},
	"breaking, no migration":    {change: history(`[{"version":1,"change_type":"initial"},{"version":2,"change_type":"breaking"}]`), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/version_history/1"}, says: `"migration"`},
	"additive, with migration":  {change: history(`[{"version":1,"change_type":"initial"},{"version":2,"change_type":"additive","migration":"x"}]`)},
	"history initial twice":     {change: history(`[{"version":1,"change_type":"initial"},{"version":2,"change_type":"initial"}]`), want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/version_history/1/change_type"}},
	"history falls":             {change: history(`[{"version":1,"change_type":"initial"},{"version":3,"change_type":"additive"},{"version":2,"change_type":"additive"}]`), want: []string{"INVALID_COMPONENT components/lifecycle.contracts/component.json#/contract_registrations/0/version_history/2"}},
	"registration id":           {change: func(f catalogtest.Files) { registrationField(f, "id", "a-b") }, want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/id"}},
	"registration document":     {change: func(f catalogtest.Files) { registrationField(f, "document", "contracts/a/b.json") }, want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/document"}},
	"registration schema":       {change: func(f catalogtest.Files) { registrationField(f, "schema", "schemas/a.json") }, want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/schema"}},
	"registration schema token": {change: func(f catalogtest.Files) { registrationField(f, "document_schema_version", json.RawMessage("2e0")) }, want: []string{"SCHEMA_VALIDATION_FAILED components/lifecycle.contracts/component.json#/contract_registrations/0/document_schema_version"}},

	"recipe incomplete":          {change: put("recipes/bare.json", `{"schema_version":1}`), want: repeated("SCHEMA_VALIDATION_FAILED recipes/bare.json", 6)},
	"recipe a symlink":           {change: mode("recipes/bare.json", catalogtest.Symlink, "app.json"), want: []string{"INVALID_SOURCE_AUTHORITY recipes/bare.json"}},
	"recipe with another id":     {change: setRecipe("bare", "id", "bear"), want: []string{"INVALID_RECIPE recipes/bare.json#/id"}},
	"recipe offers a foundation": {change: setRecipe("bare", "optional_components", []string{"foundation.base"}), want: []string{"SCHEMA_VALIDATION_FAILED recipes/bare.json#/optional_components/0"}},
	"recipe lists overlap":       {change: setRecipe("app", "optional_components", []string{"capability.cli"}), want: []string{"INVALID_RECIPE recipes/app.json#/optional_components/0"}, says: `in "default_components", too`},

	"requires itself":          {change: set("capability.mcp", "requires", []string{"capability.mcp"}), want: []string{"INVALID_COMPONENT components/capability.mcp/component.json#/requires/0"}, says: "requires itself"},
	"conflicts with itself":    {change: set("capability.mcp", "conflicts", []string{"capability.mcp"}), want: []string{"INVALID_COMPONENT components/capability.mcp/component.json#/conflicts/0"}},
	"required and conflicting": {change: set("capability.mcp", "conflicts", []string{"capability.cli"}), want: []string{"INVALID_COMPONENT components/capability.mcp/component.json#/conflicts/0"}},
	"unknown requirement":      {change: set("capability.mcp", "requires", []string{"capability.none"}), want: []string{"UNKNOWN_COMPONENT components/capability.mcp/component.json#/requires/0"}, says: `"capability.none"`},
	"unknown conflict":         {change: set("capability.mcp", "conflicts", []string{"capability.none"}), want: []string{"UNKNOWN_COMPONENT components/capability.mcp/component.json#/conflicts/0"}},
	"unknown in a recipe":      {change: setRecipe("bare", "default_components", []string{"capability.none"}), want: []string{"UNKNOWN_COMPONENT recipes/bare.json#/default_components/0"}},
	"unknown artifact":         {change: setRecipe("bare", "artifact", "artifact.none"), want: []string{"INVALID_RECIPE recipes/bare.json#/artifact"}, says: `does not have "artifact.none"`},
	"artifact that is none":    {change: setRecipe("bare", "artifact", "capability.cli"), want: []string{"INVALID_RECIPE recipes/bare.json#/artifact"}, says: "is no artifact"},
	"two topologies":           {change: setRecipe("bare", "default_components", []string{"topology.two", "workspace.one", "topology.one"}), want: []string{"INVALID_RECIPE recipes/bare.json#/default_components/2"}, says: "second topology"},
	"cycle": {change: both(set("capability.cli", "requires", []string{"capability.mcp"}), set("capability.mcp", "requires", []string{"foundation.base", "capability.cli"})), want: []string{"DEPENDENCY_CYCLE components/capability.cli/component.json#/requires/0"},
		says: `"capability.cli" -> "capability.mcp" -> "capability.cli"`},
	"generic requires artifact": {change: set("capability.mcp", "requires", []string{"artifact.app"}), want: []string{"GENERIC_ARTIFACT_DEPENDENCY components/capability.mcp/component.json#/requires/0"}},
	"generic against artifact":  {change: set("capability.mcp", "conflicts", []string{"artifact.app"}), want: []string{"GENERIC_ARTIFACT_DEPENDENCY components/capability.mcp/component.json#/conflicts/0"}},
	"artifact names topology":   {change: set("artifact.app", "conflicts", []string{"topology.one"}), want: []string{"ARTIFACT_TOPOLOGY_DEPENDENCY components/artifact.app/component.json#/conflicts/0"}},
	"artifact needs workspace":  {change: set("artifact.app", "requires", []string{"workspace.one", catalogtest.StateComponent}), want: []string{"ARTIFACT_TOPOLOGY_DEPENDENCY components/artifact.app/component.json#/requires/0"}},
	"no state":                  {change: set("artifact.app", "requires", []string{"foundation.base"}), want: []string{"COMPOSITION_STATE_REQUIRED components/artifact.app/component.json#/requires"}, says: "lifecycle.composition-state"},
	"state through another":     {change: both(set("artifact.app", "requires", []string{"foundation.base"}), set("foundation.base", "requires", []string{catalogtest.StateComponent}))},

	"source missing":      {change: remove("components/capability.cli/files/docs/cli.md"), want: []string{"INVALID_SOURCE_AUTHORITY components/capability.cli/files/docs/cli.md"}, says: "is not in the revision"},
	"source a symlink":    {change: mode("components/capability.cli/files/docs/cli.md", catalogtest.Symlink, "/etc/passwd"), want: []string{"INVALID_SOURCE_AUTHORITY components/capability.cli/files/docs/cli.md"}, says: "is a symlink"},
	"source a submodule":  {change: mode("components/capability.cli/files/docs/cli.md", catalogtest.Submodule, commitID), want: []string{"INVALID_SOURCE_AUTHORITY components/capability.cli/files/docs/cli.md"}},
	"source a folder":     {change: setMaterial("capability.cli", 0, "source", "files/docs"), want: []string{"INVALID_SOURCE_AUTHORITY components/capability.cli/files/docs"}, says: "is a folder"},
	"source below a file": {change: setMaterial("capability.cli", 0, "source", "component.json/x"), want: []string{"INVALID_SOURCE_AUTHORITY components/capability.cli/component.json/x"}, says: "is a file, not a folder"},
	"source below a symlink": {change: func(f catalogtest.Files) {
		drop(f, "components/capability.cli/files/")
		mode("components/capability.cli/files", catalogtest.Symlink, "../capability.mcp/files")(f)
	}, want: []string{"INVALID_SOURCE_AUTHORITY components/capability.cli/files/docs/cli.md"}, says: `"components/capability.cli/files" is a symlink`},
	"source in another case":  {change: setMaterial("capability.cli", 0, "source", "FILES/docs/cli.md"), want: []string{"INVALID_SOURCE_AUTHORITY components/capability.cli/FILES/docs/cli.md"}},
	"unknown generator":       {change: setMaterial("lifecycle.contracts", 0, "generator", "run-anything-v9"), want: []string{"UNKNOWN_GENERATOR components/lifecycle.contracts/component.json#/materials/0/generator"}, says: `use "contract-manifest-v1"`},
	"the descriptor a source": {change: setMaterial("capability.cli", 0, "source", "component.json")},

	"LFS pointer":            {change: put("components/capability.cli/files/docs/cli.md", lfsPointer), want: []string{"SOURCE_LFS_POINTER components/capability.cli/files/docs/cli.md"}, checkOnly: true},
	"text about LFS":         {change: put("components/capability.cli/files/docs/cli.md", lfsPointer+strings.Repeat("x", 1024)), checkOnly: true},
	"reserved":               {change: setMaterial("capability.cli", 0, "destination", ".template-composition/LOCK.json"), want: []string{"RESERVED_DESTINATION components/capability.cli/component.json#/materials/0/destination"}, checkOnly: true},
	"reserved, misspelled":   {change: setMaterial("capability.cli", 0, "destination", ".Template-Composition/notes.md"), want: []string{"RESERVED_DESTINATION components/capability.cli/component.json#/materials/0/destination"}, says: `".Template-Composition/notes.md" spells compose's own folder in another way; that is ".template-composition": write it so, or choose another folder`, checkOnly: true},
	"meets itself":           {change: setMaterial("artifact.app", 1, "destination", "readme.md"), want: []string{"DESTINATION_COLLISION components/artifact.app/component.json#/materials/1/destination"}, checkOnly: true},
	"material not fetched":   {change: missing("components/capability.cli/files/docs/cli.md"), want: []string{"READ_FAILED components/capability.cli/files/docs/cli.md"}, checkOnly: true},
	"descriptor not fetched": {change: missing(descriptor("topology.two")), want: []string{"READ_FAILED components/topology.two/component.json"}},
	"index not fetched":      {change: missing("catalog/catalog.json"), want: []string{"READ_FAILED catalog/catalog.json"}},
	"several, in order":      {change: both(set("artifact.app", "requires", []string{"capability.none"}), set("topology.two", "id", "topology.three"), remove("components/capability.cli/files/docs/cli.md"), put("recipes/stray.json", "")), want: []string{"CATALOG_NOT_CLOSED catalog/catalog.json#/recipes", "INVALID_COMPONENT components/topology.two/component.json#/id", "UNKNOWN_COMPONENT components/artifact.app/component.json#/requires/0", "INVALID_SOURCE_AUTHORITY components/capability.cli/files/docs/cli.md"}},
	"state can't be told":    {change: both(set("artifact.app", "requires", []string{"foundation.base"}), put(descriptor("foundation.base"), "x")), want: []string{"INVALID_JSON components/foundation.base/component.json"}},
	"self is not a cycle":    {change: both(set("capability.cli", "requires", []string{"capability.cli", "capability.mcp"})), want: []string{"INVALID_COMPONENT components/capability.cli/component.json#/requires/0", "DEPENDENCY_CYCLE components/capability.cli/component.json#/requires/1"}},
	"descriptors in order":   {change: both(put(descriptor("workspace.two"), "x"), put(descriptor("capability.cli"), "x"), put("recipes/app.json", "x")), want: []string{"INVALID_JSON components/capability.cli/component.json", "INVALID_JSON components/workspace.two/component.json", "INVALID_JSON recipes/app.json"}},
}

func registrationField(f catalogtest.Files, field string, value any) {
	edit(f, descriptor("lifecycle.contracts"), func(doc map[string]any) {
		doc["contract_registrations"].([]any)[0].(map[string]any)[field] = value
	})
}

func both(changes ...func(catalogtest.Files)) func(catalogtest.Files) {
	return func(f catalogtest.Files) {
		for _, change := range changes {
			change(f)
		}
	}
}

func drop(f catalogtest.Files, prefix string) {
	for path := range f {
		if strings.HasPrefix(path, prefix) {
			delete(f, path)
		}
	}
}

func repeated(text string, n int) []string {
	var list []string
	for range n {
		list = append(list, text)
	}
	return list
}

func TestFaults(t *testing.T) {
	for name, tt := range faults {
		t.Run(name, func(t *testing.T) {
			files := sound().Files()
			tt.change(files)
			source := catalogtest.Source(t, files)
			found, err := catalog.Check(context.Background(), source)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.Code()+" "+f.Path())
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Fatalf("Check found %q\n%v\nwant %q", got, found, tt.want)
			}
			if tt.says != "" && !strings.Contains(found[0].Error(), tt.says) {
				t.Errorf("%q does not say %q", found[0], tt.says)
			}

			c, err := catalog.Load(context.Background(), source)
			if len(tt.want) == 0 || tt.checkOnly {
				if err != nil || len(c.Components) != 10 {
					t.Fatalf("Load = %v, %v", c, err)
				}
				return
			}
			first, ok := err.(*catalog.Error)
			if !ok || first.Error() != found[0].Error() || first.Code() != found[0].Code() {
				t.Errorf("Load says %v, Check first %v", err, found[0])
			}
			file, pointer := first.Where()
			if joined := strings.TrimSuffix(file+"#"+pointer, "#"); joined != first.Path() {
				t.Errorf("Where = %q, %q, Path = %q", file, pointer, first.Path())
			}
		})
	}
}
