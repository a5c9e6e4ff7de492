package planner

import (
	"context"
	"slices"
	"strings"

	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// ActionKind says what an initial apply does at a destination.
type ActionKind string

// The actions of an initial plan.
const (
	Create         ActionKind = "create"
	AdoptIdentical ActionKind = "adopt-identical" // a regular file with exactly these bytes is there
)

// Action is one line of a plan.
type Action struct {
	Kind     ActionKind
	Material *Material
}

// InitialPlan is what a first composition would do.
type InitialPlan struct {
	Composition *Composition
	Actions     []Action   // by destination; one for each material that is not in conflict
	Conflicts   []Conflict // by destination, at most one for each
}

// Initial plans a first composition of comp into root (nil: the target is absent). It reads folders on the
// way to a destination, and files that stand at one; a name that appears or goes while it looks is
// judged as it was seen.
//
// Errors: those of CheckUnmanaged, READ_FAILED where this process may open no more files, or ctx's. What else can't be read in the target is a conflict.
func Initial(ctx context.Context, comp *Composition, root *rootfs.Root) (*InitialPlan, error) {
	if err := CheckUnmanaged(root); err != nil {
		return nil, err
	}
	return initial(ctx, comp, root)
}

func initial(ctx context.Context, comp *Composition, root target) (*InitialPlan, error) {
	s := survey{root: root, materials: comp.Materials, found: make([]finding, len(comp.Materials))}
	if err := s.folder(ctx, "", 0, len(s.materials)); err != nil {
		return nil, err
	}
	if err := s.compare(ctx); err != nil {
		return nil, err
	}
	plan := &InitialPlan{Composition: comp, Conflicts: reservedConflicts(root)}
	for i := range s.found {
		m := &comp.Materials[i]
		switch f := &s.found[i]; {
		case f.conflict != nil:
			plan.Conflicts = append(plan.Conflicts, *f.conflict)
		case f.present:
			plan.Actions = append(plan.Actions, Action{AdoptIdentical, m})
		default:
			plan.Actions = append(plan.Actions, Action{Create, m})
		}
	}
	slices.SortFunc(plan.Conflicts, func(a, b Conflict) int { return strings.Compare(string(a.Destination), string(b.Destination)) })
	if err := exhausted(plan.Conflicts); err != nil {
		return nil, err
	}
	return plan, nil
}

// Document returns the plan as the document that `compose plan` prints (docs/plans.md).
func (p *InitialPlan) Document() strictjson.Value {
	lock := &p.Composition.Lock
	return strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(2)),
		strictjson.F("operation", strictjson.Str("initial")),
		strictjson.F("source", strictjson.Obj(
			strictjson.F("repository", strictjson.Str(lock.Source.Repository)),
			strictjson.F("revision", strictjson.Str(lock.Source.Revision)),
		)),
		strictjson.F("intent", lock.Intent.Value()),
		strictjson.F("configuration_sha256", strictjson.Str(lock.ConfigurationDigest.String())),
		strictjson.F("composition", strictjson.Obj(
			strictjson.F("algorithm", strictjson.Str(lockv2.CompositionAlgorithm)),
			strictjson.F("to", strictjson.Str(lock.Composition().String())),
		)),
		strictjson.F("resolved_components", strictjson.List(lock.Components, func(c lockv2.Component) strictjson.Value { return strictjson.Str(c.ID) })),
		strictjson.F("actions", strictjson.Rows(p.Actions, actionRow)),
		strictjson.F("conflicts", strictjson.List(p.Conflicts, func(c Conflict) strictjson.Value { return c.Document() })),
		strictjson.F("lock_preview", lock.Value()),
	)
}

func actionRow(members []strictjson.Member, a *Action) []strictjson.Member {
	return append(members,
		strictjson.F("destination", strictjson.Str(a.Material.Destination)),
		strictjson.F("component", strictjson.Str(a.Material.Component)),
		strictjson.F("ownership", strictjson.Str(a.Material.Ownership)),
		strictjson.F("action", strictjson.Str(a.Kind)),
		strictjson.F("to_sha256", digest(a.Material.Digest)),
	)
}
