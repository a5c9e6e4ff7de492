package main

import (
	"path/filepath"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/scaffold"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

type catalogInitCommand struct {
	Dir        string `arg:"" placeholder:"DIR" help:"A new or empty folder, or the top of a git work tree without a catalog."`
	Repository string `placeholder:"OWNER/NAME" help:"The catalog's identity, which locks record (default: asked; without a terminal, that of the remote origin, else the folder's name)."`
	Recipe     string `default:"app" placeholder:"ID" help:"The name of the first recipe, and of its artifact (default: app)."`
}

func (c *catalogInitCommand) Help() string {
	return `Writes a small catalog: an index, a recipe with its artifact, the component that brings consumers their validator, and a page for those who maintain it. Nothing is overwritten, and git is left to you.

  compose catalog init templates --repository example-org/templates
  git init templates
  git -C templates add --all
  git -C templates commit -m "Start a catalog"
  compose catalog check --source templates`
}

func (c *catalogInitCommand) Run(s *session) error {
	place, err := scaffold.CheckPlace(c.Dir)
	if err != nil {
		return err
	}
	if c.Repository == "" {
		if c.Repository, err = c.identity(newAsker(s)); err != nil {
			return err
		}
	}
	files, err := scaffold.NewCatalog(c.Repository, lockv2.RecipeID(c.Recipe), place.Guide)
	if err != nil {
		return err
	}
	written, err := scaffold.Write(s.ctx, c.Dir, files)
	if err != nil {
		return err
	}
	var next []string
	if !place.Git {
		next = append(next, "git init "+diag.Quote(c.Dir))
	}
	folders := []string{"catalog", "components", "recipes"}
	if place.Guide == "README.md" {
		folders = append([]string{place.Guide}, folders...)
	}
	next = append(next, inGit(c.Dir, "add", folders...), inGit(c.Dir, "commit", "-m", "Start a catalog"),
		"compose catalog check --source "+diag.Quote(c.Dir),
		"compose catalog new component capability.NAME"+dirFlag(c.Dir))
	doc := scaffoldDocument(c.Dir, written, next, strictjson.F("repository", strictjson.Str(c.Repository)), strictjson.F("recipe", strictjson.Str(c.Recipe)))
	return s.answer(doc, func(w *textWriter) {
		w.line("Started the catalog %q in %s, with the recipe %q.", c.Repository, c.Dir, c.Recipe)
		w.prose(0, "Locks name a catalog by this identity: if it is not the right one, change it in catalog/catalog.json now.")
		scaffoldText(w, written, next)
	}, exitDone)
}

// identity asks for the identity of the catalog, where there is somebody to ask.
func (c *catalogInitCommand) identity(a *asker) (string, error) {
	proposed := scaffold.Identity(c.Dir)
	if a == nil {
		return proposed, nil
	}
	err := a.say(func(w *textWriter) {
		w.prose(0, "Locks name the catalog by its identity, such as example-org/templates. It stays as it is for good.")
	})
	if err != nil {
		return "", err
	}
	return ask(a, "Identity ["+proposed+"]:", &proposed, func(text string) (string, error) {
		if err := lockv2.CheckRepository(text); err != nil {
			return "", &usageError{msg: "the identity " + err.Error()}
		}
		return text, nil
	})
}

type catalogNewCommand struct {
	Component catalogNewComponentCommand `cmd:"" help:"Add a component."`
	Recipe    catalogNewRecipeCommand    `cmd:"" help:"Add a recipe."`
}

// catalogDirFlag names the work tree of a catalog.
type catalogDirFlag struct {
	Dir string `default:"." placeholder:"DIR" help:"The catalog's work tree (default: the current folder)."`
}

type catalogNewComponentCommand struct {
	ID string `arg:"" placeholder:"ID" help:"The component's id: a role, a dot and a name, such as capability.release-notes."`
	catalogDirFlag
}

func (c *catalogNewComponentCommand) Help() string {
	return "Writes a descriptor with a material to begin with, and lists the component in catalog/catalog.json. Nothing is overwritten. lifecycle.composition-state comes with its validator."
}

func (c *catalogNewComponentCommand) Run(s *session) error {
	id := lockv2.ComponentID(c.ID)
	return c.add(s, "components/"+c.ID, strictjson.F("component", strictjson.Str(validText(c.ID))),
		func(t *scaffold.Tree) ([]scaffold.File, error) { return t.NewComponent(id) },
		func(w *textWriter) {
			w.line("Added the component %q.", c.ID)
			w.prose(0, "Say what it is for in components/%s/component.json, put its files below files/, and list each in its materials.", c.ID)
			if id.Selectable() {
				w.prose(0, "A recipe has to offer it: list it in default_components or optional_components of one in recipes/.")
			} else if id.Role() != lockv2.Artifact {
				w.prose(0, "It comes along with a component that requires it: list it in the requires of one.")
			} else {
				w.prose(0, "A recipe is made around it: compose catalog new recipe ID --artifact %s", c.ID)
			}
		})
}

type catalogNewRecipeCommand struct {
	ID       string `arg:"" placeholder:"ID" help:"The recipe's id: lower-case words joined by hyphens, such as service."`
	Artifact string `placeholder:"COMPONENT" help:"The artifact that it is made around (default: the catalog's only one)."`
	catalogDirFlag
}

func (c *catalogNewRecipeCommand) Help() string {
	return "Writes a recipe around an artifact, and lists it in catalog/catalog.json. Nothing is overwritten."
}

func (c *catalogNewRecipeCommand) Run(s *session) error {
	return c.add(s, "recipes/"+c.ID+".json", strictjson.F("recipe", strictjson.Str(validText(c.ID))),
		func(t *scaffold.Tree) ([]scaffold.File, error) {
			return t.NewRecipe(lockv2.RecipeID(c.ID), lockv2.ComponentID(c.Artifact))
		},
		func(w *textWriter) {
			w.line("Added the recipe %q.", c.ID)
			w.prose(0, "Say what it is for in recipes/%s.json, and list the components that it selects and offers.", c.ID)
		})
}

// add writes what is to be added to the catalog at path.
func (c *catalogDirFlag) add(s *session, path string, what strictjson.Member, make func(*scaffold.Tree) ([]scaffold.File, error), text func(*textWriter)) error {
	tree, err := scaffold.OpenTree(c.Dir)
	if err != nil {
		return err
	}
	files, err := make(tree)
	if err != nil {
		return err
	}
	written, err := scaffold.Write(s.ctx, c.Dir, files)
	if err != nil {
		return err
	}
	next := []string{
		inGit(c.Dir, "add", "catalog", path), inGit(c.Dir, "commit", "-m", "Add "+strings.TrimSuffix(path[strings.IndexByte(path, '/')+1:], ".json")),
		"compose catalog check --source " + diag.Quote(c.Dir),
	}
	return s.answer(scaffoldDocument(c.Dir, written, next, what), func(w *textWriter) {
		text(w)
		scaffoldText(w, written, next)
	}, exitDone)
}

// inGit is a git command in dir.
func inGit(dir, verb string, words ...string) string {
	line := commandLineOf{"git"}
	if filepath.Clean(dir) != "." {
		line.flag("-C", dir)
	}
	line = append(line, verb)
	for _, word := range words {
		line = append(line, diag.Quote(word))
	}
	return line.String()
}

// dirFlag is the flag that leads another command to dir.
func dirFlag(dir string) string {
	if filepath.Clean(dir) == "." {
		return ""
	}
	return " --dir " + diag.Quote(dir)
}

// scaffoldDocument is the answer of a command that writes files of a catalog.
func scaffoldDocument(dir string, written scaffold.Written, next []string, what ...strictjson.Member) strictjson.Value {
	members := append([]strictjson.Member{strictjson.F("status", strictjson.Str("written")), strictjson.F("dir", strictjson.Str(validText(dir)))}, what...)
	return strictjson.Obj(append(members,
		strictjson.F("created", strictjson.Strs(written.Created)),
		strictjson.F("kept", strictjson.Strs(written.Kept)),
		strictjson.F("replaced", strictjson.Strs(written.Replaced)),
		strictjson.F("next", strictjson.List(next, func(command string) strictjson.Value { return strictjson.Str(validText(command)) })),
	)...)
}

// scaffoldText is the part that these commands have in common.
func scaffoldText(w *textWriter, written scaffold.Written, next []string) {
	w.gap()
	type change struct{ sign, path string }
	var all []change
	for _, list := range []struct {
		sign  string
		paths []string
	}{{"+", written.Created}, {"~", written.Replaced}, {"=", written.Kept}} {
		for _, path := range list.paths {
			all = append(all, change{list.sign, path})
		}
	}
	w.list(len(all), "file", func(i int) { w.line("  %s %s", all[i].sign, all[i].path) })
	w.next(next...)
}
