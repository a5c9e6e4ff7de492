package scsha_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"testing/iotest"

	"io"

	"example.org/compose/fingerprint/scsha"
)

type vectors struct {
	TextCases []struct {
		Name   string
		Input  string `json:"input_base64"`
		SHA256 string
		Error  string
	} `json:"text_cases"`
	CompositionCases []struct {
		Name     string
		Manifest struct {
			Schema string
			Nodes  []struct {
				Source source
				SHA256 string
			}
			Edges []struct {
				Parent, Child source
				Occurrence    uint32
			}
		}
		SHA256 string
		Error  string
	} `json:"composition_cases"`
	Relations []struct {
		Cases    []string
		Relation string
	}
}

type source struct {
	Kind  scsha.SourceKind
	Value string
}

func load(t testing.TB) *vectors {
	t.Helper()
	b, err := os.ReadFile("../../testdata/vectors/sc-sha.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return &v
}

func code(err error) string {
	var coded *scsha.Error
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

func TestTextVectors(t *testing.T) {
	v := load(t)
	if len(v.TextCases) == 0 {
		t.Fatal("no cases")
	}
	values := map[string]string{}
	for _, c := range v.TextCases {
		t.Run(c.Name, func(t *testing.T) {
			input, err := base64.StdEncoding.DecodeString(c.Input)
			if err != nil {
				t.Fatal(err)
			}
			got, err := scsha.CalculateHash(input)
			if code(err) != c.Error {
				t.Fatalf("error %v, want code %q", err, c.Error)
			}
			if err == nil && got.String() != c.SHA256 {
				t.Errorf("got %s, want %s", got, c.SHA256)
			}
			values[c.Name] = got.String()

			var streamed scsha.Text
			io.Copy(&streamed, iotest.OneByteReader(bytes.NewReader(input)))
			again, err := streamed.Sum()
			if again != got || code(err) != c.Error {
				t.Errorf("byte by byte: %s, %v; at once: %s", again, err, got)
			}
		})
	}
	checkRelations(t, v, values)
}

func TestCompositionVectors(t *testing.T) {
	v := load(t)
	if len(v.CompositionCases) == 0 {
		t.Fatal("no cases")
	}
	values := map[string]string{}
	for _, c := range v.CompositionCases {
		t.Run(c.Name, func(t *testing.T) {
			m := scsha.Manifest{Schema: c.Manifest.Schema}
			for _, n := range c.Manifest.Nodes {
				m.Nodes = append(m.Nodes, scsha.Node{Source: scsha.Source(n.Source), SHA256: n.SHA256})
			}
			for _, e := range c.Manifest.Edges {
				m.Edges = append(m.Edges, scsha.Edge{Parent: scsha.Source(e.Parent), Child: scsha.Source(e.Child), Occurrence: e.Occurrence})
			}
			got, err := scsha.CalculateCompositionHash(m)
			if code(err) != c.Error {
				t.Fatalf("error %v, want code %q", err, c.Error)
			}
			if err == nil && got.String() != c.SHA256 {
				t.Errorf("got %s, want %s", got, c.SHA256)
			}
			values[c.Name] = got.String()
		})
	}
	checkRelations(t, v, values)
}

// checkRelations checks the relations whose cases all have a value.
func checkRelations(t *testing.T, v *vectors, values map[string]string) {
	checked := 0
	for _, r := range v.Relations {
		distinct := map[string]bool{}
		known := true
		for _, name := range r.Cases {
			_, found := values[name]
			known = known && found
			distinct[values[name]] = true
		}
		if !known {
			continue
		}
		checked++
		want := 1
		if r.Relation == "different" {
			want = len(r.Cases)
		}
		if len(distinct) != want {
			t.Errorf("%v should be %s; there are %d values", r.Cases, r.Relation, len(distinct))
		}
	}
	if checked == 0 {
		t.Error("no relation was checked")
	}
}
