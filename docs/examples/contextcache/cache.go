package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/skillrx"
	"example.org/compose/resolver/include"
)

// Identity is what a rendered text depends on. Each value has a type of its own.
type Identity struct {
	Variables   skillrx.ContextDigest
	Options     skillrx.ContextDigest
	Composition scsha.CompositionDigest
}

// Identify computes the identity anew, from the sources: what a row says is never taken for it.
func Identify(composition *include.Composition, variables, options []byte) (Identity, error) {
	var id Identity
	manifest, err := composition.Manifest()
	if err != nil {
		return id, err
	}
	if id.Composition, err = scsha.CalculateCompositionHash(manifest); err != nil {
		return id, err
	}
	if id.Variables, err = skillrx.ParseContext(variables); err != nil {
		return id, err
	}
	id.Options, err = skillrx.ParseContext(options)
	return id, err
}

// row is one text of a cache. Every value names its domain.
type row struct {
	Variables   string `json:"variables_sha256"`
	Options     string `json:"options_sha256"`
	Composition string `json:"source_composition_sha256"`
	Text        string `json:"text"`
	SHA256      string `json:"rendered_output_sha256"`
}

func newRow(id Identity, text string) row {
	sum := sha256.Sum256([]byte(text))
	return row{id.Variables.String(), id.Options.String(), id.Composition.String(), text, hex.EncodeToString(sum[:])}
}

// Cache keeps texts in a folder, one file each.
type Cache struct{ Folder string }

// place names the file of an identity. The name only finds the row: Restore compares what is in it.
func (c Cache) place(id Identity) string {
	sum := sha256.Sum256([]byte(id.Variables.String() + "\n" + id.Options.String() + "\n" + id.Composition.String()))
	return filepath.Join(c.Folder, hex.EncodeToString(sum[:])+".json")
}

// Restore returns the text of an identity. A row that can't be read, is of another identity, or does not hold the text whose
// hash it has is no row.
func (c Cache) Restore(id Identity) (string, bool) {
	b, err := os.ReadFile(c.place(id))
	if err != nil {
		return "", false
	}
	var r row
	if err := json.Unmarshal(b, &r); err != nil || r != newRow(id, r.Text) {
		return "", false
	}
	return r.Text, true
}

// Store keeps a text, in place of what was there.
func (c Cache) Store(id Identity, text string) error {
	b, err := json.MarshalIndent(newRow(id, text), "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.Folder, "row-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), c.place(id))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
