package planner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"example.org/compose/catalog"
	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Locked opens what an old lock records, from the catalog at the lock's revision. Its methods may be called at once.
type Locked struct {
	lock        *lockv2.Lock
	earlier     *catalog.Earlier
	descriptors map[lockv2.ComponentID]fingerprint.Descriptor
	manifest    func() ([]byte, error) // of the locked components, made once
}

// Locked returns the files of p.Old. Errors are those of catalog.Earlier. Use it while the source is open.
func (p *ManagedPlan) Locked(ctx context.Context) (*Locked, error) {
	lock := p.Old.Lock
	earlier, err := p.Composition.catalog.Earlier(ctx, lock.Source.Revision)
	if err != nil {
		return nil, err
	}
	l := &Locked{lock: lock, earlier: earlier, descriptors: make(map[lockv2.ComponentID]fingerprint.Descriptor, len(lock.Components))}
	for _, c := range lock.Components {
		l.descriptors[c.ID] = c.Digest
	}
	l.manifest = sync.OnceValues(l.generate)
	return l, nil
}

// LockedFile is a file as the lock's revision has it. Close it.
type LockedFile struct {
	io.ReadCloser
	Executable bool
}

// Open streams what the lock's components supplied at a destination: copied, composed and generated materials. Whoever uses the bytes
// compares their digest with the lock's, since another release of compose may have made other ones. Errors: an *Error where the lock has no such
// file, and those of package catalog.
func (l *Locked) Open(ctx context.Context, destination lockv2.Destination) (*LockedFile, error) {
	i, found := slices.BinarySearchFunc(l.lock.Files, destination, func(f lockv2.File, d lockv2.Destination) int {
		return strings.Compare(string(f.Destination), string(d))
	})
	if !found {
		return nil, &Error{Base: diag.New(CodeReadFailed, string(destination), "the lock has no such file")}
	}
	id := l.lock.Files[i].Component
	m, err := l.earlier.Material(id, l.descriptors[id], destination)
	if err != nil {
		return nil, err
	}
	switch m.Generator {
	case "":
		r, found, err := l.earlier.OpenMaterial(ctx, m)
		if err != nil {
			return nil, err
		}
		return &LockedFile{r, found.Executable}, nil
	case catalog.GeneratorContractManifestV1:
		b, err := l.manifest()
		if err != nil {
			return nil, err
		}
		return &LockedFile{ReadCloser: io.NopCloser(bytes.NewReader(b))}, nil
	}
	return nil, &Error{Base: diag.New(CodeUnknownGenerator, string(destination), fmt.Sprintf("no generator is called %q", m.Generator))}
}

// generate makes the contract manifest of the locked components.
func (l *Locked) generate() ([]byte, error) {
	components := make([]*catalog.Component, len(l.lock.Components))
	for i, c := range l.lock.Components {
		var err error
		if components[i], err = l.earlier.Component(c.ID, c.Digest); err != nil {
			return nil, err
		}
	}
	registrations, twice := collectRegistrations(components)
	if len(twice) > 0 {
		return nil, twice[0]
	}
	return strictjson.Encode(contractManifest(registrations)), nil
}
