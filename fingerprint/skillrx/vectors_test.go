package skillrx_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"example.org/compose/fingerprint/skillrx"
)

// The vectors hold the graph of each case, so the rule is tested here without any resolver.
func TestVectors(t *testing.T) {
	b, err := os.ReadFile("../../testdata/vectors/skillrx.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Cases []struct {
			Name  string
			Files []struct {
				Path    string
				Content string `json:"content_base64"`
			}
			Start       string
			Context     json.RawMessage
			Composition string `json:"composition_sha256"`
			Tree        map[string]struct {
				Node  string `json:"node_sha"`
				Edges []struct {
					Path       string `json:"include_path"`
					Child      string `json:"child_sha"`
					Occurrence uint32
				}
			}
		}
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Cases) == 0 {
		t.Fatal("no cases")
	}
	values := map[string]string{}
	for _, c := range v.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var files []skillrx.File
			for _, f := range c.Files {
				content, err := base64.StdEncoding.DecodeString(f.Content)
				if err != nil {
					t.Fatal(err)
				}
				file := skillrx.File{Path: f.Path, Node: skillrx.HashNode(f.Path, content)}
				for _, e := range c.Tree[f.Path].Edges {
					file.Includes = append(file.Includes, e.Path)
				}
				files = append(files, file)
			}
			tree, err := skillrx.Compose(files, c.Start)
			if err != nil {
				t.Fatal(err)
			}
			var context *skillrx.ContextDigest
			if c.Context != nil {
				digest, err := skillrx.ParseContext(c.Context)
				if err != nil {
					t.Fatal(err)
				}
				context = &digest
			}
			got := tree.Composition(context).String()
			if got != c.Composition {
				t.Errorf("composition %s, want %s", got, c.Composition)
			}
			if before := values[got]; before != "" {
				t.Errorf("the same value as %s", before)
			}
			values[got] = c.Name
			if len(tree.Nodes) != len(c.Tree) {
				t.Errorf("%d nodes, want %d", len(tree.Nodes), len(c.Tree))
			}
			for _, n := range tree.Nodes {
				want := c.Tree[n.Path]
				if n.Digest.String() != want.Node || len(n.Edges) != len(want.Edges) {
					t.Errorf("%s: node %s, %d edges, want %+v", n.Path, n.Digest, len(n.Edges), want)
					continue
				}
				for i, e := range n.Edges {
					if w := want.Edges[i]; e.Path != w.Path || e.Child.String() != w.Child || e.Occurrence != w.Occurrence {
						t.Errorf("%s: edge %d is %+v, want %+v", n.Path, i, e, w)
					}
				}
			}
		})
	}
}
