package planner

import (
	"bytes"
	"context"
	"io"
	"slices"

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
	known     bool // the bytes stand in the target, so that size and digest are known without reading the source
}

// SourcePath returns the path of the source in the catalog, such as components/capability.lint/files/lint.toml; "" for a generated material.
func (m *Material) SourcePath() string {
	if m.source == nil {
		return ""
	}
	return sourcePath(m)
}

// Copied reports whether the bytes are those of one blob.
func (m *Material) Copied() bool { return m.source != nil && m.source.Compose == "" }

// Composed reports whether the source includes other files.
func (m *Material) Composed() bool { return m.source != nil && m.source.Compose != "" }

// Composition is everything that a choice supplies at one revision: what a lock would record and the
// bytes behind it. It is not changed after Materialize.
type Composition struct {
	Lock      lockv2.Lock // the lock of a first composition: seeds with the digests supplied now
	Materials []Material  // by destination

	catalog *catalog.Catalog
	digest  fingerprint.LockFile // of the lock's bytes
}

// LockBytes returns the canonical bytes of c.Lock, made anew by each call.
func (c *Composition) LockBytes() []byte { return lockBytes(&c.Lock) }

// CanLeaveOut reports whether the same recipe has a choice without the component that is otherwise this one: the recipe has it by default or
// as an option, and no other component requires it.
func (c *Composition) CanLeaveOut(id lockv2.ComponentID) bool {
	recipe := c.catalog.Recipe(c.Lock.Intent.Recipe)
	if recipe == nil || !slices.Contains(recipe.Default, id) && !slices.Contains(recipe.Optional, id) {
		return false
	}
	return !slices.ContainsFunc(c.Lock.Components, func(other lockv2.Component) bool {
		at := c.catalog.Component(other.ID)
		return at != nil && slices.Contains(at.Requires, id)
	})
}

// Open streams the bytes of a material of c; those of a composed one are expanded while they are read. Whoever installs them compares their digest with m.Digest.
// Calls may run at once. Errors are those of package catalog.
func (c *Composition) Open(ctx context.Context, m *Material) (io.ReadCloser, error) {
	if m.source == nil {
		return io.NopCloser(bytes.NewReader(m.generated)), nil
	}
	return c.catalog.OpenMaterial(ctx, m.source)
}
