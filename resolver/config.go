package resolver

import (
	"fmt"
	"slices"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// Config is a configuration: the normalized choice and the digest of the exact bytes.
type Config struct {
	Intent lockv2.Intent
	Digest fingerprint.Configuration

	Place string // where messages say that the parameters stand: FILE#/json/pointer; "" for an unnamed file's "#/parameters"
}

// parametersPointer leads to the parameters in a configuration file.
const parametersPointer = "#/parameters"

// ParseConfig reads a configuration file; name is what messages call it. include and exclude come back sorted,
// the parameters with the members of every object sorted and number tokens as they were written.
//
// Errors: INVALID_CONFIG for a file past MaxConfig, INVALID_JSON with line and column (also for nesting deeper
// than MaxConfigDepth), SCHEMA_VALIDATION_FAILED with a pointer.
func ParseConfig(name string, b []byte) (Config, error) {
	if len(b) > MaxConfig {
		return Config{}, fault(CodeInvalidConfig, name, nil, "the configuration has %d bytes; it may have at most %d (4 MiB): make it smaller", len(b), MaxConfig)
	}
	doc, err := strictjson.Parse(b, MaxConfigDepth)
	if err != nil {
		return Config{}, &Error{Base: diag.Wrap(CodeInvalidJSON, name, "the configuration is no JSON that compose takes", err)}
	}
	if found := schemas.Validate(schemas.Config, doc); len(found) > 0 {
		return Config{}, schemaFault(name, found)
	}
	intent, bad := parseIntent(doc)
	if bad != nil { // it kept its schema: only a slip there makes this possible
		return Config{}, fault(CodeSchemaValidationFailed, name+"#"+bad.Pointer, nil, "%s", bad.Reason)
	}
	return Config{intent, fingerprint.Of[fingerprint.Configuration](b), name + parametersPointer}, nil
}

// schemaFault reports the first violation and how many more there are.
func schemaFault(name string, found []schemas.Violation) *Error {
	first, path, more := found[0], name, ""
	if first.Pointer != "" {
		path += "#" + first.Pointer
	}
	if n := len(found) - 1; n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	return fault(CodeSchemaValidationFailed, path, nil, "%s (rule %q)%s", first.Message, first.Rule, more)
}

func parseIntent(doc strictjson.Value) (lockv2.Intent, *strictjson.Fault) {
	intent := lockv2.Intent{Parameters: strictjson.Obj()}
	ids := func(f *strictjson.Fields, name string) (list []lockv2.ComponentID) {
		n, found := f.Lookup(name)
		if !found {
			return nil
		}
		n.Items(func(_ int, item strictjson.Node) { list = append(list, lockv2.ComponentID(item.Text())) })
		slices.Sort(list)
		return list
	}
	bad := strictjson.Decode(doc, func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			f.Lookup("$schema")
			f.Get("schema_version")
			intent.Recipe = lockv2.RecipeID(f.Get("recipe").Text())
			if n, found := f.Lookup("components"); found {
				n.Object(func(f *strictjson.Fields) {
					intent.Include = ids(f, "include")
					intent.Exclude = ids(f, "exclude")
				})
			}
			if n, found := f.Lookup("parameters"); found {
				intent.Parameters = n.Value().Sorted()
			}
		})
	})
	return intent, bad
}

// selectionFile is what errors call the file that --recipe stands for.
const selectionFile = "selection"

// FromSelection returns the configuration that --recipe, --include and --exclude stand for: its bytes are the
// canonical JSON of a file with these choices, sorted. The arguments are not changed. Errors: those of
// ParseConfig, about the file "selection".
func FromSelection(recipe string, include, exclude []string) (Config, error) {
	return ParseConfig(selectionFile, SelectionBytes(recipe, include, exclude))
}

// SelectionBytes returns the bytes of the configuration file that FromSelection stands for.
func SelectionBytes(recipe string, include, exclude []string) []byte {
	sorted := func(list []string) strictjson.Value { return strictjson.Strs(slices.Sorted(slices.Values(list))) }
	return strictjson.Encode(strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("recipe", strictjson.Str(recipe)),
		strictjson.F("components", strictjson.Obj(
			strictjson.F("include", sorted(include)),
			strictjson.F("exclude", sorted(exclude)))),
		strictjson.F("parameters", strictjson.Obj())))
}
