package resolver_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/resolver"
)

func TestParseConfig(t *testing.T) {
	text := `{ "$schema": "x", "schema_version": 1, "recipe": "app",
		"components": {"exclude": ["topology.b", "capability.a"], "include": ["workspace.z", "lifecycle.y"]},
		"parameters": {"capability.b": {"z": 1.50, "a": {"é": null, "b": [3, {"y": 1, "x": -0.0}]}}, "artifact.a": {}}}`
	config, err := resolver.ParseConfig("c.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	in := config.Intent
	if got := fmt.Sprint(in.Recipe, in.Include, in.Exclude); got != "app[lifecycle.y workspace.z] [capability.a topology.b]" {
		t.Error(got)
	}
	want := `{"artifact.a":{},"capability.b":{"a":{"b":[3,{"x":-0.0,"y":1}],"é":null},"z":1.50}}`
	if got := string(strictjson.AppendCompact(nil, in.Parameters)); got != want {
		t.Errorf("parameters %s", got)
	}
	sum := sha256.Sum256([]byte(text))
	if config.Digest.String() != hex.EncodeToString(sum[:]) {
		t.Errorf("digest %v", config.Digest)
	}

	small, err := resolver.ParseConfig("c.json", []byte(`{"schema_version":1,"recipe":"app"}`))
	if err != nil || small.Intent.Include != nil || small.Intent.Exclude != nil || small.Intent.Parameters.Kind != strictjson.Object {
		t.Errorf("%+v, %v", small, err)
	}
}

func TestParseConfigRefuses(t *testing.T) {
	deep := func(n int) string {
		return `{"schema_version":1,"recipe":"app","parameters":{"artifact.a":{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}}`
	}
	with := func(text string) string { return `{"schema_version":1,"recipe":"app",` + text + `}` }
	tests := map[string]struct{ text, code, path string }{
		"nothing":                 {``, "INVALID_JSON", "c.json"},
		"twice":                   {with(`"recipe":"b"`), "INVALID_JSON", "c.json"},
		"BOM":                     {"\xef\xbb\xbf" + with(`"parameters":{}`), "INVALID_JSON", "c.json"},
		"more behind":             {with(`"parameters":{}`) + "{}", "INVALID_JSON", "c.json"},
		"NaN":                     {with(`"parameters":{"artifact.a":{"x":NaN}}`), "INVALID_JSON", "c.json"},
		"lone surrogate":          {with(`"parameters":{"artifact.a":{"x":"\ud800"}}`), "INVALID_JSON", "c.json"},
		"nests 32 deep":           {deep(29), "", ""},
		"nests 33 deep":           {deep(30), "INVALID_JSON", "c.json"},
		"large":                   {with(`"parameters":{}`) + strings.Repeat(" ", resolver.MaxConfig), "INVALID_CONFIG", "c.json"},
		"an array":                {`[]`, "SCHEMA_VALIDATION_FAILED", "c.json"},
		"null":                    {`null`, "SCHEMA_VALIDATION_FAILED", "c.json"},
		"no recipe":               {`{"schema_version":1}`, "SCHEMA_VALIDATION_FAILED", "c.json"},
		"version 2":               {`{"schema_version":2,"recipe":"app"}`, "SCHEMA_VALIDATION_FAILED", "c.json#/schema_version"},
		"version 1.0":             {`{"schema_version":1.0,"recipe":"app"}`, "SCHEMA_VALIDATION_FAILED", "c.json#/schema_version"},
		"version true":            {`{"schema_version":true,"recipe":"app"}`, "SCHEMA_VALIDATION_FAILED", "c.json#/schema_version"},
		"unknown field":           {with(`"extra":1`), "SCHEMA_VALIDATION_FAILED", "c.json#/extra"},
		"another letter case":     {with(`"Parameters":{}`), "SCHEMA_VALIDATION_FAILED", "c.json#/Parameters"},
		"unknown list":            {with(`"components":{"add":[]}`), "SCHEMA_VALIDATION_FAILED", "c.json#/components/add"},
		"an artifact":             {with(`"components":{"include":["artifact.a"]}`), "SCHEMA_VALIDATION_FAILED", "c.json#/components/include/0"},
		"a foundation":            {with(`"components":{"exclude":["foundation.a"]}`), "SCHEMA_VALIDATION_FAILED", "c.json#/components/exclude/0"},
		"the same twice":          {with(`"components":{"include":["capability.a","capability.b","capability.a"]}`), "SCHEMA_VALIDATION_FAILED", "c.json#/components/include"},
		"recipe is no name":       {`{"schema_version":1,"recipe":"App"}`, "SCHEMA_VALIDATION_FAILED", "c.json#/recipe"},
		"parameters of no id":     {with(`"parameters":{"cli":{}}`), "SCHEMA_VALIDATION_FAILED", "c.json#/parameters/cli"},
		"parameters no object":    {with(`"parameters":{"capability.a":1}`), "SCHEMA_VALIDATION_FAILED", "c.json#/parameters/capability.a"},
		"parameters null":         {with(`"parameters":null`), "SCHEMA_VALIDATION_FAILED", "c.json#/parameters"},
		"a number of any size":    {with(`"parameters":{"capability.a":{"x":1e999999999}}`), "", ""},
		"an integer of any size":  {with(`"parameters":{"capability.a":{"x":` + strings.Repeat("9", 1_000_000) + `}}`), "", ""},
		"a version of any size":   {`{"schema_version":` + strings.Repeat("9", 1_000_000) + `,"recipe":"app"}`, "SCHEMA_VALIDATION_FAILED", "c.json#/schema_version"},
		"a version, exponent big": {`{"schema_version":1e999999999,"recipe":"app"}`, "SCHEMA_VALIDATION_FAILED", "c.json#/schema_version"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := resolver.ParseConfig("c.json", []byte(tt.text))
			if tt.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var e *resolver.Error
			if !errors.As(err, &e) || e.Code() != tt.code || e.Path() != tt.path {
				t.Errorf("got %v; want %s at %s", err, tt.code, tt.path)
			}
		})
	}
}

func TestFromSelection(t *testing.T) {
	include := []string{"workspace.b", "capability.a"}
	config, err := resolver.FromSelection("app", include, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "schema_version": 1,
  "recipe": "app",
  "components": {
    "include": [
      "capability.a",
      "workspace.b"
    ],
    "exclude": []
  },
  "parameters": {}
}
`
	if got := string(resolver.SelectionBytes("app", include, nil)); got != want || include[0] != "workspace.b" {
		t.Errorf("bytes %s", got)
	}
	parsed, err := resolver.ParseConfig("selection", []byte(want))
	if err != nil || parsed.Digest != config.Digest || fmt.Sprint(parsed) != fmt.Sprint(config) {
		t.Errorf("%+v, %v", parsed, err)
	}
	for _, bad := range [][]string{{"artifact.a"}, {"capability.a", "capability.a"}, {"x\xff"}} {
		if _, err := resolver.FromSelection("app", bad, nil); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// What is parsed is normal: parsed again from its own form it is the same, and Resolve takes it.
func FuzzParseConfig(f *testing.F) {
	for _, text := range []string{
		`{"schema_version":1,"recipe":"app"}`,
		`{"schema_version":1,"recipe":"app","components":{"include":["topology.two"],"exclude":["topology.one"]},"parameters":{"capability.cli":{"port":1,"names":[]}}}`,
		`{"schema_version":1,"recipe":"other","parameters":{"artifact.other":{"b":1.0,"a":[{"d":1,"c":2}]}}}`,
		`{"schema_version":1,"schema_version":1}`, "\xef\xbb\xbf{}", `{"recipe":"\ud800"}`, `{} {}`,
	} {
		f.Add([]byte(text))
	}
	c := platform(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		config, err := resolver.ParseConfig("c.json", b)
		if err != nil {
			var e *resolver.Error
			if !errors.As(err, &e) || e.Code() == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		in := config.Intent
		again, err := resolver.ParseConfig("c.json", strictjson.Encode(strictjson.Obj(
			strictjson.F("schema_version", strictjson.Int(1)), strictjson.F("recipe", strictjson.Str(in.Recipe)),
			strictjson.F("components", strictjson.Obj(strictjson.F("include", strictjson.Strs(in.Include)), strictjson.F("exclude", strictjson.Strs(in.Exclude)))),
			strictjson.F("parameters", in.Parameters))))
		if err != nil || fmt.Sprint(again.Intent) != fmt.Sprint(in) {
			t.Errorf("%v, then %v, %v", in, again.Intent, err)
		}
		resolver.Resolve(c, config)
	})
}
