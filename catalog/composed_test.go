package catalog_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
)

const guideFolder = "components/capability.guide/"

// guide is a catalog with one composed material, files/guide.md, of this text.
func guide(text string, more map[string]catalogtest.File) catalogtest.Files {
	files := catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app"},
			{ID: "capability.guide", Materials: []catalogtest.Material{{Destination: "guide.md", Compose: "include-v1", Content: text}}},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Default: []string{"capability.guide"}}},
	}.Files()
	for name, file := range more {
		files[name] = file
	}
	return files
}

func TestComposed(t *testing.T) {
	file := func(text string) catalogtest.File { return catalogtest.File{Content: text} }
	link := func(to string) catalogtest.File { return catalogtest.File{Content: to, Mode: catalogtest.Symlink} }
	const source = guideFolder + "files/guide.md"
	for _, tt := range []struct {
		name, text string
		more       map[string]catalogtest.File
		want       string // the expansion, or CODE FILE CHAIN
	}{
		{"beside the file before all else", "@<a.md>\n", map[string]catalogtest.File{guideFolder + "files/a.md": file("1"), guideFolder + "a.md": file("2")}, "1"},
		{"in the component", "@<a.md>\n", map[string]catalogtest.File{guideFolder + "a.md": file("2")}, "2"},
		{"a folder called partials in the component", "@<partials/a.md>\n", map[string]catalogtest.File{guideFolder + "partials/a.md": file("1"), "partials/a.md": file("2")}, "1"},
		{"in partials", "@<partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": file("2")}, "2"},
		{"partials by the way up", "@<../../../partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": file("2")}, "2"},
		{"a partial beside itself, then in partials", "@<partials/x/a.md>\n", map[string]catalogtest.File{
			"partials/x/a.md": file("@<b.md>\n@<c.md>\n@<partials/d.md>\n"), "partials/x/b.md": file("b"), "partials/b.md": file("!"), "partials/c.md": file("c"), "partials/d.md": file("d")}, "bcd"},
		{"front matter and BOM stay", "\ufeff---\n@<a.md>\n---\n", map[string]catalogtest.File{guideFolder + "a.md": file("\ufeff---\nx\n---\n")}, "\ufeff---\n\ufeff---\nx\n---\n---\n"},
		{"a quoted path", "@<{{ \"a.md\" }}>\n", map[string]catalogtest.File{guideFolder + "a.md": file("2")}, "2"},
		{"the descriptor too", "@<x/../component.json.md>\n", map[string]catalogtest.File{guideFolder + "x/y": file(""), guideFolder + "component.json.md": file("3")}, "3"},

		{"a partial does not reach the component", "@<partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": file("@<own.md>\n"), guideFolder + "own.md": file("")}, "ERR_INCLUDE_NOT_FOUND partials/a.md " + source + " partials/a.md"},
		{"another component", "@<../../artifact.app/component.json>\n", nil, "ERR_INCLUDE_ESCAPE " + source + " " + source},
		{"another component through partials", "@<partials/../components/artifact.app/component.json>\n", map[string]catalogtest.File{"partials/a.md": file("")}, "ERR_INCLUDE_ESCAPE " + source + " " + source},
		{"out of the repository", "@<../../../../../x>\n", nil, "ERR_INCLUDE_ESCAPE " + source + " " + source},
		{"absolute", "@</partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": file("")}, "ERR_INCLUDE_ESCAPE " + source + " " + source},
		{"no partials at all", "@<partials/a.md>\n", nil, "ERR_INCLUDE_NOT_FOUND " + source + " " + source},
		{"a file as a folder", "@<guide.md/x>\n", nil, "ERR_INCLUDE_NOT_FOUND " + source + " " + source},
		{"a folder", "@<partials>\n@<../files>\n", nil, "ERR_INCLUDE_NOT_FOUND " + source + " " + source},
		{"the folder itself", "@<../files>\n", nil, "ERR_INCLUDE_IS_A_DIRECTORY " + guideFolder + "files " + source + " " + guideFolder + "files"},
		{"a symlink", "@<a.md>\n", map[string]catalogtest.File{guideFolder + "a.md": file("2"), guideFolder + "files/a.md": link("../a.md")}, "INVALID_SOURCE_AUTHORITY " + source + " " + source},
		{"through a symlink", "@<l/a.md>\n", map[string]catalogtest.File{guideFolder + "l": link(".")}, "INVALID_SOURCE_AUTHORITY " + source + " " + source},
		{"a submodule", "@<partials/sub/a.md>\n", map[string]catalogtest.File{"partials/sub": {Content: strings.Repeat("1", 40), Mode: catalogtest.Submodule}}, "INVALID_SOURCE_AUTHORITY " + source + " " + source},
		{"a missing object", "@<partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": {Content: "2", Missing: true}}, "READ_FAILED partials/a.md " + source + " partials/a.md"},
		{"a pointer of Git LFS", "@<partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": file("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 1\n")}, "SOURCE_LFS_POINTER partials/a.md " + source + " partials/a.md"},
		{"not UTF-8", "@<partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": file("\xff")}, "ERR_CONFIG_READ partials/a.md " + source + " partials/a.md"},
		{"itself not UTF-8", "\xff\n", nil, "ERR_CONFIG_READ " + source + " " + source},
		{"a conditional", "@<{{ \"a.md\" if x else \"a.md\" }}>\n", map[string]catalogtest.File{guideFolder + "a.md": file("")}, "ERR_INCLUDE_DYNAMIC_UNRESOLVED " + source + " " + source},
		{"a cycle", "@<partials/a.md>\n", map[string]catalogtest.File{"partials/a.md": file("@<b.md>\n"), "partials/b.md": file("@<a.md>\n")}, "ERR_INCLUDE_CYCLE partials/b.md " + source + " partials/a.md partials/b.md partials/a.md"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := catalogtest.Source(t, guide(tt.text, tt.more))
			cat, err := catalog.Load(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			m := &cat.Component("capability.guide").Materials[0]
			got := ""
			if r, err := cat.OpenMaterial(t.Context(), m); err == nil {
				b, err := io.ReadAll(r)
				if err != nil {
					t.Fatal(err)
				}
				got = string(b)
			} else {
				got = described(t, err)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			// The check says the same.
			faults, err := catalog.Check(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(tt.want, guideFolder+"files") != (len(faults) == 1) {
				t.Fatalf("faults %v", faults)
			}
			if len(faults) == 1 {
				if got := described(t, faults[0]); got != tt.want {
					t.Errorf("the check has %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// described is CODE FILE CHAIN of an error of a composed material.
func described(t *testing.T, err error) string {
	t.Helper()
	fault, ok := err.(*catalog.Error)
	if !ok {
		t.Fatalf("error %v", err)
	}
	file, _ := fault.Where()
	text := fault.Code() + " " + file
	for _, m := range fault.Details() {
		for _, name := range m.Value.Items {
			if !strings.Contains(fault.Error(), name.Text) {
				t.Errorf("%q does not name %s", fault.Error(), name.Text)
			}
			text += " " + name.Text
		}
	}
	return text
}

// A lattice is refused by the check and by planning alike, at once.
func TestComposedLattice(t *testing.T) {
	more := map[string]catalogtest.File{"partials/30.md": {Content: "x\n"}}
	for i := range 30 {
		more[fmt.Sprintf("partials/%d.md", i)] = catalogtest.File{Content: strings.Repeat(fmt.Sprintf("@<%d.md>\n", i+1), 2)}
	}
	src := catalogtest.Source(t, guide("@<partials/0.md>\n", more))
	faults, err := catalog.Check(t.Context(), src)
	if err != nil || len(faults) != 1 || faults[0].Code() != "ERR_INCLUDE_TOO_LARGE" {
		t.Fatalf("faults %v, %v", faults, err)
	}
	cat, err := catalog.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cat.OpenMaterial(t.Context(), &cat.Component("capability.guide").Materials[0]); code(err) != "ERR_INCLUDE_TOO_LARGE" {
		t.Errorf("error %v", err)
	}
}
