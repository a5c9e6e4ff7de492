package catalog

import (
	"bytes"
	"context"
	"io"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
)

// findMaterials finds the blob of every source.
func (l *loader) findMaterials() error {
	return l.eachMaterial(func(c *Component, i int, m *Material) error {
		if m.Generator != "" {
			if m.Generator != GeneratorContractManifestV1 {
				return fault(CodeUnknownGenerator, c.file(), item("materials", i)+"/generator", "there is no generator %q; use %q", short(m.Generator), GeneratorContractManifestV1)
			}
			return nil
		}
		if m.path == "" {
			return nil // its source is no path, which is a fault already
		}
		entry, err := l.trees.regular(l.ctx, m.path)
		if err != nil {
			return err
		}
		m.Blob, m.Executable = entry.ID, entry.Mode == gitrepo.Executable
		return nil
	})
}

// eachMaterial calls work for every material, the components on all cores, and adds the faults that it returns.
func (l *loader) eachMaterial(work func(c *Component, i int, m *Material) error) error {
	return l.each(len(l.components), func(k int) (faults []*Error, err error) {
		c := l.components[k]
		if c == nil {
			return nil, nil
		}
		for i := range c.Materials {
			err := work(c, i, &c.Materials[i])
			if fault, ok := err.(*Error); ok {
				faults = append(faults, fault)
			} else if err != nil {
				return nil, err
			}
		}
		return faults, nil
	})
}

// checkDestinations finds destinations that stop every composition with this component.
func (l *loader) checkDestinations() error {
	return l.each(len(l.components), func(k int) (faults []*Error, err error) {
		c := l.components[k]
		if c == nil {
			return nil, nil
		}
		list := make([]lockv2.Destination, len(c.Materials))
		for i := range c.Materials {
			switch list[i] = c.Materials[i].Destination; {
			case list[i].Misspelled():
				faults = append(faults, fault(CodeReservedDestination, c.file(), item("materials", i)+"/destination", "%q spells compose's own folder in another way; that is %q: write it so, or choose another folder", list[i], lockv2.StateFolder))
			case list[i].Reserved():
				faults = append(faults, fault(CodeReservedDestination, c.file(), item("materials", i)+"/destination", "%q is the composer's own; choose another destination", list[i]))
			}
		}
		for _, meet := range lockv2.Collisions(list) {
			faults = append(faults, fault(CodeDestinationCollision, c.file(), item("materials", meet.Second)+"/destination", "%s; give one of the two another destination", meet.Describe(list)))
		}
		return faults, nil
	})
}

// lookIntoMaterials finds materials whose bytes no composition can use.
func (l *loader) lookIntoMaterials() error {
	return l.eachMaterial(func(c *Component, i int, m *Material) error {
		if m.Blob.IsZero() {
			return nil
		}
		size, err := l.trees.repo.Size(l.ctx, m.Blob)
		switch {
		case err != nil:
			return unreadable(m.path, err)
		case size > MaxMaterial:
			return fault(CodeSourceTooLarge, m.path, "", "has %d bytes; a material has at most %d (256 MiB): make it smaller", size, MaxMaterial)
		case m.Compose != "":
			return l.lookIntoComposed(m)
		case size > maxLFSPointer:
			return nil
		}
		b, err := l.trees.repo.Blob(l.ctx, m.Blob, maxLFSPointer)
		if err != nil {
			return unreadable(m.path, err)
		}
		if IsLFSPointer(b) {
			return fault(CodeSourceLFSPointer, m.path, "", "is a Git LFS pointer, not the file; commit the bytes themselves to the catalog")
		}
		return nil
	})
}

// lookIntoComposed finds what keeps a composed material from being expanded.
func (l *loader) lookIntoComposed(m *Material) error {
	composition, err := componentFiles(l.trees, m).resolve(l.ctx, m)
	if err != nil {
		return err
	}
	return includeFault(composition.Check())
}

// maxLFSPointer is the most bytes that a Git LFS pointer has: its specification says less than 1,024.
const maxLFSPointer = 1023

// IsLFSPointer reports whether b, the whole content of a file, is a Git LFS pointer: a small text that begins
// with the version of its format.
func IsLFSPointer(b []byte) bool {
	return len(b) <= maxLFSPointer && bytes.HasPrefix(b, []byte("version https://git-lfs.github.com/spec/"))
}

// OpenMaterial streams a material of c: the blob of a copied one, the expansion of a composed one, whose files are held in
// memory until it is closed. Calls may run at once. What was read counts only once Read has returned io.EOF. Close it.
//
// Errors: SOURCE_TOO_LARGE, READ_FAILED; of a composed one also SOURCE_LFS_POINTER, INVALID_SOURCE_AUTHORITY and the codes of
// package include.
func (c *Catalog) OpenMaterial(ctx context.Context, m *Material) (io.ReadCloser, error) {
	if m.Compose != "" {
		return openComposed(ctx, c.trees, m)
	}
	r, err := c.source.repo.OpenBlob(ctx, m.Blob, MaxMaterial)
	if err != nil {
		return nil, unreadable(m.path, err)
	}
	return r, nil
}
