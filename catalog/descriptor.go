package catalog

import (
	"strings"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/portable"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// readFiles reads every descriptor, then every recipe, and checks the form of each.
func (l *loader) readFiles() error {
	l.components = make([]*Component, len(l.ids))
	l.recipes = make([]*Recipe, len(l.recipeIDs))
	err := l.each(len(l.ids), func(i int) (faults []*Error, err error) {
		l.components[i], faults, err = l.readComponent(l.ids[i])
		return faults, err
	})
	if err != nil {
		return err
	}
	return l.each(len(l.recipeIDs), func(i int) (faults []*Error, err error) {
		l.recipes[i], faults, err = l.readRecipe(l.recipeIDs[i])
		return faults, err
	})
}

// readComponent returns nil for a descriptor that can't be taken apart, and a component beside the faults for one
// whose contents break a rule.
func (l *loader) readComponent(id lockv2.ComponentID) (*Component, []*Error, error) {
	if l.noComponent[id] {
		return nil, nil, nil
	}
	path := descriptorPath(id)
	b, doc, faults, err := l.document(path, schemas.Component)
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	c, role, bad := parseComponent(doc)
	if bad != nil {
		return nil, []*Error{lacksForm(path, bad)}, nil
	}
	c.Digest = fingerprint.Of[fingerprint.Descriptor](b)
	found := func(code, pointer, format string, args ...any) {
		faults = append(faults, fault(code, path, pointer, format, args...))
	}
	if c.ID != id {
		found(CodeInvalidComponent, "/id", "is %q, and the folder is %q; give both the same name", c.ID, id)
		c.ID = id // what names the folder means this component
	}
	if role != id.Role() {
		found(CodeInvalidComponent, "/component_role", "is %q; the id %q has the role %q: write that", role, id, id.Role())
	}
	for i, r := range c.Registrations {
		if v, rising := checkHistory(r.VersionHistory); !rising {
			found(CodeInvalidComponent, item("contract_registrations", i)+item("version_history", v), "version %d does not follow on version %d; list the versions in rising order",
				r.VersionHistory[v].Version, r.VersionHistory[v-1].Version)
		}
	}
	if c.ParametersSchema != nil {
		if _, err := schemas.Compile(*c.ParametersSchema); err != nil {
			found(CodeSchemaValidationFailed, "/parameters_schema"+pointerOf(err), "%s", reasonOf(err))
		}
	}
	folder := folderOf(id) + "/"
	var paths strings.Builder // of the sources: few allocations for many
	for i := range c.Materials {
		m := &c.Materials[i]
		if err := m.Destination.Check(); err != nil {
			found(CodeInvalidDestination, item("materials", i)+"/destination", "%q is no portable path: %v; choose a destination that every system can hold", short(string(m.Destination)), err)
		}
		if m.Generator != "" {
			continue
		}
		if err := portable.Check(m.Source); err != nil {
			found(CodeInvalidDestination, item("materials", i)+"/source", "%q is no portable path: %v; rename the file so that every system can hold it", short(m.Source), err)
			continue
		}
		from := paths.Len()
		paths.WriteString(folder)
		paths.WriteString(m.Source)
		m.path = paths.String()[from:]
	}
	return c, faults, nil
}

// checkHistory returns the first entry whose version is not above the one before.
func checkHistory(history []ContractVersion) (at int, rising bool) {
	for i := 1; i < len(history); i++ {
		if history[i].Version <= history[i-1].Version {
			return i, false
		}
	}
	return 0, true
}

// parseComponent takes a descriptor that keeps its schema apart.
func parseComponent(doc *strictjson.Document) (*Component, lockv2.Role, *strictjson.Fault) {
	c := &Component{}
	var role lockv2.Role
	bad := doc.Decode(func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			f.Get("schema_version")
			c.ID = lockv2.ComponentID(f.Get("id").Text())
			role = lockv2.Role(f.Get("component_role").Text())
			c.Version = f.Get("version").Int()
			c.Summary = f.Get("summary").Text()
			c.Requires = texts[lockv2.ComponentID](f.Get("requires"))
			c.Conflicts = texts[lockv2.ComponentID](f.Get("conflicts"))
			if n, found := f.Lookup("contract_registrations"); found {
				n.Items(func(_ int, n strictjson.Node) { c.Registrations = append(c.Registrations, parseRegistration(n)) })
			}
			if n, found := f.Lookup("parameters_schema"); found {
				v := n.Value()
				c.ParametersSchema = &v
			}
			materials := f.Get("materials")
			c.Materials = make([]Material, 0, materials.Len())
			materials.Items(func(_ int, n strictjson.Node) { c.Materials = append(c.Materials, parseMaterial(n)) })
		})
	})
	return c, role, bad
}

func parseMaterial(n strictjson.Node) (m Material) {
	optional := func(f *strictjson.Fields, name string) string {
		if n, found := f.Lookup(name); found {
			return n.Text()
		}
		return ""
	}
	n.Object(func(f *strictjson.Fields) {
		m.Source = optional(f, "source")
		m.Destination = lockv2.Destination(f.Get("destination").Text())
		m.Ownership = lockv2.Ownership(f.Get("ownership").Text())
		m.Compose = optional(f, "compose")
		m.Generator = optional(f, "generator")
	})
	return m
}

func parseRegistration(n strictjson.Node) (r Registration) {
	n.Object(func(f *strictjson.Fields) {
		r.ID = f.Get("id").Text()
		r.Document = f.Get("document").Text()
		r.Schema = f.Get("schema").Text()
		r.MigrationSlug = f.Get("migration_slug").Text()
		r.DocumentSchemaVersion = f.Get("document_schema_version").Int()
		f.Get("version_history").Items(func(_ int, n strictjson.Node) {
			var v ContractVersion
			n.Object(func(f *strictjson.Fields) {
				v.Version = f.Get("version").Int()
				v.ChangeType = f.Get("change_type").Text()
				if n, found := f.Lookup("migration"); found {
					v.Migration = n.Text()
				}
			})
			r.VersionHistory = append(r.VersionHistory, v)
		})
		r.Purpose = f.Get("purpose").Text()
	})
	return r
}

// readRecipe is readComponent for a recipe.
func (l *loader) readRecipe(id lockv2.RecipeID) (*Recipe, []*Error, error) {
	if l.noRecipe[id] {
		return nil, nil, nil
	}
	path := recipePath(id)
	b, doc, faults, err := l.document(path, schemas.Recipe)
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	r, bad := parseRecipe(doc)
	if bad != nil {
		return nil, []*Error{lacksForm(path, bad)}, nil
	}
	r.Digest = fingerprint.Of[fingerprint.Recipe](b)
	if r.ID != id {
		faults = append(faults, fault(CodeInvalidRecipe, path, "/id", "is %q, and the file is %q; give both the same name", r.ID, id+".json"))
		r.ID = id
	}
	listed := map[lockv2.ComponentID]string{}
	for _, list := range r.lists() {
		for i, id := range list.ids {
			if before, twice := listed[id]; twice {
				faults = append(faults, fault(CodeInvalidRecipe, path, item(list.name, i), "%q is in %q, too; a component is required, default or optional: keep one of them", id, before))
				continue
			}
			listed[id] = list.name
		}
	}
	return r, faults, nil
}

// recipeList is one of a recipe's three lists and the name of its field.
type recipeList struct {
	name string
	ids  []lockv2.ComponentID
}

func (r *Recipe) lists() []recipeList {
	return []recipeList{{"required_components", r.Required}, {"default_components", r.Default}, {"optional_components", r.Optional}}
}

func parseRecipe(doc *strictjson.Document) (*Recipe, *strictjson.Fault) {
	r := &Recipe{}
	bad := doc.Decode(func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			f.Get("schema_version")
			r.ID = lockv2.RecipeID(f.Get("id").Text())
			r.Summary = f.Get("summary").Text()
			r.Artifact = lockv2.ComponentID(f.Get("artifact").Text())
			r.Required = texts[lockv2.ComponentID](f.Get("required_components"))
			r.Default = texts[lockv2.ComponentID](f.Get("default_components"))
			r.Optional = texts[lockv2.ComponentID](f.Get("optional_components"))
		})
	})
	return r, bad
}

func pointerOf(err error) string {
	if e, ok := err.(*schemas.Error); ok {
		return e.Pointer
	}
	return ""
}

func reasonOf(err error) string {
	if e, ok := err.(*schemas.Error); ok {
		return e.Reason
	}
	return err.Error()
}
