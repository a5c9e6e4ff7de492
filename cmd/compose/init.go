package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/scaffold"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

type initCommand struct {
	Config     string   `default:"composition.json" placeholder:"FILE" help:"The configuration to write (default: composition.json)."`
	Recipe     string   `placeholder:"ID" help:"The recipe; without it you are asked, for components too."`
	Include    []string `sep:"none" placeholder:"COMPONENT" help:"With --recipe: also select this component; may be repeated."`
	Exclude    []string `sep:"none" placeholder:"COMPONENT" help:"With --recipe: leave out this default component; may be repeated."`
	Parameter  []string `sep:"none" placeholder:"COMPONENT.NAME=VALUE" help:"With --recipe: give a component a parameter, as a text or as JSON; may be repeated."`
	Force      bool     `help:"Write over files that are there."`
	SchemaOnly bool     `help:"Write only the schema for editors, for the catalog as it is now."`
	sourceFlags
}

func (c *initCommand) Help() string {
	return `Writes a configuration for the catalog, and beside it a JSON Schema by which editors complete it: the recipes, components and parameters that there are. On a terminal you are asked for what the flags leave open; elsewhere --recipe says it.

  compose init
  compose init --recipe service --exclude capability.container
  compose init --recipe service --parameter capability.container.image=registry.example.org/orders

The choice is resolved before anything is written, and no file is overwritten without --force.`
}

func (c *initCommand) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	var a *asker
	if !c.SchemaOnly {
		if a = newAsker(s); a == nil && c.Recipe == "" {
			return &usageError{msg: "there is no terminal to ask on, so the flags have to say what is chosen: give --recipe, and --include, --exclude and --parameter for what differs from it",
				hint: "compose init --recipe ID"}
		}
	}
	root, err := openTarget(filepath.Dir(c.Config))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := c.usePolicy(root); err != nil {
		return err
	}
	work, err := refetched(s, &c.sourceFlags, func() (*composeWork, error) { return c.openCatalog(s) })
	if err != nil {
		return err
	}
	defer work.Close()
	made := &initialization{command: c, catalog: work.catalog, asker: a}
	made.draft = scaffold.Draft{Recipe: c.Recipe, Include: c.Include, Exclude: c.Exclude}
	if !c.SchemaOnly {
		if err := made.choose(); err != nil {
			return err
		}
	}
	mode := modeInitial
	if _, err := root.Stat(lockv2.LockPath); err == nil {
		mode = modeUpgrade
	}
	return made.write(s, mode)
}

// check finds flags that contradict each other, and a file that is in the way before anybody is asked.
func (c *initCommand) check() error {
	chosen := c.Recipe != "" || len(c.Include)+len(c.Exclude)+len(c.Parameter) > 0
	switch {
	case c.SchemaOnly && chosen:
		return &usageError{msg: "--schema-only writes no configuration; leave out --recipe and what goes with it"}
	case c.Recipe == "" && chosen:
		return &usageError{msg: "--include, --exclude and --parameter go with --recipe; give it, or leave them out to be asked"}
	case os.IsPathSeparator(c.Config[len(c.Config)-1]):
		return &usageError{msg: "--config names a folder; name the file in it"}
	}
	if place, err := filepath.Abs(c.Config); err == nil && slices.ContainsFunc(strings.Split(filepath.ToSlash(place), "/"), isStateFolder) {
		return &usageError{msg: "--config names a place in " + lockv2.StateFolder + ", which is the composer's own; name another file"}
	}
	if c.SchemaOnly || c.Force {
		return nil
	}
	if _, err := os.Lstat(c.Config); err == nil {
		return &commandError{diag.New(scaffold.CodeFileExists, c.Config, "is there; nothing was written: name another file with --config, or write over it with --force")}
	}
	return nil
}

func isStateFolder(name string) bool { return strings.EqualFold(name, lockv2.StateFolder) }

// openCatalog opens and loads the source. Its identity does not matter yet.
func (c *initCommand) openCatalog(s *session) (*composeWork, error) {
	work, err := c.openSource(s)
	if err != nil {
		return nil, err
	}
	if work.catalog, err = catalog.Load(s.ctx, work.source); err != nil {
		work.Close()
		return nil, err
	}
	return work, nil
}

// initialization is a configuration on its way from the choice to the file.
type initialization struct {
	command *initCommand
	catalog *catalog.Catalog
	asker   *asker // nil: nobody to ask
	draft   scaffold.Draft

	resolved []lockv2.ComponentID
}

// file and schema are the names of the two files in their folder.
func (i *initialization) file() string   { return filepath.Base(i.command.Config) }
func (i *initialization) schema() string { return scaffold.EditorSchemaName(i.file()) }

func (i *initialization) text() []byte { return i.draft.Encode(i.schema()) }

// choose completes the choice until it resolves. Where nobody can be asked, the first fault is the answer.
func (i *initialization) choose() error {
	if err := i.takeParameters(); err != nil {
		return err
	}
	asks := i.asker != nil && i.command.Recipe == ""
	if asks {
		if err := i.askRecipe(); err != nil {
			return err
		}
		if err := i.askComponents(); err != nil {
			return err
		}
	}
	for {
		err := i.resolve()
		fault := (*resolver.Error)(nil)
		if err == nil || !errors.As(err, &fault) || i.asker == nil {
			return i.withFlags(err)
		}
		switch {
		case fault.Code() == resolver.CodeParameterInvalid && len(fault.Components) == 1:
			err = i.askParameters(fault.Components[0])
		case asks:
			if err = i.asker.say(func(w *textWriter) { w.prose(0, "%s", caution(fault.Error())) }); err == nil {
				err = i.askComponents()
			}
		}
		if err != nil {
			return err
		}
	}
}

func (i *initialization) resolve() error {
	config, err := resolver.ParseConfig(i.command.Config, i.text())
	if err != nil {
		return err
	}
	i.resolved, err = resolver.Resolve(i.catalog, config)
	return err
}

// withFlags tells, of a parameter that is missing, the flag that gives it.
func (i *initialization) withFlags(err error) error {
	fault := (*resolver.Error)(nil)
	if !errors.As(err, &fault) || fault.Code() != resolver.CodeParameterInvalid || len(fault.Components) != 1 {
		return err
	}
	id := fault.Components[0]
	name := "NAME"
	if missing := i.missing(id); len(missing) > 0 {
		name = missing[0].Name
	}
	_, below, _ := strings.Cut(fault.Path(), "/"+string(id)+"/")
	for _, p := range i.parametersOf(id) {
		if p.Name == below {
			name = below
		}
	}
	msg := strings.TrimPrefix(fault.Error(), fault.Path()+": ")
	return &commandError{diag.New(fault.Code(), fault.Path(), msg+"; nothing was written").
		WithHint("--parameter " + diag.Quote(string(id)+"."+name+"=VALUE"))}
}

// missing are the parameters that a component asks for and is not given.
func (i *initialization) missing(id lockv2.ComponentID) []scaffold.Parameter {
	var list []scaffold.Parameter
	given, _ := i.draft.Parameters.Get(string(id))
	for _, p := range i.parametersOf(id) {
		if _, there := given.Get(p.Name); p.Required && !there {
			list = append(list, p)
		}
	}
	return list
}

func (i *initialization) parametersOf(id lockv2.ComponentID) []scaffold.Parameter {
	c := i.catalog.Component(id)
	if c == nil || c.ParametersSchema == nil {
		return nil
	}
	return scaffold.Parameters(*c.ParametersSchema)
}

// takeParameters reads the flags --parameter.
func (i *initialization) takeParameters() error {
	for _, text := range i.command.Parameter {
		name, value, found := strings.Cut(text, "=")
		role, rest, _ := strings.Cut(name, ".")
		component, name, dotted := strings.Cut(rest, ".")
		id := lockv2.ComponentID(role + "." + component)
		if !found || !dotted || name == "" || !id.Valid() || text != validText(text) {
			return &usageError{msg: "--parameter " + diag.Quote(text) + " is not COMPONENT.NAME=VALUE", hint: "--parameter capability.container.image=registry.example.org/orders"}
		}
		p := scaffold.Parameter{Name: name}
		for _, known := range i.parametersOf(id) {
			if known.Name == name {
				p = known
			}
		}
		v, err := p.Read(value)
		if err != nil {
			return err
		}
		i.draft.Set(id, name, v)
	}
	return nil
}

// write writes the files and answers.
func (i *initialization) write(s *session, mode string) error {
	dir := filepath.Dir(i.command.Config)
	schema, err := scaffold.EditorSchema(i.catalog)
	if err != nil {
		return err
	}
	files := []scaffold.File{{Path: i.schema(), Content: schema}}
	if !i.command.SchemaOnly {
		files = append(files, scaffold.File{Path: i.file(), Content: i.text()})
	}
	for k := range files {
		there, err := plainfile.Read(filepath.Join(dir, files[k].Path), catalog.MaxFile)
		switch {
		case err == nil && (i.command.Force || k == 0 && scaffold.IsEditorSchema(there)):
			files[k].Replaces = append([]byte{}, there...)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return readError(filepath.Join(dir, files[k].Path), err)
		}
	}
	written, err := scaffold.Write(s.ctx, dir, files)
	if err != nil {
		return err
	}
	choice := &choiceFlags{Mode: mode, selectionFlags: selectionFlags{Config: i.command.Config}, sourceFlags: i.command.sourceFlags, targetFlag: targetFlag{Target: dir}}
	next := []string{choice.again("compose", "plan"), choice.again("compose", "apply")}
	if i.command.SchemaOnly {
		next = nil
	}
	return s.answer(i.document(dir, next), func(w *textWriter) { i.show(w, dir, written, next) }, exitDone)
}

func (i *initialization) document(dir string, next []string) strictjson.Value {
	members := []strictjson.Member{
		strictjson.F("status", strictjson.Str("written")),
		strictjson.F("schema", strictjson.Str(validText(filepath.Join(dir, i.schema())))),
		strictjson.F("revision", strictjson.Str(i.catalog.Revision())),
	}
	if !i.command.SchemaOnly {
		members = append(members,
			strictjson.F("configuration", strictjson.Str(validText(i.command.Config))),
			strictjson.F("recipe", strictjson.Str(i.draft.Recipe)),
			strictjson.F("components", strictjson.Strs(i.resolved)),
		)
	}
	return strictjson.Obj(append(members, strictjson.F("next", strictjson.List(next, func(command string) strictjson.Value { return strictjson.Str(validText(command)) })))...)
}

func (i *initialization) show(w *textWriter, dir string, written scaffold.Written, next []string) {
	if i.command.SchemaOnly {
		w.line("Wrote %s for the catalog at %s.", filepath.Join(dir, i.schema()), w.revision(i.catalog.Revision()))
		return
	}
	w.line("Wrote %s: recipe %q, %s.", i.command.Config, i.draft.Recipe, diag.Count(len(i.resolved), "component"))
	widest := 0
	for _, id := range i.resolved {
		widest = max(widest, len(id))
	}
	w.gap()
	w.list(len(i.resolved), "component", func(k int) {
		text := spans("  %-*s  ", widest, i.resolved[k])
		w.put(0, append(text, spans("%s", faint(i.catalog.Component(i.resolved[k]).Summary)).Cut(w.screen.Width()-text.Width())...))
	})
	w.gap()
	w.prose(0, "Editors complete the file by %s, beside it.", filepath.Join(dir, i.schema()))
	w.next(next...)
}
