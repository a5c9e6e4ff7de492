package resolver

import (
	"slices"

	"example.org/compose/catalog"
	"example.org/compose/lockv2"
)

// Selected says by what a component is selected by itself.
type Selected string

// What selects a component; where several do, the first counts.
const (
	ByArtifact Selected = "artifact" // it is the recipe's artifact
	ByRequired Selected = "required" // the recipe always selects it
	ByInclude  Selected = "include"  // the configuration includes it
	ByDefault  Selected = "default"  // the recipe selects it, and the configuration does not exclude it
)

// Reason says why a component is in a composition.
type Reason struct {
	Selected Selected             // what selects the first of Chain
	Chain    []lockv2.ComponentID // a shortest way to the component, which is the last: each requires the next
	Steps    []string             // the same in words, one sentence without capital and period for each of Chain
}

// Explanation says why each component of a composition is in it. It is not changed after Explain, and its methods may be
// called at once.
type Explanation struct {
	selection *selection
	ids       []lockv2.ComponentID
}

// Explain resolves as Resolve does, with the same errors, and keeps the reasons: those that the messages of these errors give.
func Explain(c *catalog.Catalog, cfg Config) (*Explanation, error) {
	s, ids, err := resolve(c, cfg)
	if err != nil {
		return nil, err
	}
	return &Explanation{s, ids}, nil
}

// Components returns what Resolve returns. It is not to be changed.
func (e *Explanation) Components() []lockv2.ComponentID { return e.ids }

// Of returns the reason for a component; false for one that is not in the composition. Of several shortest chains it is the
// one that the strongest selection begins, and of those the first by ids: the same one in every run.
func (e *Explanation) Of(id lockv2.ComponentID) (Reason, bool) {
	if _, active := e.selection.reasons[id]; !active {
		return Reason{}, false
	}
	var why Reason
	for at := id; ; at = e.selection.reasons[at].by {
		why.Chain = append(why.Chain, at)
		why.Steps = append(why.Steps, e.selection.because(at))
		if k := e.selection.reasons[at].kind; k != dependency {
			why.Selected = k.selected()
			break
		}
	}
	slices.Reverse(why.Chain)
	slices.Reverse(why.Steps)
	return why, true
}

func (k kind) selected() Selected {
	switch k {
	case artifact:
		return ByArtifact
	case required:
		return ByRequired
	case included:
		return ByInclude
	}
	return ByDefault
}
