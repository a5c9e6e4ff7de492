package catalogtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// StateComponent is what Files adds to a catalog that does not say NoState.
const StateComponent = "lifecycle.composition-state"

// Catalog is a catalog as a value.
type Catalog struct {
	Repository string // "" means example/catalog, "-" leaves it out
	Components []Component
	Recipes    []Recipe
	NoState    bool // do not add the state component, nor the artifacts' need for it
}

// Component is one component. Version 0 means 1.
type Component struct {
	ID               string
	Version          int
	Requires         []string
	Conflicts        []string
	Registrations    string // contract_registrations as JSON; "" for none
	ParametersSchema string // as JSON; "" for none
	Materials        []Material
}

// Material is one material. The source of a copied one is files/DESTINATION.
type Material struct {
	Destination string
	Ownership   string // "" means managed
	Content     string
	Executable  bool
	Compose     string // "" for none
	Generator   string // of a generated material
}

// Recipe is one recipe.
type Recipe struct {
	ID, Artifact                string
	Required, Default, Optional []string
}

// Files returns the files of the catalog: its index, recipes, descriptors and sources.
func (c Catalog) Files() Files {
	files := Files{}
	components := slices.Clone(c.Components)
	if !c.NoState {
		components = withState(components)
	}
	index := map[string]any{"schema_version": 1, "components": []string{}, "recipes": []string{}}
	if c.Repository != "-" {
		index["repository"] = cmp.Or(c.Repository, "example/catalog")
	}
	var ids, recipes []string
	for _, comp := range components {
		ids = append(ids, comp.ID)
		comp.add(files)
	}
	for _, r := range c.Recipes {
		recipes = append(recipes, r.ID)
		files.Set("recipes/"+r.ID+".json", text(map[string]any{
			"schema_version": 1, "id": r.ID, "summary": "recipe " + r.ID, "artifact": r.Artifact,
			"required_components": list(r.Required), "default_components": list(r.Default), "optional_components": list(r.Optional),
		}))
	}
	slices.Sort(ids)
	slices.Sort(recipes)
	index["components"], index["recipes"] = list(ids), list(recipes)
	return files.Set("catalog/catalog.json", text(index))
}

func withState(components []Component) []Component {
	if !slices.ContainsFunc(components, func(c Component) bool { return c.ID == StateComponent }) {
		components = append(components, Component{ID: StateComponent,
			Materials: []Material{{Destination: ".template-composition/about.txt", Content: "managed by compose\n"}}})
	}
	for i, c := range components {
		if strings.HasPrefix(c.ID, "artifact.") && !slices.Contains(c.Requires, StateComponent) {
			components[i].Requires = append(slices.Clone(c.Requires), StateComponent)
		}
	}
	return components
}

func (c Component) add(files Files) {
	role, _, _ := strings.Cut(c.ID, ".")
	descriptor := map[string]any{
		"schema_version": 1, "id": c.ID, "component_role": role, "version": cmp.Or(c.Version, 1), "summary": "component " + c.ID,
		"requires": list(c.Requires), "conflicts": list(c.Conflicts),
	}
	if c.Registrations != "" {
		descriptor["contract_registrations"] = json.RawMessage(c.Registrations)
	}
	if c.ParametersSchema != "" {
		descriptor["parameters_schema"] = json.RawMessage(c.ParametersSchema)
	}
	materials := []map[string]any{}
	for _, m := range c.Materials {
		entry := map[string]any{"destination": m.Destination, "ownership": cmp.Or(m.Ownership, "managed")}
		if m.Generator != "" {
			entry["ownership"], entry["generator"] = "generated", m.Generator
		} else {
			source := "files/" + m.Destination
			entry["source"] = source
			f := File{Content: m.Content}
			if m.Executable {
				f.Mode = Executable
			}
			files["components/"+c.ID+"/"+source] = f
		}
		if m.Compose != "" {
			entry["compose"] = m.Compose
		}
		materials = append(materials, entry)
	}
	if len(c.Materials) == 0 {
		name := strings.ReplaceAll(c.ID, ".", "-") + ".txt"
		materials = append(materials, map[string]any{"source": "files/" + name, "destination": name, "ownership": "managed"})
		files.Set("components/"+c.ID+"/files/"+name, c.ID+"\n")
	}
	descriptor["materials"] = materials
	files.Set("components/"+c.ID+"/component.json", text(descriptor))
}

func list(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

// text is JSON with sorted keys. A test's raw JSON that is none becomes a file that says so.
func text(value any) string {
	b, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Sprintf("catalogtest: %v\n", err)
	}
	return string(b) + "\n"
}

// Large returns a catalog with one recipe, "app", that selects every component: n materials of a few hundred
// bytes, spread evenly over that many components.
func Large(n, components int) Catalog {
	c := Catalog{Recipes: []Recipe{{ID: "app", Artifact: "artifact.app"}}, Components: []Component{{ID: "artifact.app"}}}
	for i := range components {
		comp := Component{ID: fmt.Sprintf("capability.part-%d", i)}
		for j := i; j < n; j += components {
			comp.Materials = append(comp.Materials, Material{
				Destination: fmt.Sprintf("part-%d/folder-%d/file-%d.txt", i, j%7, j),
				Content:     strings.Repeat(fmt.Sprintf("material %d of component %d\n", j, i), 10),
			})
		}
		c.Components = append(c.Components, comp)
		c.Recipes[0].Default = append(c.Recipes[0].Default, comp.ID)
	}
	return c
}
