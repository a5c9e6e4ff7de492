package catalog_test

import (
	"context"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
)

func TestFile(t *testing.T) {
	files := catalogtest.Catalog{}.Files()
	files.Set("a/text", "bytes\r\n").Set("a/large", strings.Repeat("x", catalog.MaxFile+1))
	files["a/link"] = catalogtest.File{Content: "text", Mode: catalogtest.Symlink}
	files["a/gone"] = catalogtest.File{Content: "gone", Missing: true}
	source := catalogtest.Source(t, files)
	for _, test := range []struct{ path, want, code string }{
		{"a/text", "bytes\r\n", ""},
		{"a/nothing", "", catalog.CodeInvalidSourceAuthority},
		{"a", "", catalog.CodeInvalidSourceAuthority},
		{"a/link", "", catalog.CodeInvalidSourceAuthority},
		{"a/large", "", catalog.CodeSourceTooLarge},
		{"a/gone", "", catalog.CodeReadFailed},
	} {
		b, err := source.File(context.Background(), test.path)
		if string(b) != test.want || test.code == "" && err != nil || test.code != "" && code(err) != test.code {
			t.Errorf("%s: %.20q, %v", test.path, b, err)
		}
	}
}

// A fault knows its line where no pointer leads there.
func TestPosition(t *testing.T) {
	files := catalogtest.Catalog{Components: []catalogtest.Component{
		{ID: "artifact.app", Materials: []catalogtest.Material{{Destination: "a", Content: "x\n\n@<nothing>\n", Compose: "include-v1"}}},
		{ID: "capability.a"},
		{ID: "capability.b"},
	}}.Files()
	files.Set("components/capability.a/component.json", "{\n  \"id\": nothing\n}\n")
	files.Set("components/capability.b/component.json", "{}\n")
	faults, err := catalog.Check(context.Background(), catalogtest.Source(t, files))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]int{}
	for _, f := range faults {
		file, _ := f.Where()
		line, column := f.Position()
		got[file] = [2]int{line, column}
	}
	for file, want := range map[string][2]int{
		"components/capability.a/component.json": {2, 9},
		"components/capability.b/component.json": {0, 0},
		"components/artifact.app/files/a":        {3, 0},
	} {
		if got[file] != want {
			t.Errorf("%s: %v, want %v", file, got[file], want)
		}
	}
}
