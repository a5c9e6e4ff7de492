package catalog

import (
	"context"
	"io"
	"sync"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
)

// Earlier is a revision of the source before the bound one. Its methods may be called at once.
type Earlier struct {
	loader *loader

	mu         sync.Mutex
	components map[lockv2.ComponentID]earlierComponent // read so far
}

type earlierComponent struct {
	component *Component
	materials map[lockv2.Destination]*Material
	err       error
}

// Earlier returns an earlier revision, from which the bound one descends. Errors: INVALID_REVISION and READ_FAILED; of a URL also
// those of fetching it.
func (c *Catalog) Earlier(ctx context.Context, revision lockv2.Revision) (*Earlier, error) {
	if remote := c.source.remote; remote != nil {
		if err := remote.ProvideAncestor(ctx, revision, Folders()); err != nil {
			return nil, err
		}
	}
	tree, err := c.source.repo.Commit(ctx, revision)
	if err != nil {
		return nil, err
	}
	return &Earlier{
		loader:     newLoader(ctx, &Source{repo: c.source.repo, revision: revision, tree: tree}),
		components: map[lockv2.ComponentID]earlierComponent{},
	}, nil
}

// Included is that of Catalog, for what a component, whose descriptor had this digest, supplied at a destination: none where
// that was not composed. The rest of the catalog is not looked at. The error says why it can't be told.
func (e *Earlier) Included(ctx context.Context, id lockv2.ComponentID, descriptor fingerprint.Descriptor, destination lockv2.Destination) ([]Included, error) {
	m, err := e.Material(id, descriptor, destination)
	if err != nil || m.Compose == "" {
		return nil, err
	}
	return included(ctx, e.loader.trees, m)
}

// Component returns a component as its descriptor was, which had this digest. What depends on the rest of the catalog is not
// checked, and the Blob and Executable of its materials are not set. The error says why there is none.
func (e *Earlier) Component(id lockv2.ComponentID, descriptor fingerprint.Descriptor) (*Component, error) {
	was := e.read(id)
	if was.err != nil {
		return nil, was.err
	}
	if was.component.Digest != descriptor {
		return nil, fault(CodeInvalidComponent, descriptorPath(id), "", "is not the descriptor that the lock records")
	}
	return was.component, nil
}

// Material returns what a component, whose descriptor had this digest, supplied at a destination. Its Blob and Executable are not set.
func (e *Earlier) Material(id lockv2.ComponentID, descriptor fingerprint.Descriptor, destination lockv2.Destination) (*Material, error) {
	if _, err := e.Component(id, descriptor); err != nil {
		return nil, err
	}
	m := e.read(id).materials[destination]
	if m == nil {
		return nil, fault(CodeInvalidComponent, descriptorPath(id), "", "supplies nothing at %q", string(destination))
	}
	return m, nil
}

// OpenMaterial is that of Catalog, for a material of this revision that is copied or composed. It also returns the material with Blob and
// Executable as they were. Whoever uses the bytes compares their digest with the lock's.
func (e *Earlier) OpenMaterial(ctx context.Context, m *Material) (io.ReadCloser, *Material, error) {
	entry, err := e.loader.trees.regular(ctx, m.path)
	if err != nil {
		return nil, nil, err
	}
	found := *m
	found.Blob, found.Executable = entry.ID, entry.Mode == gitrepo.Executable
	r, err := e.loader.catalog.OpenMaterial(ctx, &found)
	return r, &found, err
}

// read reads a descriptor, each once.
func (e *Earlier) read(id lockv2.ComponentID) earlierComponent {
	e.mu.Lock()
	defer e.mu.Unlock()
	if was, found := e.components[id]; found {
		return was
	}
	var was earlierComponent
	var faults []*Error
	if was.component, faults, was.err = e.loader.readComponent(id); len(faults) > 0 {
		was.err = faults[0]
	}
	if was.err == nil {
		was.materials = make(map[lockv2.Destination]*Material, len(was.component.Materials))
		for i := range was.component.Materials {
			m := &was.component.Materials[i]
			was.materials[m.Destination] = m
		}
	}
	e.components[id] = was
	return was
}
