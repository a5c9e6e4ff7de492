package scaffold

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/starter"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// NewCatalog returns the files of a small catalog: an index with this identity, the state component, an artifact of the
// recipe's name, the recipe, and a page for those who maintain it, at the path guide. The index is the last file.
//
// Errors, *Error: SOURCE_IDENTITY_REQUIRED and INVALID_RECIPE for what is no identity and no id.
func NewCatalog(repository string, id lockv2.RecipeID, guide string) ([]File, error) {
	if err := lockv2.CheckRepository(repository); err != nil {
		return nil, fault(CodeIdentity, "", "the identity of the catalog %v", err)
	}
	artifact := lockv2.ComponentID("artifact." + string(id))
	if !id.Valid() || !artifact.Valid() {
		return nil, fault(CodeInvalidRecipe, "", "%q is no recipe id; give lower-case words joined by hyphens, such as service", clip(string(id)))
	}
	files := []File{{Path: guide, Content: []byte(maintainersGuide(repository, string(id)))}, recipe(id, artifact)}
	for _, id := range []lockv2.ComponentID{artifact, lockv2.StateComponent} {
		more, err := component(id)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return append(files, File{Path: catalog.IndexPath, Content: strictjson.Encode(strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("repository", strictjson.Str(repository)),
		strictjson.F("components", strictjson.Strs([]lockv2.ComponentID{artifact, lockv2.StateComponent})),
		strictjson.F("recipes", strictjson.Strs([]lockv2.RecipeID{id})),
	))}), nil
}

// Identity proposes the identity of a catalog in a folder: owner and name of the remote called origin, or else the name of
// the folder.
func Identity(dir string) string {
	var config gitconfig.Config
	if config.AddFile(filepath.Join(dir, ".git", "config"), gitconfig.Includes{}) == nil {
		if origin, found := config.Last("remote.origin.url"); found {
			if u, remote, err := giturl.Parse(origin); err == nil && remote {
				names := strings.Split(strings.Trim(strings.TrimSuffix(u.Path, ".git"), "/~"), "/")
				if identity := identityOf(names[max(len(names)-2, 0):]); identity != "" {
					return identity
				}
			}
		}
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	if identity := identityOf([]string{filepath.Base(dir)}); identity != "" {
		return identity
	}
	return "templates"
}

// identityOf joins names to an identity, with hyphens for what can't stand in one; "" where nothing is left.
func identityOf(names []string) string {
	var list []string
	for _, name := range names {
		name = strings.Trim(strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-", r) {
				return r
			}
			return '-'
		}, name), "-.")
		if name != "" {
			list = append(list, name)
		}
	}
	identity := strings.Join(list, "/")
	if lockv2.CheckRepository(identity) != nil {
		return ""
	}
	return identity
}

func descriptorPath(id lockv2.ComponentID) string {
	return "components/" + string(id) + "/component.json"
}

func recipePath(id lockv2.RecipeID) string { return "recipes/" + string(id) + ".json" }

// sample is a material to begin with.
type sample struct {
	destination string
	ownership   lockv2.Ownership
	content     string
}

// component returns the files of a new component: its materials, then its descriptor.
func component(id lockv2.ComponentID) ([]File, error) {
	if id == lockv2.StateComponent {
		return stateComponent()
	}
	title, name := words(string(id)), strings.TrimPrefix(string(id), string(id.Role())+".")
	requires := []lockv2.ComponentID{}
	var samples []sample
	switch id.Role() {
	case lockv2.Artifact:
		requires = append(requires, lockv2.StateComponent)
		samples = []sample{
			{".editorconfig", lockv2.Managed, "root = true\n\n[*]\ncharset = utf-8\nend_of_line = lf\ninsert_final_newline = true\ntrim_trailing_whitespace = true\n"},
			{"README.md", lockv2.Seed, fmt.Sprintf("# %s\n\nSay here what this repository is for. The text is yours: the catalog wrote it once, and leaves it alone from now on.\n", title)},
		}
	case lockv2.Capability:
		samples = []sample{{"docs/" + name + ".md", lockv2.Managed, sampleText(title, id)}}
	default:
		samples = []sample{{"docs/" + string(id.Role()) + "-" + name + ".md", lockv2.Managed, sampleText(title, id)}}
	}
	folder := "components/" + string(id) + "/"
	var files []File
	materials := strictjson.Value{Kind: strictjson.Array}
	for _, s := range samples {
		source := "files/" + strings.TrimPrefix(s.destination, ".") // a hidden source is easily overlooked
		files = append(files, File{Path: folder + source, Content: []byte(s.content)})
		materials.Items = append(materials.Items, strictjson.Obj(
			strictjson.F("source", strictjson.Str(source)),
			strictjson.F("destination", strictjson.Str(s.destination)),
			strictjson.F("ownership", strictjson.Str(s.ownership)),
		))
	}
	return append(files, File{Path: descriptorPath(id), Content: strictjson.Encode(strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("id", strictjson.Str(id)),
		strictjson.F("component_role", strictjson.Str(id.Role())),
		strictjson.F("version", strictjson.Int(1)),
		strictjson.F("summary", strictjson.Str(title)),
		strictjson.F("requires", strictjson.Strs(requires)),
		strictjson.F("conflicts", strictjson.Strs([]lockv2.ComponentID{})),
		strictjson.F("materials", materials),
	))}), nil
}

func sampleText(title string, id lockv2.ComponentID) string {
	return fmt.Sprintf("# %s\n\nThis file comes from the component `%s`. Replace it with what the component is to bring.\n", title, id)
}

// stateComponent is that of the catalog inside the program, whose validator is the one that this program stands on.
func stateComponent() ([]File, error) {
	there, err := starter.Files("components/" + string(lockv2.StateComponent))
	if err != nil {
		return nil, err
	}
	var files []File
	for _, f := range there {
		files = append(files, File{Path: f.Path, Content: f.Content})
	}
	last := descriptorPath(lockv2.StateComponent)
	slices.SortStableFunc(files, func(a, b File) int {
		switch last {
		case a.Path:
			return 1
		case b.Path:
			return -1
		}
		return 0
	})
	return files, nil
}

func recipe(id lockv2.RecipeID, artifact lockv2.ComponentID) File {
	none := strictjson.Strs([]lockv2.ComponentID{})
	return File{Path: recipePath(id), Content: strictjson.Encode(strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("id", strictjson.Str(id)),
		strictjson.F("summary", strictjson.Str(words(string(id)))),
		strictjson.F("artifact", strictjson.Str(artifact)),
		strictjson.F("required_components", none),
		strictjson.F("default_components", none),
		strictjson.F("optional_components", none),
	))}
}

// words makes a title of an id: "Release notes" of capability.release-notes.
func words(id string) string {
	name := strings.ReplaceAll(id[strings.LastIndexByte(id, '.')+1:], "-", " ")
	return strings.ToUpper(name[:1]) + name[1:]
}

// maintainersGuide is the page for those who maintain the catalog.
func maintainersGuide(repository, recipe string) string {
	return `# ` + repository + `

A catalog: what repositories of one kind have in common, in components that ` + "`compose`" + ` installs and keeps up to date.

| place | what it is |
| --- | --- |
| ` + "`catalog/catalog.json`" + ` | the index: the identity of this catalog, its components and recipes |
| ` + "`recipes/ID.json`" + ` | a starting selection around one artifact |
| ` + "`components/ID/component.json`" + ` | a component: what it requires, and each file that it supplies |
| ` + "`components/ID/files/`" + ` | the bytes of these files |

A ` + "`managed`" + ` file is this catalog's: an update replaces it everywhere, and an edit elsewhere is reported, never overwritten.
A ` + "`seed`" + ` is written once and belongs to whoever has it from then on.

## Change it

` + "```sh" + `
compose catalog new component capability.release-notes
git add --all
git commit -m "Add release notes"
compose catalog check --source .
` + "```" + `

Only what is committed counts. A new component reaches a repository when a recipe selects it: list its id in
` + "`default_components`" + ` (chosen unless it is left out) or ` + "`optional_components`" + ` (chosen when it is asked for) of ` + "`recipes/" + recipe + ".json`" + `.

- Change a material: commit it. Repositories get it with ` + "`compose apply --mode update`" + `.
- Change a ` + "`component.json`" + `: raise its ` + "`version`" + `. Repositories get it with ` + "`compose apply --mode upgrade`" + `.
- Leave the identity in the index as it is: locks name it.
- Leave ` + "`lifecycle.composition-state`" + ` as it is: it brings the validator that every repository runs in its own CI. A newer
  ` + "`compose`" + ` may bring a newer one.

## Use it

` + "```sh" + `
compose plan --source . --recipe ` + recipe + ` --target ../new-repository
compose apply --source . --recipe ` + recipe + ` --target ../new-repository
` + "```" + `
`
}
