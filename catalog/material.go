package catalog

import (
	"context"
	"io"
	"slices"
	"sync"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
)

// findMaterials finds the blob of every source.
func (l *loader) findMaterials() error {
	const atOnce = 64 // in a row, most of them from the same few folders
	parts := slices.Collect(slices.Chunk(l.materials(), atOnce))
	return l.each(len(parts), func(k int) (faults []*Error, err error) {
		look := &lookup{trees: l.trees}
		for _, at := range parts[k] {
			err := l.findMaterial(look, at)
			if fault, ok := err.(*Error); ok {
				faults = append(faults, fault)
			} else if err != nil {
				return nil, err
			}
		}
		return faults, nil
	})
}

func (l *loader) findMaterial(look *lookup, at materialPlace) error {
	m := at.material()
	if m.Generator != "" {
		if m.Generator != GeneratorContractManifestV1 {
			return fault(CodeUnknownGenerator, at.c.file(), item("materials", at.i)+"/generator", "there is no generator %q; use %q", short(m.Generator), GeneratorContractManifestV1)
		}
		return nil
	}
	if m.path == "" {
		return nil // its source is no path, which is a fault already
	}
	entry, err := look.regular(l.ctx, m.path)
	if err != nil {
		return err
	}
	m.Blob, m.Executable = entry.ID, entry.Mode == gitrepo.Executable
	return nil
}

// materialPlace is where a material stands in the catalog.
type materialPlace struct {
	c *Component
	i int
}

func (at materialPlace) material() *Material { return &at.c.Materials[at.i] }

// materials returns all materials, by component.
func (l *loader) materials() []materialPlace {
	n := 0
	for _, c := range l.components {
		if c != nil {
			n += len(c.Materials)
		}
	}
	all := make([]materialPlace, 0, n)
	for _, c := range l.components {
		if c == nil {
			continue
		}
		for i := range c.Materials {
			all = append(all, materialPlace{c, i})
		}
	}
	return all
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

// lookIntoMaterials reads every material whole, and finds those whose bytes no composition can use.
func (l *loader) lookIntoMaterials() error {
	buffers := sync.Pool{New: func() any { return new([64 << 10]byte) }}
	all := l.materials()
	return l.each(len(all), func(k int) ([]*Error, error) {
		err := l.lookInto(all[k].material(), &buffers)
		if fault, ok := err.(*Error); ok {
			return []*Error{fault}, nil
		}
		return nil, err
	})
}

func (l *loader) lookInto(m *Material, buffers *sync.Pool) error {
	if m.Blob.IsZero() {
		return nil
	}
	if m.Compose != "" {
		return l.lookIntoComposed(m)
	}
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	return l.lookIntoCopied(m, buf[:])
}

// lookIntoCopied reads a blob to its end: only then is it known to be what its id says.
func (l *loader) lookIntoCopied(m *Material, buf []byte) error {
	r, err := l.catalog.OpenMaterial(l.ctx, m)
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.ReadFull(r, buf)
	pointer := err == io.ErrUnexpectedEOF && IsLFSPointer(buf[:n])
	for err == nil {
		_, err = r.Read(buf)
	}
	switch {
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return err
	case pointer:
		return fault(CodeSourceLFSPointer, m.path, "", "is a Git LFS pointer, not the file; commit the bytes themselves to the catalog")
	}
	return nil
}

// lookIntoComposed finds what keeps a composed material from being expanded.
func (l *loader) lookIntoComposed(m *Material) error {
	composition, err := componentFiles(l.trees, m).resolve(l.ctx, m)
	if err != nil {
		return err
	}
	return includeFault(composition.Check())
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
	if err == nil {
		return &materialReader{r, m.path}, nil
	}
	return nil, c.materialFault(ctx, m, err)
}

func (c *Catalog) tooLarge(ctx context.Context, m *Material, err error) error {
	if size, _ := c.source.repo.Size(ctx, m.Blob); size > MaxMaterial {
		return fault(CodeSourceTooLarge, m.path, "", "has %d bytes; a material has at most %d (256 MiB): make it smaller", size, MaxMaterial)
	}
	return faultOf(CodeSourceTooLarge, m.path, "can't be read; make the file smaller, or repack the source without deltas for it", err)
}

// materialReader names the file where a blob turns out to be damaged.
type materialReader struct {
	io.ReadCloser
	path string
}

func (r *materialReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = unreadable(r.path, err)
	}
	return n, err
}
