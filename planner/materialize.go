package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

// Materialize resolves the choice in cat and computes every material: its bytes are hashed once, on all
// cores, and not kept. repository is the identity that the lock records.
//
// Errors of the resolver come first, then SOURCE_TOO_LARGE for too many materials, RESERVED_DESTINATION,
// DESTINATION_COLLISION, DUPLICATE_CONTRACT_REGISTRATION; then what the bytes show, by destination: SOURCE_LFS_POINTER,
// SOURCE_TOO_LARGE, READ_FAILED, INVALID_SOURCE_AUTHORITY and the codes of package include for what a composed one includes.
func Materialize(ctx context.Context, cat *catalog.Catalog, repository string, cfg resolver.Config) (*Composition, error) {
	return materialize(ctx, cat, repository, cfg, nil)
}

// materialize is Materialize with what stands in the target, if that is known.
func materialize(ctx context.Context, cat *catalog.Catalog, repository string, cfg resolver.Config, seen *Snapshot) (*Composition, error) {
	ids, err := resolver.Resolve(cat, cfg)
	if err != nil {
		return nil, err
	}
	components := componentsOf(cat, ids)
	c := &Composition{catalog: cat}
	if c.Materials, err = collect(components); err != nil {
		return nil, err
	}
	if err := checkDestinations(c.Materials); err != nil {
		return nil, err
	}
	if err := c.generate(components); err != nil {
		return nil, err
	}
	if seen != nil {
		if err := seen.recognize(ctx, c.Materials); err != nil {
			return nil, err
		}
	}
	if err := c.hash(ctx); err != nil {
		return nil, err
	}
	c.Lock = lockOf(cat, repository, cfg, components, c.Materials)
	if c.digest, err = digestOf(&c.Lock); err != nil {
		return nil, err
	}
	return c, nil
}

// collect gathers the materials of the components, by destination.
func collect(components []*catalog.Component) ([]Material, error) {
	n := 0
	for _, component := range components {
		n += len(component.Materials)
	}
	if n > catalog.MaxMaterials {
		return nil, &Error{Base: diag.New(CodeSourceTooLarge, "", fmt.Sprintf(
			"the choice supplies %d materials; a composition has at most %d: choose fewer components", n, catalog.MaxMaterials))}
	}
	materials := make([]Material, 0, n)
	for _, component := range components {
		for i := range component.Materials {
			m := &component.Materials[i]
			material := Material{Destination: m.Destination, Component: component.ID, Ownership: m.Ownership, Executable: m.Executable, source: m}
			materials = append(materials, material)
		}
	}
	slices.SortFunc(materials, func(a, b Material) int {
		if order := strings.Compare(string(a.Destination), string(b.Destination)); order != 0 {
			return order
		}
		return strings.Compare(string(a.Component), string(b.Component))
	})
	return materials, nil
}

// checkDestinations refuses materials that claim the composer's own places or meet each other.
func checkDestinations(materials []Material) error {
	destinations := make([]lockv2.Destination, len(materials))
	for i := range materials {
		m := &materials[i]
		if m.Destination.Reserved() {
			msg := fmt.Sprintf("component %q supplies a file where compose keeps its own state; give it another destination", m.Component)
			if m.Destination.Misspelled() {
				msg = fmt.Sprintf("component %q spells compose's own folder in another way; that is %q: write it so, or choose another folder", m.Component, lockv2.StateFolder)
			}
			return &Error{Components: []lockv2.ComponentID{m.Component}, Base: diag.New(CodeReservedDestination, string(m.Destination), msg)}
		}
		destinations[i] = m.Destination
	}
	if found := lockv2.FirstCollision(destinations); found != nil {
		return collisionFault(materials, destinations, *found)
	}
	return nil
}

func collisionFault(materials []Material, destinations []lockv2.Destination, found lockv2.Collision) *Error {
	first, second := &materials[found.First], &materials[found.Second]
	who := fmt.Sprintf("from component %q and component %q", first.Component, second.Component)
	if first.Component == second.Component {
		who = fmt.Sprintf("both from component %q", first.Component)
	}
	return &Error{Components: involved(first.Component, second.Component), Base: diag.New(CodeDestinationCollision, string(second.Destination),
		fmt.Sprintf("%s (%s); change a destination, or choose without one of them", found.Describe(destinations), who))}
}

// involved returns two component ids as an Error holds them.
func involved(a, b lockv2.ComponentID) []lockv2.ComponentID {
	return slices.Compact(slices.Sorted(slices.Values([]lockv2.ComponentID{a, b})))
}

func readFault(m *Material, err error) error {
	var coded diag.Coded
	if errors.As(err, &coded) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Components: []lockv2.ComponentID{m.Component}, Base: diag.Wrap(CodeReadFailed, sourcePath(m), "can't be read from the source", err)}
}

// sourcePath names the blob of a copied or composed material in the catalog.
func sourcePath(m *Material) string {
	return "components/" + string(m.Component) + "/" + m.source.Source
}

// lockOf builds the lock that a first composition writes.
func lockOf(cat *catalog.Catalog, repository string, cfg resolver.Config, components []*catalog.Component, materials []Material) lockv2.Lock {
	lock := lockv2.Lock{
		Source:              lockv2.Source{Repository: repository, Revision: cat.Revision()},
		Intent:              cfg.Intent,
		RecipeDigest:        cat.Recipe(cfg.Intent.Recipe).Digest,
		ConfigurationDigest: cfg.Digest,
		Components:          make([]lockv2.Component, len(components)),
		Files:               make([]lockv2.File, len(materials)),
	}
	for i, component := range components {
		lock.Components[i] = lockv2.Component{ID: component.ID, Version: component.Version, Digest: component.Digest}
	}
	for i := range materials {
		m := &materials[i]
		lock.Files[i] = lockv2.File{Destination: m.Destination, Component: m.Component, Ownership: m.Ownership, Digest: m.Digest}
	}
	return lock
}

// digestOf returns the digest of a lock's bytes. A lock that could not be read again is refused here, before any target is looked at.
func digestOf(lock *lockv2.Lock) (fingerprint.LockFile, error) {
	digest, err := lockv2.Digest(lock)
	var large *lockv2.Error
	if errors.As(err, &large) && large.Pointer == "" {
		return digest, &Error{Base: diag.New(CodeSourceTooLarge, lockv2.LockPath, fmt.Sprintf(
			"the lock of this choice %s: choose fewer components or shorter parameters", large.Message()))}
	}
	return digest, err
}

// lockBytes returns the bytes of a lock that digestOf took.
func lockBytes(lock *lockv2.Lock) []byte {
	b, err := lockv2.Encode(lock)
	if err != nil {
		return nil // digestOf would have refused it
	}
	return b
}
