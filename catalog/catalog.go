// Package catalog opens a source at one exact revision and loads the catalog that it holds: the
// components and recipes of a platform team, checked whole.
//
// Start with Open and Load, or Check for every fault at once. All bytes come from the git objects of
// the bound revision, never from a work tree.
//
// Terms: a source is a repository bound to one revision; its catalog.json lists the components and
// recipes; a descriptor is a component's component.json; a material is one file that a component supplies.
//
// A *Catalog keeps every rule: its references lead somewhere, its requirements have no cycle, every artifact
// reaches lifecycle.composition-state, and the source of every material is a regular file in the revision. Load
// does not read the materials themselves; what is wrong inside one is found when it is used, or by Check.
//
// The layout, every rule, and the order in which faults are looked for are in docs/catalog.md.
package catalog

import (
	"cmp"
	"path"
	"slices"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Bounds of a source.
const (
	MaxFile      = 4 << 20   // bytes of catalog.json, a recipe or a descriptor
	MaxMaterial  = 256 << 20 // bytes of one material
	MaxMaterials = 200_000   // materials of one composition
)

// The places of a catalog in its repository.
const (
	IndexPath        = "catalog/catalog.json"
	recipesFolder    = "recipes"
	componentsFolder = "components"
	partialsFolder   = "partials"
	descriptorName   = "component.json"
)

// Folders returns the folders of a repository that a catalog is read from.
func Folders() []string {
	return []string{path.Dir(IndexPath), componentsFolder, partialsFolder, recipesFolder}
}

// Catalog is a catalog that keeps every rule. It is not changed after Load.
type Catalog struct {
	Repository string       // the identity in catalog.json; "" where it has none
	Components []*Component // by id
	Recipes    []*Recipe    // by id

	source *Source
	trees  *trees // of the source
}

// Component returns the component of that id, or nil.
func (c *Catalog) Component(id lockv2.ComponentID) *Component {
	i, found := slices.BinarySearchFunc(c.Components, id, func(c *Component, id lockv2.ComponentID) int { return cmp.Compare(c.ID, id) })
	if !found {
		return nil
	}
	return c.Components[i]
}

// Recipe returns the recipe of that id, or nil.
func (c *Catalog) Recipe(id lockv2.RecipeID) *Recipe {
	i, found := slices.BinarySearchFunc(c.Recipes, id, func(r *Recipe, id lockv2.RecipeID) int { return cmp.Compare(r.ID, id) })
	if !found {
		return nil
	}
	return c.Recipes[i]
}

// Revision returns the revision that the catalog was loaded from.
func (c *Catalog) Revision() lockv2.Revision { return c.source.revision }

// Component is one component: its descriptor, read and checked.
type Component struct {
	ID               lockv2.ComponentID
	Version          int64 // 1 or more
	Summary          string
	Requires         []lockv2.ComponentID // in the descriptor's order, unique
	Conflicts        []lockv2.ComponentID // in the descriptor's order, unique
	Registrations    []Registration       // contract_registrations, in the descriptor's order
	ParametersSchema *strictjson.Value    // a valid JSON Schema; nil where it has none
	Materials        []Material           // in the descriptor's order, at least one
	Digest           fingerprint.Descriptor
}

// file returns the path of the descriptor.
func (c *Component) file() string { return descriptorPath(c.ID) }

func descriptorPath(id lockv2.ComponentID) string { return folderOf(id) + "/" + descriptorName }

func folderOf(id lockv2.ComponentID) string { return componentsFolder + "/" + string(id) }

// Recipe is a starting selection around one artifact.
type Recipe struct {
	ID       lockv2.RecipeID
	Summary  string
	Artifact lockv2.ComponentID
	Required []lockv2.ComponentID // in the recipe's order, unique; the three lists have no id in common
	Default  []lockv2.ComponentID
	Optional []lockv2.ComponentID
	Digest   fingerprint.Recipe
}

// file returns the path of the recipe.
func (r *Recipe) file() string { return recipePath(r.ID) }

func recipePath(id lockv2.RecipeID) string { return recipesFolder + "/" + string(id) + ".json" }

// Registration is one entry of contract_registrations.
type Registration struct {
	ID                    string
	Document              string // contracts/NAME.json
	Schema                string // schemas/NAME.schema.json
	MigrationSlug         string
	DocumentSchemaVersion int64
	VersionHistory        []ContractVersion // the first is initial, versions rise
	Purpose               string
}

// ContractVersion is one entry of a registration's version_history.
type ContractVersion struct {
	Version    int64
	ChangeType string // initial, additive or breaking
	Migration  string // "" where it has none
}

// GeneratorContractManifestV1 is the one generator of the closed list.
const GeneratorContractManifestV1 = "contract-manifest-v1"

// Material is one file that a component supplies.
type Material struct {
	Source      string // below the component's folder; "" for a generated material
	Destination lockv2.Destination
	Ownership   lockv2.Ownership
	Compose     string // include-v1, or ""
	Generator   string // of a generated material
	Executable  bool   // the blob's git mode is 100755
	Blob        gitrepo.ID

	path string // of the source in the repository, for messages
}
