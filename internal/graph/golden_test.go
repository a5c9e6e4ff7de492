package graph_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// docsPicture is the picture in docs/graph.md.
const docsPicture = "../../docs/graph.svg"

// The pictures that have been looked at, at 5, 15 and 50 components.
func TestGolden(t *testing.T) {
	for name, m := range samples() {
		for suffix, draw := range pictures() {
			if suffix == "json" {
				continue
			}
			golden(t, filepath.Join("testdata", name+"."+suffix), draw(m))
		}
	}
	golden(t, docsPicture, samples()["medium"].SVG())
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at the new picture, then run go test -update", file)
	}
}
