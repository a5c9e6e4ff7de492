package resolver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/compose/lockv2"
)

// reason says why a component is in the closure.
type reason struct {
	kind kind
	by   lockv2.ComponentID // of dependency: the one that requires it
}

type kind uint8

// The kinds of a reason; where several hold, the first is given.
const (
	artifact kind = iota
	required
	included
	byDefault
	dependency
)

// root is a component that is selected by itself.
type root struct {
	id   lockv2.ComponentID
	kind kind
}

// roots returns what is selected, what weighs more first.
func (s *selection) roots() []root {
	list := []root{{s.recipe.Artifact, artifact}}
	add := func(ids []lockv2.ComponentID, k kind, selected func(lockv2.ComponentID) bool) {
		for _, id := range slices.Sorted(slices.Values(ids)) {
			if selected(id) {
				list = append(list, root{id, k})
			}
		}
	}
	add(s.recipe.Required, required, func(lockv2.ComponentID) bool { return true })
	add(slices.Concat(s.recipe.Default, s.recipe.Optional), included, func(id lockv2.ComponentID) bool { return s.include[id] })
	add(s.recipe.Default, byDefault, func(id lockv2.ComponentID) bool { return !s.exclude[id] })
	return list
}

// close returns the closure of what is selected, the roots that drop names left out, each id with a reason: the
// same one on every run. The walk is breadth-first, so that a reason is a near one.
func (s *selection) close(drop func(root) bool) map[lockv2.ComponentID]reason {
	reasons := map[lockv2.ComponentID]reason{}
	var queue []lockv2.ComponentID
	meet := func(id lockv2.ComponentID, r reason) {
		if _, met := reasons[id]; !met {
			reasons[id] = r
			queue = append(queue, id)
		}
	}
	for _, r := range s.roots() {
		if drop == nil || !drop(r) {
			meet(r.id, reason{kind: r.kind})
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		by := queue[0]
		for _, id := range slices.Sorted(slices.Values(s.catalog.Component(by).Requires)) {
			meet(id, reason{dependency, by})
		}
	}
	return reasons
}

// hintToDrop adds the change of the configuration after which not both components are there any more, where a
// single one does it. To leave out a default comes before taking back what the consumer asked for.
func (s *selection) hintToDrop(e *Error, a, b lockv2.ComponentID) *Error {
	choices := []root{s.rootOf(a), s.rootOf(b)}
	slices.SortStableFunc(choices, func(a, b root) int { return int(b.kind) - int(a.kind) })
	for _, choice := range choices {
		if choice.kind != included && choice.kind != byDefault {
			continue
		}
		left := s.close(func(r root) bool { return r.id == choice.id })
		_, hasA := left[a]
		_, hasB := left[b]
		switch {
		case hasA && hasB:
		case choice.kind == included && s.recipeSelects(choice.id):
			return e.withHint("move %q from components.include to components.exclude", choice.id)
		case choice.kind == byDefault:
			return e.withHint("add %q to components.exclude", choice.id)
		default:
			return e.withHint("remove %q from components.include", choice.id)
		}
	}
	return e
}

// insteadOf says, to follow the advice to keep an excluded component, what leaves it out: nothing where no single
// change does.
func (s *selection) insteadOf(id lockv2.ComponentID) string {
	first := s.rootOf(id)
	switch first.kind {
	case artifact, required:
		return ", or choose another recipe"
	}
	left := s.close(func(r root) bool { return r.id == first.id })
	if _, still := left[id]; still {
		return ""
	}
	_, needed := left[first.id]
	switch {
	case first.kind == included && !s.recipeSelects(first.id):
		return fmt.Sprintf(", or take %q out of components.include", first.id)
	case needed: // and so can't be excluded
		return ""
	case first.kind == included:
		return fmt.Sprintf(", or move %q there from components.include", first.id)
	}
	return fmt.Sprintf(", or add %q to it", first.id)
}

// rootOf returns the selection that brought a component in.
func (s *selection) rootOf(id lockv2.ComponentID) root {
	for s.reasons[id].kind == dependency {
		id = s.reasons[id].by
	}
	return root{id, s.reasons[id].kind}
}

func (s *selection) recipeSelects(id lockv2.ComponentID) bool {
	return slices.Contains(s.recipe.Default, id)
}

// why says how a component came in, to follow "which".
func (s *selection) why(id lockv2.ComponentID) string {
	switch r := s.reasons[id]; r.kind {
	case artifact:
		return fmt.Sprintf("is the artifact of recipe %q", s.recipe.ID)
	case required:
		return fmt.Sprintf("recipe %q always selects", s.recipe.ID)
	case included:
		return "the configuration includes"
	case byDefault:
		return fmt.Sprintf("recipe %q selects by default", s.recipe.ID)
	default:
		return fmt.Sprintf("%q requires", r.by)
	}
}

// because says the same as a sentence of its own.
func (s *selection) because(id lockv2.ComponentID) string {
	if s.reasons[id].kind == artifact {
		return fmt.Sprintf("%q %s", id, s.why(id))
	}
	return fmt.Sprintf("%s %q", s.why(id), id)
}

// some lists the first of the names.
func some[S ~string](names []S) string {
	const most = 20
	var shown []string
	for i, name := range names {
		if i == most {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		shown = append(shown, strconv.Quote(string(name)))
	}
	return strings.Join(shown, ", ")
}
