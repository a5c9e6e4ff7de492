package resolver

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// Resolve returns the ids that cfg selects from c: sorted by bytes, unique, dependencies included,
// exactly one of them an artifact.
//
// It reads only its arguments. The first fault, in the order of docs/resolution.md, comes back as an *Error:
// UNKNOWN_RECIPE, SELECTION_OVERLAP, COMPONENT_NOT_EXPOSED, REQUIRED_COMPONENT_EXCLUDED, EXCLUDED_DEPENDENCY,
// COMPONENT_CONFLICT, PARAMETER_COMPONENT_UNRESOLVED, PARAMETER_INVALID, MULTIPLE_TOPOLOGY_COMPONENTS,
// MULTIPLE_WORKSPACE_COMPONENTS. Calls may overlap: c and cfg are not changed.
func Resolve(c *catalog.Catalog, cfg Config) ([]lockv2.ComponentID, error) {
	_, ids, err := resolve(c, cfg)
	return ids, err
}

// resolve is Resolve that keeps how it came to the result.
func resolve(c *catalog.Catalog, cfg Config) (*selection, []lockv2.ComponentID, error) {
	intent := cfg.Intent
	recipe := c.Recipe(intent.Recipe)
	if recipe == nil {
		return nil, nil, unknownRecipe(c, intent.Recipe)
	}
	s := &selection{catalog: c, recipe: recipe, include: set(intent.Include), exclude: set(intent.Exclude)}
	if err := s.checkChoice(); err != nil {
		return nil, nil, err
	}
	s.reasons = s.close(nil)
	ids := slices.Sorted(maps.Keys(s.reasons))
	for _, check := range []func([]lockv2.ComponentID) *Error{
		s.checkExcluded,
		s.checkConflicts,
		func([]lockv2.ComponentID) *Error { return s.checkParameterTargets(cfg) },
		func(ids []lockv2.ComponentID) *Error { return s.checkParameters(ids, cfg) },
		func(ids []lockv2.ComponentID) *Error {
			return s.checkSingle(ids, lockv2.Topology, CodeMultipleTopologyComponents)
		},
		func(ids []lockv2.ComponentID) *Error {
			return s.checkSingle(ids, lockv2.Workspace, CodeMultipleWorkspaces)
		},
	} {
		if err := check(ids); err != nil {
			return nil, nil, err
		}
	}
	return s, ids, nil
}

// maxRecipeFaults bounds how many conflicts CheckRecipe names.
const maxRecipeFaults = 1000

// CheckRecipe returns what a recipe of c selects by itself, where nothing is included or excluded, as Resolve would, and
// every fault that keeps these components apart: COMPONENT_CONFLICT, the first thousand, MULTIPLE_TOPOLOGY_COMPONENTS,
// MULTIPLE_WORKSPACE_COMPONENTS. Parameters, which a recipe may ask for, are not looked at.
func CheckRecipe(c *catalog.Catalog, recipe *catalog.Recipe) ([]lockv2.ComponentID, []*Error) {
	s := &selection{catalog: c, recipe: recipe}
	s.reasons = s.close(nil)
	ids := slices.Sorted(maps.Keys(s.reasons))
	var faults []*Error
	for id, other := range s.conflicts(ids) {
		if len(faults) == maxRecipeFaults {
			break
		}
		faults = append(faults, s.conflictFault(id, other))
	}
	for _, e := range []*Error{
		s.checkSingle(ids, lockv2.Topology, CodeMultipleTopologyComponents),
		s.checkSingle(ids, lockv2.Workspace, CodeMultipleWorkspaces),
	} {
		if e != nil {
			faults = append(faults, e)
		}
	}
	return ids, faults
}

func unknownRecipe(c *catalog.Catalog, id lockv2.RecipeID) *Error {
	var there []string
	for _, r := range c.Recipes {
		there = append(there, string(r.ID))
	}
	if len(there) == 0 {
		return fault(CodeUnknownRecipe, string(id), nil, "the catalog has no such recipe, and no other; use another catalog or revision")
	}
	return fault(CodeUnknownRecipe, string(id), nil, "the catalog has no such recipe; choose one of %s", some(there))
}

// selection is one resolution at work.
type selection struct {
	catalog          *catalog.Catalog
	recipe           *catalog.Recipe
	include, exclude map[lockv2.ComponentID]bool
	reasons          map[lockv2.ComponentID]reason // of every id in the closure
}

func set(ids []lockv2.ComponentID) map[lockv2.ComponentID]bool {
	m := make(map[lockv2.ComponentID]bool, len(ids))
	for _, id := range ids {
		m[id] = true
	}
	return m
}

// checkChoice looks at what the consumer named, before anything is selected.
func (s *selection) checkChoice() error {
	named := slices.Sorted(maps.Keys(s.include))
	for _, id := range named {
		if s.exclude[id] {
			return fault(CodeSelectionOverlap, string(id), []lockv2.ComponentID{id}, "the configuration includes and excludes it; keep one of the two")
		}
	}
	required := set(s.recipe.Required)
	exposed := maps.Clone(required)
	for _, id := range slices.Concat(s.recipe.Default, s.recipe.Optional) {
		exposed[id] = true
	}
	named = slices.AppendSeq(named, maps.Keys(s.exclude))
	slices.Sort(named)
	for _, id := range named {
		if !exposed[id] {
			return s.notExposed(id, slices.Sorted(maps.Keys(exposed)))
		}
	}
	for _, id := range named {
		if s.exclude[id] && required[id] {
			return fault(CodeRequiredComponentExcluded, string(id), []lockv2.ComponentID{id}, "recipe %q always needs it; take it out of components.exclude, or choose another recipe", s.recipe.ID).
				withHint("remove %q from components.exclude", id)
		}
	}
	return nil
}

func (s *selection) notExposed(id lockv2.ComponentID, exposed []lockv2.ComponentID) *Error {
	list := "components.include"
	if s.exclude[id] {
		list = "components.exclude"
	}
	what := "recipe %q does not offer it"
	if s.catalog.Component(id) == nil {
		what = "the catalog does not have it, so recipe %q does not offer it"
	}
	offers := "it offers nothing"
	if len(exposed) > 0 {
		offers = "it offers " + some(exposed)
	}
	return fault(CodeComponentNotExposed, string(id), []lockv2.ComponentID{id}, what+"; %s", s.recipe.ID, offers).withHint("remove %q from %s", id, list)
}

// checkExcluded finds a component that is excluded and needed all the same.
func (s *selection) checkExcluded(ids []lockv2.ComponentID) *Error {
	for _, id := range ids {
		if s.exclude[id] {
			by := s.reasons[id].by
			return fault(CodeExcludedDependency, string(id), []lockv2.ComponentID{id, by}, "the configuration excludes it, and %q requires it, which %s; take it out of components.exclude%s", by, s.why(by), s.insteadOf(id)).
				withHint("remove %q from components.exclude", id)
		}
	}
	return nil
}

// checkConflicts finds two components that can't be together.
func (s *selection) checkConflicts(ids []lockv2.ComponentID) *Error {
	for id, other := range s.conflicts(ids) {
		return s.hintToDrop(s.conflictFault(id, other), id, other)
	}
	return nil
}

// conflicts are the pairs of components that can't be together, each once: by the one that says so, if both do the first.
func (s *selection) conflicts(ids []lockv2.ComponentID) iter.Seq2[lockv2.ComponentID, lockv2.ComponentID] {
	return func(yield func(id, other lockv2.ComponentID) bool) {
		for _, id := range ids {
			for _, other := range slices.Sorted(slices.Values(s.catalog.Component(id).Conflicts)) {
				if _, active := s.reasons[other]; !active || other < id && slices.Contains(s.catalog.Component(other).Conflicts, id) {
					continue
				}
				if !yield(id, other) {
					return
				}
			}
		}
	}
}

func (s *selection) conflictFault(id, other lockv2.ComponentID) *Error {
	return fault(CodeComponentConflict, string(id), []lockv2.ComponentID{id, other}, "conflicts with %q, which %s; it is here because %s: leave one of them out", other, s.why(other), s.because(id))
}

// checkParameterTargets finds parameters for a component that is not in the composition.
func (s *selection) checkParameterTargets(cfg Config) *Error {
	for _, m := range cfg.Intent.Parameters.Sorted().Members {
		id := lockv2.ComponentID(m.Name)
		if _, active := s.reasons[id]; !active {
			return cfg.parameterFault(CodeParameterUnresolved, id, "", "%q is not in the composition; remove its parameters, or include it", id)
		}
	}
	return nil
}

// checkParameters holds the parameters of each component against its own schema. A component that is given none has
// an empty object.
func (s *selection) checkParameters(ids []lockv2.ComponentID, cfg Config) *Error {
	for _, id := range ids {
		doc := s.catalog.Component(id).ParametersSchema
		if doc == nil {
			continue
		}
		schema, err := schemas.Compile(*doc)
		if err != nil { // a checked catalog has no such schema
			return cfg.parameterFault(CodeParameterInvalid, id, "", "the parameters_schema of %q can't be used: %v", id, err)
		}
		given, found := cfg.Intent.Parameters.Get(string(id))
		if !found {
			given = strictjson.Obj()
		}
		if broken := schema.Validate(given); len(broken) > 0 {
			first := broken[0]
			e := cfg.parameterFault(CodeParameterInvalid, id, first.Pointer, "%s (rule %q of the parameters_schema of %q)", first.Message, first.Rule, id)
			if cfg.Place == selectionFile+parametersPointer {
				return e.withHint("a recipe alone gives no parameters, a configuration does; write one for the same source, and give it with --config instead of --recipe: %s", cfg.initCommand(id, firstRequired(*doc)))
			}
			return e
		}
	}
	return nil
}

// parameterFault is a fault of a component's parameters, with the place where these stand as its path. The parameters of
// a lock change in an upgrade alone.
func (cfg Config) parameterFault(code string, id lockv2.ComponentID, below, format string, args ...any) *Error {
	place := cfg.Place
	if place == "" {
		place = parametersPointer
	}
	e := fault(code, strictjson.Pointer(place, string(id))+below, []lockv2.ComponentID{id}, format, args...)
	if strings.HasPrefix(place, lockv2.LockPath) {
		return e.withHint("an update keeps the parameters of the lock; give others with --mode upgrade --config FILE")
	}
	return e
}

// initCommand is the command that writes the configuration with one parameter more.
func (cfg Config) initCommand(id lockv2.ComponentID, parameter string) string {
	words := []string{"compose init --recipe", diag.Quote(string(cfg.Intent.Recipe))}
	for _, c := range cfg.Intent.Include {
		words = append(words, "--include", diag.Quote(string(c)))
	}
	for _, c := range cfg.Intent.Exclude {
		words = append(words, "--exclude", diag.Quote(string(c)))
	}
	return strings.Join(append(words, "--parameter", diag.Quote(string(id)+"."+parameter+"=VALUE")), " ")
}

// firstRequired is the first field that a schema of parameters requires, and NAME where it requires none by itself.
func firstRequired(schema strictjson.Value) string {
	if required, _ := schema.Get("required"); len(required.Items) > 0 {
		return required.Items[0].Text
	}
	return "NAME"
}

// checkSingle finds a second component of a role of which a composition has at most one.
func (s *selection) checkSingle(ids []lockv2.ComponentID, role lockv2.Role, code string) *Error {
	var of []lockv2.ComponentID
	for _, id := range ids {
		if id.Role() == role {
			of = append(of, id)
		}
	}
	if len(of) < 2 {
		return nil
	}
	var because []string
	for _, id := range of[:2] {
		because = append(because, s.because(id))
	}
	e := fault(code, string(of[1]), of, "a composition has at most one %s component, and this has %s: %s; leave all but one out", role, some(of), strings.Join(because, ", and "))
	return s.hintToDrop(e, of[0], of[1])
}
