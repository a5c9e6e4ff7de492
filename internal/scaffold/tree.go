package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// Tree is the work tree of a catalog, as its index says. What is committed of it does not matter here.
type Tree struct {
	Dir        string
	Repository string // the identity; "" where the index has none
	Components []lockv2.ComponentID
	Recipes    []lockv2.RecipeID

	index []byte
}

// OpenTree reads the index of the catalog in dir.
//
// Errors, *Error: INVALID_CATALOG for a folder that holds none, and for an index that is not sorted; INVALID_JSON and
// SCHEMA_VALIDATION_FAILED for an index that is none; READ_FAILED.
func OpenTree(dir string) (*Tree, error) {
	t := &Tree{Dir: dir}
	var err error
	if t.index, err = readIndex(dir); err != nil {
		return nil, err
	}
	file := t.file(catalog.IndexPath)
	doc, err := strictjson.Parse(t.index, 0)
	if err != nil {
		return nil, &Error{diag.Wrap(strictjson.CodeInvalidJSON, file, "is no JSON that compose takes", err)}
	}
	if found := schemas.Validate(schemas.Catalog, doc); len(found) > 0 {
		return nil, fault(schemas.CodeSchemaValidationFailed, file+"#"+found[0].Pointer, "%s (rule %q)", found[0].Message, found[0].Rule)
	}
	for _, m := range doc.Members {
		switch m.Name {
		case "repository":
			t.Repository = m.Value.Text
		case "components":
			t.Components = texts[lockv2.ComponentID](m.Value)
		case "recipes":
			t.Recipes = texts[lockv2.RecipeID](m.Value)
		}
	}
	if !slices.IsSorted(t.Components) || !slices.IsSorted(t.Recipes) {
		return nil, fault(CodeInvalidCatalog, file, "does not list its ids in order; sort both lists by bytes")
	}
	return t, nil
}

func readIndex(dir string) ([]byte, error) {
	none := func() error {
		return fault(CodeInvalidCatalog, dir, "holds no catalog: there is no %s; name the folder of a catalog, or start one", catalog.IndexPath).
			withHint("compose catalog init " + diag.Quote(dir))
	}
	top, err := os.OpenRoot(dir)
	if plainfile.IsMissing(err) {
		return nil, none()
	}
	if err != nil {
		return nil, &Error{diag.Wrap(CodeReadFailed, dir, "the folder can't be opened", plainfile.Cause(err))}
	}
	defer top.Close()
	root := rootfs.New(top)
	defer root.Close()
	index, err := root.ReadFile(catalog.IndexPath, catalog.MaxFile)
	if reason := (*rootfs.Error)(nil); errors.As(err, &reason) && reason.Reason == rootfs.Missing {
		return nil, none()
	}
	if err != nil {
		return nil, &Error{diag.Wrap(CodeReadFailed, filepath.Join(dir, filepath.FromSlash(catalog.IndexPath)), "can't be read", err)}
	}
	return index, nil
}

func texts[S ~string](list strictjson.Value) []S {
	ids := make([]S, len(list.Items))
	for i, item := range list.Items {
		ids[i] = S(item.Text)
	}
	return ids
}

// file is a path of the catalog as a person types it.
func (t *Tree) file(path string) string { return filepath.Join(t.Dir, filepath.FromSlash(path)) }

// listed returns the index with one more id.
func (t *Tree) listed(list, id string) (File, error) {
	index, err := insertID(t.index, list, id)
	if err != nil {
		return File{}, &Error{diag.Wrap(CodeInvalidCatalog, t.file(catalog.IndexPath), "can't take another id", err)}
	}
	return File{Path: catalog.IndexPath, Content: index, Replaces: t.index}, nil
}

// NewComponent returns the files that add a component to the catalog, the index among them: a descriptor, and materials
// to begin with. The state component is the one that this program brings.
//
// Errors, *Error: INVALID_COMPONENT for no id, COMPONENT_EXISTS for one that is listed, UNKNOWN_COMPONENT for an artifact in
// a catalog without the state component.
func (t *Tree) NewComponent(id lockv2.ComponentID) ([]File, error) {
	switch {
	case !id.Valid():
		return nil, fault(CodeInvalidComponent, "", "%q is no component id; give a role (artifact, capability, foundation, lifecycle, topology or workspace), a dot and a name of lower-case words joined by hyphens, such as capability.release-notes", clip(string(id)))
	case slices.Contains(t.Components, id):
		return nil, fault(CodeComponentExists, string(id), "the catalog has this component; choose another name, or change %s", descriptorPath(id))
	case id.Role() == lockv2.Artifact && !slices.Contains(t.Components, lockv2.StateComponent):
		return nil, fault(CodeUnknownComponent, string(id), "an artifact requires %q, which the catalog does not have; add that first", lockv2.StateComponent).
			withHint("compose catalog new component " + string(lockv2.StateComponent))
	}
	files, err := component(id)
	if err != nil {
		return nil, err
	}
	index, err := t.listed("components", string(id))
	return append(files, index), err
}

// NewRecipe returns the files that add a recipe around an artifact; "" stands for the catalog's only one.
//
// Errors, *Error: INVALID_RECIPE for no id, and where it can't be told which artifact is meant; RECIPE_EXISTS;
// UNKNOWN_COMPONENT.
func (t *Tree) NewRecipe(id lockv2.RecipeID, artifact lockv2.ComponentID) ([]File, error) {
	switch {
	case !id.Valid():
		return nil, fault(CodeInvalidRecipe, "", "%q is no recipe id; give lower-case words joined by hyphens, such as service", clip(string(id)))
	case slices.Contains(t.Recipes, id):
		return nil, fault(CodeRecipeExists, string(id), "the catalog has this recipe; choose another name, or change %s", recipePath(id))
	}
	var artifacts []lockv2.ComponentID
	for _, other := range t.Components {
		if other.Role() == lockv2.Artifact {
			artifacts = append(artifacts, other)
		}
	}
	switch {
	case artifact != "" && !slices.Contains(artifacts, artifact):
		e := fault(CodeUnknownComponent, clip(string(artifact)), "the catalog has no such artifact; %s", offer(artifacts))
		if artifact.Valid() && artifact.Role() == lockv2.Artifact {
			e = e.withHint("compose catalog new component " + string(artifact))
		}
		return nil, e
	case artifact == "" && len(artifacts) != 1:
		return nil, fault(CodeInvalidRecipe, string(id), "a recipe is made around one artifact; %s with --artifact", offer(artifacts))
	case artifact == "":
		artifact = artifacts[0]
	}
	index, err := t.listed("recipes", string(id))
	return []File{recipe(id, artifact), index}, err
}

// offer says what there is to name.
func offer(artifacts []lockv2.ComponentID) string {
	if len(artifacts) == 0 {
		return "it has none: add one first, and name it"
	}
	const most = 10
	text := "name one of"
	for i, id := range artifacts {
		if i == most {
			return text + " and others"
		}
		text += " " + string(id)
	}
	return text
}

// clip cuts what a person typed to what a message can hold.
func clip(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
