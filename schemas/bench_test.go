package schemas_test

import (
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/schemas"
)

// A plan uses four schemas; compiling them must be no part of what it costs.
func BenchmarkCompilePlanSchemas(b *testing.B) {
	var docs []strictjson.Value
	for _, name := range []string{schemas.Catalog, schemas.Component, schemas.Recipe, schemas.Config} {
		doc, err := strictjson.Parse(schemas.Bytes(name), 0)
		if err != nil {
			b.Fatal(err)
		}
		docs = append(docs, doc)
	}
	for b.Loop() {
		for _, doc := range docs {
			if _, err := schemas.Compile(doc); err != nil {
				b.Fatal(err)
			}
		}
	}
}
