package planner

import (
	"context"
	"errors"
	"maps"
	"slices"

	"example.org/compose/catalog"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// IncludeChanges tells which files that a composed material includes, at any depth, are others than at the locked
// revision. Paths are relative to the top of the catalog, sorted. The material's own source is not among them.
type IncludeChanges struct {
	Added, Removed, Changed []string
}

func (c *IncludeChanges) document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("added", strictjson.Strs(c.Added)),
		strictjson.F("removed", strictjson.Strs(c.Removed)),
		strictjson.F("changed", strictjson.Strs(c.Changed)),
	)
}

// explainIncludes tells for each composed material that is replaced which included files make the difference. Where
// the locked revision can't tell, it says nothing. The error is ctx's, or one of reading the bound revision.
func (p *ManagedPlan) explainIncludes(ctx context.Context) error {
	var composed []*ManagedFile
	for i := range p.Files {
		if f := &p.Files[i]; f.Kind == Replace && f.Material.source != nil && f.Material.source.Compose != "" {
			composed = append(composed, f)
		}
	}
	if len(composed) == 0 {
		return nil
	}
	cat := p.Composition.catalog
	earlier, err := cat.Earlier(ctx, p.Old.Lock.Source.Revision)
	var fault *gitrepo.Error
	switch {
	case errors.As(err, &fault):
		return ctx.Err()
	case err != nil: // it could be known, and can't be fetched now
		return err
	}
	locked := make(map[lockv2.ComponentID]*lockv2.Component, len(p.Old.Lock.Components))
	for i := range p.Old.Lock.Components {
		locked[p.Old.Lock.Components[i].ID] = &p.Old.Lock.Components[i]
	}
	faults := make([]error, len(composed))
	err = rootfs.Each(ctx, len(composed), func(i int, _ []byte) {
		f := composed[i]
		before, err := earlier.Included(ctx, f.Component, locked[f.Component].Digest, f.Destination)
		if err != nil {
			return
		}
		now, err := cat.Included(ctx, f.Material.source)
		if err != nil {
			faults[i] = err
			return
		}
		f.Includes = compareIncludes(before, now)
	})
	if err != nil {
		return err
	}
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}

func compareIncludes(before, now []catalog.Included) *IncludeChanges {
	changes := &IncludeChanges{}
	gone := make(map[string]gitrepo.ID, len(before))
	for _, file := range before {
		gone[file.Path] = file.Blob
	}
	for _, file := range now {
		blob, found := gone[file.Path]
		delete(gone, file.Path)
		switch {
		case !found:
			changes.Added = append(changes.Added, file.Path)
		case blob != file.Blob:
			changes.Changed = append(changes.Changed, file.Path)
		}
	}
	changes.Removed = slices.Sorted(maps.Keys(gone))
	return changes
}
