package include_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/skillrx"
	"example.org/compose/resolver/include"
)

type entry struct {
	Path    string
	Content string `json:"content_base64"`
	Symlink string `json:"symlink_to"`
	Dir     bool
}

// lay writes the files of a case below root.
func lay(t testing.TB, root string, entries []entry) {
	t.Helper()
	for _, e := range entries {
		full := filepath.Join(root, filepath.FromSlash(e.Path))
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		content, err := base64.StdEncoding.DecodeString(e.Content)
		must(t, err)
		switch {
		case e.Dir:
			err = os.MkdirAll(full, 0o755)
		case e.Symlink != "":
			err = os.Symlink(e.Symlink, full)
		default:
			err = os.WriteFile(full, content, 0o644)
		}
		must(t, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fault returns code and chain of an error.
func fault(err error) (code string, chain []string) {
	var e *include.Error
	if errors.As(err, &e) {
		return e.Code(), e.Chain
	}
	return fmt.Sprint(err), nil
}

// expansion returns the text of a composition.
func expansion(t testing.TB, c *include.Composition) string {
	t.Helper()
	var text strings.Builder
	must(t, c.Expand(&text))
	if int64(text.Len()) != c.Size() {
		t.Errorf("%d bytes, foretold %d", text.Len(), c.Size())
	}
	return text.String()
}

// resolve resolves a file of real folders.
func resolve(t testing.TB, opt include.FolderOptions, start string, how include.Options) (*include.Composition, error) {
	t.Helper()
	folder, err := include.OpenFolder(opt)
	must(t, err)
	t.Cleanup(func() { folder.Close() })
	at, err := folder.Start(filepath.Join(opt.Root, filepath.FromSlash(start)))
	must(t, err)
	return include.Resolve(t.Context(), folder, at, how)
}

func read(t testing.TB, name string, v any) {
	t.Helper()
	b, err := os.ReadFile("../../testdata/vectors/" + name)
	must(t, err)
	must(t, json.Unmarshal(b, v))
}

func TestIncludeVectors(t *testing.T) {
	var v struct {
		Cases []struct {
			Name        string
			Files       []entry
			Outside     []entry `json:"files_outside_root"`
			Start       string
			Depth       int    `json:"max_depth"`
			Text        string `json:"text_base64"`
			Nodes       [][2]string
			Edges       [][3]any
			Composition string `json:"composition_sha256"`
			Error       string
			Chain       []string
		} `json:"include_cases"`
	}
	read(t, "sc-sha.json", &v)
	if len(v.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range v.Cases {
		t.Run(c.Name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			must(t, os.Mkdir(root, 0o755))
			lay(t, root, c.Files)
			lay(t, root, c.Outside)
			composition, err := resolve(t, include.FolderOptions{Root: root}, c.Start, include.Options{Depth: c.Depth})
			if c.Error != "" {
				if code, chain := fault(err); code != c.Error || c.Chain != nil && !slices.Equal(chain, c.Chain) {
					t.Errorf("error %v with chain %q, want %s with %q", err, chain, c.Error, c.Chain)
				}
				return
			}
			must(t, err)
			manifest, err := composition.Manifest()
			must(t, err)
			var nodes [][2]string
			for _, n := range manifest.Nodes {
				nodes = append(nodes, [2]string{n.Source.Value, n.SHA256})
			}
			edges := [][3]any{}
			for _, e := range manifest.Edges {
				edges = append(edges, [3]any{e.Parent.Value, e.Child.Value, float64(e.Occurrence)})
			}
			if !slices.Equal(nodes, c.Nodes) {
				t.Errorf("nodes %v, want %v", nodes, c.Nodes)
			}
			if !slices.Equal(edges, c.Edges) {
				t.Errorf("edges %v, want %v", edges, c.Edges)
			}
			value, err := scsha.CalculateCompositionHash(manifest)
			if err != nil || value.String() != c.Composition {
				t.Errorf("composition %s, %v; want %s", value, err, c.Composition)
			}
			want, err := base64.StdEncoding.DecodeString(c.Text)
			must(t, err)
			if got := expansion(t, composition); got != string(want) {
				t.Errorf("text %q, want %q", got, want)
			}
		})
	}
}

func TestSkillrxVectors(t *testing.T) {
	var v struct {
		Cases []struct {
			Name        string
			Files       []entry
			Start       string
			Context     json.RawMessage
			Composition string `json:"composition_sha256"`
		}
	}
	read(t, "skillrx.json", &v)
	for _, c := range v.Cases {
		t.Run(c.Name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, c.Files)
			composition, err := resolve(t, include.FolderOptions{Root: root}, c.Start, include.Options{})
			must(t, err)
			tree, err := composition.Tree()
			must(t, err)
			var context *skillrx.ContextDigest
			if c.Context != nil {
				digest, err := skillrx.ParseContext(c.Context)
				must(t, err)
				context = &digest
			}
			if got := tree.Composition(context).String(); got != c.Composition {
				t.Errorf("got %s, want %s", got, c.Composition)
			}
		})
	}
}
