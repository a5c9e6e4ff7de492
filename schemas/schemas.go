// Package schemas holds the JSON Schemas (draft 2020-12) of every document that compose reads or
// prints, as files that an editor can use and as a validator.
//
// Start with Validate. A schema is compiled when it is first used. An integer is a token of the form
// -?(0|[1-9][0-9]*): 1.0 and 1e0 are none, here and in a component's own parameters_schema.
//
// The schemas say what the form of a document is. Rules that join several places of it, such as sorted
// lists, portable paths and unique destinations, are checked where the document is read.
package schemas

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/compose/internal/jsonschema"
	"example.org/compose/internal/strictjson"
)

// The schemas, by the base name of their file.
const (
	Catalog        = "catalog"
	Component      = "component"
	Recipe         = "recipe"
	Config         = "composition-config"
	Lock           = "composition-lock"
	Transaction    = "composition-transaction"
	InitialPlan    = "initial-plan"
	UpdatePlan     = "update-plan"
	UpgradePlan    = "upgrade-plan"
	ApplyResult    = "apply-result"
	ValidateResult = "validate-result"
	InspectResult  = "inspect-result"
	CatalogCheck   = "catalog-check-result"
	HashResult     = "hash-result"
	SkillsResult   = "skills-result"
	SkillsPin      = "skills-pin"
	DemoResult     = "demo-result"
	VersionResult  = "version-result"
	ErrorResult    = "error-result"
	Policy         = "policy"
	SourceResolve  = "source-resolve-result"
	SourceList     = "source-list-result"
	CacheResult    = "cache-result"
	GraphResult    = "graph-result"
	ExplainResult  = "explain-result"
	InitResult     = "init-result"
	ScaffoldResult = "scaffold-result"
	HelpResult     = "help-result"
	Completion     = "completion-result"
	ReportResult   = "report-result"
)

// CodeSchemaValidationFailed is the code of a document that breaks its schema.
const CodeSchemaValidationFailed = "SCHEMA_VALIDATION_FAILED"

// Violation is one place where a document breaks its schema: a JSON pointer into the document, the
// keyword that does not hold, and what is wrong.
type Violation = jsonschema.Violation

// Schema is a compiled schema that a catalog brought, such as a component's parameters_schema.
// Its Validate returns every violation, by pointer then rule. Calls may overlap.
type Schema = jsonschema.Schema

// Error says what is wrong with a schema that a catalog brought, and at which JSON pointer.
type Error = jsonschema.Error

const suffix = ".schema.json"

//go:embed *.schema.json
var files embed.FS

// compilations holds the schemas that were asked for, by name: each a func() (*Schema, error) that compiles once.
var compilations sync.Map

func compiled(name string) (*Schema, error) {
	compile, found := compilations.Load(name)
	if !found {
		text := Bytes(name)
		if text == nil {
			return nil, fmt.Errorf("there is no schema %q", name)
		}
		compile, _ = compilations.LoadOrStore(name, sync.OnceValues(func() (*Schema, error) {
			doc, err := strictjson.Parse(text, 0)
			if err != nil {
				return nil, err
			}
			return Compile(doc)
		}))
	}
	return compile.(func() (*Schema, error))()
}

// Validate returns the violations of the named schema, by pointer then rule; none when doc conforms.
// Past 1,000 of them the rest is left out. For an unknown name there is one, with the rule "internal".
func Validate(name string, doc strictjson.Value) []Violation {
	schema, err := compiled(name)
	if err != nil {
		return []Violation{{Rule: "internal", Message: fmt.Sprintf("the schema %s can't be used: %v", name, err)}}
	}
	return schema.ValidateTrusted(doc.Whole())
}

// Bytes returns the text of the named schema, as the file beside this source holds it; nil for an unknown
// name. The caller owns it.
func Bytes(name string) []byte {
	b, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil
	}
	return b
}

// Names returns the names of all schemas, sorted.
func Names() []string {
	list, _ := files.ReadDir(".") // embedded: it can't fail
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = strings.TrimSuffix(f.Name(), suffix)
	}
	slices.Sort(names)
	return names
}

// Compile compiles a schema document of draft 2020-12 that a catalog brought. References to anywhere
// outside the document are refused, so that no file and no network is ever read. The error is an *Error.
func Compile(doc strictjson.Value) (*Schema, error) { return jsonschema.Compile(doc) }
