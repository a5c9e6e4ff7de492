// Package graph draws a resolved composition: its recipe, its components, what they require, what they can't be
// together with, and their materials folded by folder.
//
// Start with Of, which gives a Model, and then Model.SVG, Model.Mermaid, Model.DOT or Model.Document. All four are made
// from the same values, and each is one text for one model, byte for byte, on every run and every machine: places are
// computed in whole numbers.
//
// Terms: a component is selected where the recipe or the configuration names it, and needed where another component
// requires it; it can be both. A component outside conflicts with one that is in the composition, and so is not in it.
// A requirement is implied where a longer chain of requirements says the same.
//
// The layout is this package's own; docs/dependencies.md says why.
//
// Summaries are a catalog author's text and escaped for each language; ids and destinations can't need it, and are
// escaped all the same. docs/graph.md says what the pictures show.
package graph

import (
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

// Reason says why a component is in the composition, as the recipe and the configuration put it.
type Reason string

// The reasons; where several hold, the first is given.
const (
	Artifact = Reason(resolver.ByArtifact)
	Required = Reason(resolver.ByRequired)
	Included = Reason(resolver.ByInclude)
	Default  = Reason(resolver.ByDefault)

	Needed Reason = "needed" // a component requires it, and nothing selects it
)

// Model is a resolved composition as a graph.
type Model struct {
	Source     lockv2.Source
	Recipe     Recipe
	Components []Component // by id
	Outside    []Outside   // by id: what can't be in the composition, because of a component that is
}

// Recipe is the recipe that the composition started from.
type Recipe struct {
	ID      lockv2.RecipeID
	Summary string
}

// Component is one component of the composition.
type Component struct {
	ID        lockv2.ComponentID
	Version   int64
	Summary   string
	Reason    Reason
	Requires  []lockv2.ComponentID // sorted
	NeededBy  []lockv2.ComponentID // sorted
	Conflicts []lockv2.ComponentID // sorted: those outside that it, or they, declare
	Folders   []Folder             // by path
}

// Files returns how many materials the component supplies, by ownership.
func (c *Component) Files() Files {
	var sum Files
	for _, f := range c.Folders {
		sum.add(f.Files)
	}
	return sum
}

// Folder is a folder of the target and the materials of one component that lie in it.
type Folder struct {
	Path string // "" for the top of the target
	Deep bool   // those of the folders below it are counted too; only where a picture folds
	Files
}

// Files counts materials by ownership.
type Files struct{ Managed, Generated, Seed int }

// Total returns how many materials there are.
func (f Files) Total() int { return f.Managed + f.Generated + f.Seed }

func (f *Files) add(other Files) {
	f.Managed += other.Managed
	f.Generated += other.Generated
	f.Seed += other.Seed
}

// Outside is a component of the catalog that conflicts with one of the composition.
type Outside struct {
	ID      lockv2.ComponentID
	Summary string
}

// Of resolves a choice in cat and returns the composition as a graph. repository is the identity of the source. No
// material is read. Errors are those of resolver.Resolve. Calls may overlap: the arguments are not changed.
func Of(cat *catalog.Catalog, repository string, cfg resolver.Config) (*Model, error) {
	why, err := resolver.Explain(cat, cfg)
	if err != nil {
		return nil, err
	}
	ids := why.Components()
	recipe := cat.Recipe(cfg.Intent.Recipe)
	m := &Model{
		Source:     lockv2.Source{Repository: repository, Revision: cat.Revision()},
		Recipe:     Recipe{ID: recipe.ID, Summary: recipe.Summary},
		Components: make([]Component, len(ids)),
	}
	place := make(map[lockv2.ComponentID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	for i, id := range ids {
		c := cat.Component(id)
		m.Components[i] = Component{
			ID:       id,
			Version:  c.Version,
			Summary:  c.Summary,
			Reason:   reasonOf(why, id),
			Requires: slices.Sorted(slices.Values(c.Requires)),
			Folders:  foldersOf(c.Materials),
		}
	}
	for i, id := range ids {
		for _, need := range m.Components[i].Requires {
			needed := &m.Components[place[need]]
			needed.NeededBy = append(needed.NeededBy, id) // ids are sorted, and so are these
		}
	}
	m.conflicts(cat, place)
	return m, nil
}

// reasonOf says why a component of the composition is in it.
func reasonOf(why *resolver.Explanation, id lockv2.ComponentID) Reason {
	if reason, _ := why.Of(id); len(reason.Chain) == 1 {
		return Reason(reason.Selected)
	}
	return Needed
}

// conflicts adds the components of the catalog that conflict with one of the composition. Of a pair, one alone may say so.
func (m *Model) conflicts(cat *catalog.Catalog, place map[lockv2.ComponentID]int) {
	add := func(inside int, outside lockv2.ComponentID) {
		m.Components[inside].Conflicts = append(m.Components[inside].Conflicts, outside)
	}
	for _, c := range cat.Components {
		at, inside := place[c.ID]
		for _, other := range c.Conflicts {
			j, there := place[other]
			switch {
			case inside && !there:
				add(at, other)
			case !inside && there:
				add(j, c.ID)
			}
		}
	}
	for i := range m.Components {
		list := m.Components[i].Conflicts
		slices.Sort(list)
		m.Components[i].Conflicts = slices.Compact(list)
		for _, id := range m.Components[i].Conflicts {
			m.Outside = append(m.Outside, Outside{id, cat.Component(id).Summary})
		}
	}
	slices.SortFunc(m.Outside, func(a, b Outside) int { return strings.Compare(string(a.ID), string(b.ID)) })
	m.Outside = slices.CompactFunc(m.Outside, func(a, b Outside) bool { return a.ID == b.ID })
}
