package planner

import (
	"bytes"
	"context"
	"io"

	"example.org/compose/catalog"
	"example.org/compose/fingerprint"
	"example.org/compose/lockv2"
)

// Material is one file that a composition supplies.
type Material struct {
	Destination lockv2.Destination
	Component   lockv2.ComponentID
	Ownership   lockv2.Ownership
	Executable  bool // the git mode is 100755
	Digest      fingerprint.Material
	Size        int64 // bytes

	source    *catalog.Material // nil for a generated material
	generated []byte
}

// SourcePath returns the path of the source in the catalog, such as components/capability.lint/files/lint.toml; "" for a generated material.
func (m *Material) SourcePath() string {
	if m.source == nil {
		return ""
	}
	return sourcePath(m)
}

// Composed reports whether the source includes other files.
func (m *Material) Composed() bool { return m.source != nil && m.source.Compose != "" }

// Composition is everything that a choice supplies at one revision: what a lock would record and the
// bytes behind it. It is not changed after Materialize.
type Composition struct {
	Lock      lockv2.Lock // the lock of a first composition: seeds with the digests supplied now
	Materials []Material  // by destination

	catalog *catalog.Catalog
	lock    []byte
}

// LockBytes returns the canonical bytes of c.Lock. They are not to be changed.
func (c *Composition) LockBytes() []byte { return c.lock }

// Open streams the bytes of a material of c; those of a composed one are expanded while they are read. Whoever installs them compares their digest with m.Digest.
// Calls may run at once. Errors are those of package catalog.
func (c *Composition) Open(ctx context.Context, m *Material) (io.ReadCloser, error) {
	if m.source == nil {
		return io.NopCloser(bytes.NewReader(m.generated)), nil
	}
	return c.catalog.OpenMaterial(ctx, m.source)
}
