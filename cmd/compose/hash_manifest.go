package main

import (
	"errors"
	"fmt"
	"math"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/resolver/include"
)

type hashManifestCommand struct {
	checkFlag
	File string `arg:"" name:"file" help:"A manifest: schema, nodes and edges as JSON."`
}

func (c *hashManifestCommand) Help() string {
	return "The manifest comes resolved, from hash template or from another tool: nodes with their text values, edges, both in its order. docs/identities.md has the form and the rule."
}

func (c *hashManifestCommand) Run(s *session) error {
	if err := c.check(""); err != nil {
		return err
	}
	b, err := readFile(s.ctx, c.File, include.MaxText)
	if err != nil {
		return err
	}
	manifest, err := parseManifest(c.File, b)
	if err != nil {
		return err
	}
	digest, err := scsha.CalculateCompositionHash(manifest)
	if fault := (*scsha.Error)(nil); errors.As(err, &fault) {
		return &commandError{diag.Wrap(fault.Code(), c.File, "the manifest has no value", err)}
	}
	if err != nil {
		return err
	}
	matches := c.against(digest.String())
	doc := strictjson.Obj(append([]strictjson.Member{
		strictjson.F("algorithm", strictjson.Str(scsha.ManifestAlgorithm)),
		strictjson.F("digest", strictjson.Str(digest.String())),
	}, matchMembers(matches)...)...)
	return s.answer(doc, func(w *textWriter) {
		if matchExit(matches) != exitDone {
			w.line("%s %s  %s (another value)", bad("!"), digest, c.File)
			return
		}
		w.line("%s  %s", digest, c.File)
	}, matchExit(matches))
}

// parseManifest reads a manifest. What is no JSON is INVALID_JSON, what has another form SC_SHA_INVALID_MANIFEST; the values
// themselves are package scsha's to judge.
func parseManifest(name string, b []byte) (scsha.Manifest, error) {
	var m scsha.Manifest
	if len(b) > include.MaxText {
		return m, &commandError{diag.New(scsha.CodeInvalidManifest, name, fmt.Sprintf("has more than %d bytes; split the composition up", include.MaxText))}
	}
	doc, err := strictjson.Parse(b, 0)
	if form := (*strictjson.Error)(nil); errors.As(err, &form) {
		return m, &commandError{diag.New(form.Code(), name, form.Error())}
	}
	if err != nil {
		return m, err
	}
	source := func(n strictjson.Node) (s scsha.Source) {
		n.Object(func(f *strictjson.Fields) {
			s.Kind = scsha.SourceKind(f.Get("kind").Text())
			s.Value = f.Get("value").Text()
		})
		return s
	}
	bad := strictjson.Decode(doc, func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			m.Schema = f.Get("schema").Text()
			nodes, edges := f.Get("nodes"), f.Get("edges")
			m.Nodes, m.Edges = make([]scsha.Node, 0, nodes.Len()), make([]scsha.Edge, 0, edges.Len())
			nodes.Items(func(_ int, n strictjson.Node) {
				n.Object(func(f *strictjson.Fields) {
					m.Nodes = append(m.Nodes, scsha.Node{Source: source(f.Get("source")), SHA256: f.Get("sha256").Text()})
				})
			})
			edges.Items(func(_ int, n strictjson.Node) {
				n.Object(func(f *strictjson.Fields) {
					edge := scsha.Edge{Parent: source(f.Get("parent")), Child: source(f.Get("child"))}
					occurrence := f.Get("occurrence")
					count := occurrence.Int()
					if count < 0 || count > math.MaxUint32 {
						occurrence.Fail("is %d; want 0 to %d", count, uint32(math.MaxUint32))
					}
					edge.Occurrence = uint32(count)
					m.Edges = append(m.Edges, edge)
				})
			})
		})
	})
	if bad != nil {
		return m, &commandError{diag.New(scsha.CodeInvalidManifest, name+"#"+bad.Pointer, bad.Reason)}
	}
	return m, nil
}
