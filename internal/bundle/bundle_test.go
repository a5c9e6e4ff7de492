package bundle_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"example.org/compose/internal/bundle"
)

var update = flag.Bool("update", false, "rewrite the stored file")

// stored is the consumer's validator as the starter catalog supplies it.
const stored = "../starter/revisions/1/components/lifecycle.composition-state/files/validate.go.txt"

func generate(t *testing.T) []byte {
	t.Helper()
	b, err := bundle.Generate(bundle.Module{Path: "example.org/compose", Dir: "../..", Program: "example.org/compose/internal/bundle/consumer"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestStoredFileIsUpToDate(t *testing.T) {
	got := generate(t)
	if *update {
		if err := os.WriteFile(stored, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run go generate ./internal/bundle", stored)
	}
}
