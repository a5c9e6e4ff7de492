package main

import (
	"bytes"
	"testing"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/skillrx"
	"example.org/compose/internal/strictjson"
	"example.org/compose/schemas"
)

// What is written piece by piece is the one form of the document.
func TestTemplateDocument(t *testing.T) {
	names := []string{"a.md", `"edges": []`, "ü\u2028"}
	var files []skillrx.File
	result := &templateResult{output: scsha.TextDigest{}.String(), withTree: true, manifest: scsha.Manifest{Schema: scsha.ManifestAlgorithm}}
	for i, name := range names {
		result.manifest.Nodes = append(result.manifest.Nodes, scsha.Node{Source: scsha.Source{Kind: scsha.LocalPath, Value: name}, SHA256: scsha.TextDigest{}.String()})
		files = append(files, skillrx.File{Path: name, Includes: names[i+1:]})
	}
	tree, err := skillrx.Compose(files, names[0])
	if err != nil {
		t.Fatal(err)
	}
	result.tree = tree
	for range 3 {
		var out bytes.Buffer
		if err := result.write(&out); err != nil {
			t.Fatal(err)
		}
		doc, err := strictjson.Parse(out.Bytes(), 0)
		if err != nil {
			t.Fatalf("%v:\n%s", err, &out)
		}
		if !bytes.Equal(strictjson.Encode(doc), out.Bytes()) {
			t.Errorf("not the form of docs/json.md:\n%s", &out)
		}
		for _, v := range schemas.Validate(schemas.HashResult, doc) {
			t.Errorf("breaks the schema at %s: %s", v.Pointer, v.Message)
		}
		manifest, _ := doc.Get("manifest")
		if edges, _ := manifest.Get("edges"); len(edges.Items) != len(result.manifest.Edges) {
			t.Errorf("%d edges, want %d", len(edges.Items), len(result.manifest.Edges))
		}
		n := len(result.manifest.Edges)
		result.manifest.Edges = append(result.manifest.Edges, scsha.Edge{Parent: result.manifest.Nodes[n].Source, Child: result.manifest.Nodes[n+1].Source, Occurrence: uint32(n)})
		if n == 1 {
			break
		}
	}
}
