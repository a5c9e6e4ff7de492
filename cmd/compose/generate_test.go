package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/manual"
	"example.org/compose/schemas"
)

// The man pages and the pages of docs/reference are what the code says. go test -update rewrites them.
func TestGenerated(t *testing.T) {
	program, err := described(nil)
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t, filepath.Join("..", "..", "man"), program.Pages())
	inFolder(t, filepath.Join(docsFolder, "reference"), []manual.File{
		{Name: "cli.md", Text: program.Reference()},
		{Name: "schemas.md", Text: manual.SchemaReference(describedSchemas(t))},
	})
}

// inFolder wants the files in a folder, and no others.
func inFolder(t *testing.T, folder string, files []manual.File) {
	t.Helper()
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f.Name] = true
		name := filepath.Join(folder, f.Name)
		got, err := os.ReadFile(name)
		switch {
		case err == nil && bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), []byte(f.Text)):
		case !*update:
			t.Errorf("%s is not what the code says; go test ./cmd/compose -run TestGenerated -update writes it", name)
		default:
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(f.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if wanted[e.Name()] {
			continue
		}
		if !*update {
			t.Errorf("%s: nothing in the code makes it", filepath.Join(folder, e.Name()))
		} else if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// describedSchemas reads what the schemas say of themselves, and from docs/cli.md which command prints each.
func describedSchemas(t *testing.T) []manual.Schema {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(docsFolder, "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string][]string{}
	for _, row := range commandRow.FindAllStringSubmatch(string(page), -1) {
		for _, name := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row[2], -1) {
			if of := printed[name[1]]; !slices.Contains(of, "compose "+row[1]) {
				printed[name[1]] = append(of, "compose "+row[1])
			}
		}
	}
	printed[schemas.ErrorResult] = []string{"compose"}
	var list []manual.Schema
	for _, name := range schemas.Names() {
		var head struct{ Title, Description string }
		if err := json.Unmarshal(schemas.Bytes(name), &head); err != nil {
			t.Fatal(err)
		}
		list = append(list, manual.Schema{Name: name, Title: head.Title, About: head.Description, From: printed[name]})
	}
	return list
}

// Every document that is named a result or a plan is printed by a command.
func TestSchemasArePrinted(t *testing.T) {
	for _, s := range describedSchemas(t) {
		if printed := strings.HasSuffix(s.Name, "-result") || strings.HasSuffix(s.Name, "-plan"); printed && len(s.From) == 0 {
			t.Errorf("docs/cli.md names no command that prints %s", s.Name)
		}
	}
}
