package planner

import (
	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Document returns the plan as the document that `compose plan` prints (docs/plans.md).
func (p *ManagedPlan) Document() strictjson.Value {
	from, to := p.Old.Lock, &p.Lock
	members := []strictjson.Member{
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("operation", strictjson.Str(p.Operation)),
		strictjson.F("from_revision", strictjson.Str(from.Source.Revision)),
		strictjson.F("to_revision", strictjson.Str(to.Source.Revision)),
	}
	if p.Operation == Update {
		members = append(members, strictjson.F("intent", to.Intent.Value()))
	} else {
		members = append(members,
			strictjson.F("intent", strictjson.Obj(strictjson.F("from", from.Intent.Value()), strictjson.F("to", to.Intent.Value()))),
			strictjson.F("configuration", strictjson.Obj(transition(from.ConfigurationDigest, to.ConfigurationDigest)...)))
	}
	composition := append([]strictjson.Member{strictjson.F("algorithm", strictjson.Str(lockv2.CompositionAlgorithm))}, compositionTransition(from, to)...)
	return strictjson.Obj(append(members,
		strictjson.F("composition", strictjson.Obj(composition...)),
		strictjson.F("recipe", p.recipeDocument()),
		strictjson.F("components", p.Components.document()),
		strictjson.F("files", p.filesDocument()),
		strictjson.F("conflicts", conflictList(p.Conflicts)),
		strictjson.F("lock_preview", to.Value()),
	)...)
}

// transition returns two digests of one domain, and whether they differ.
func transition[D any](from, to fingerprint.Digest[D]) []strictjson.Member {
	return changed("from_sha256", "to_sha256", from.String(), to.String())
}

func compositionTransition(from, to *lockv2.Lock) []strictjson.Member {
	return changed("from", "to", from.Composition().String(), to.Composition().String())
}

func changed(fromName, toName, from, to string) []strictjson.Member {
	return []strictjson.Member{
		strictjson.F(fromName, strictjson.Str(from)),
		strictjson.F(toName, strictjson.Str(to)),
		strictjson.F("changed", strictjson.Boolean(from != to)),
	}
}

func (p *ManagedPlan) recipeDocument() strictjson.Value {
	from, to := p.Old.Lock, &p.Lock
	members := []strictjson.Member{strictjson.F("id", strictjson.Str(to.Intent.Recipe))}
	if p.Operation == Upgrade {
		members = []strictjson.Member{
			strictjson.F("from_id", strictjson.Str(from.Intent.Recipe)),
			strictjson.F("to_id", strictjson.Str(to.Intent.Recipe)),
		}
	}
	return strictjson.Obj(append(members, transition(from.RecipeDigest, to.RecipeDigest)...)...)
}

func (c *ComponentChanges) document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("added", strictjson.Strs(c.Added)),
		strictjson.F("removed", strictjson.Strs(c.Removed)),
		strictjson.F("changed", strictjson.List(c.Changed, func(change ComponentChange) strictjson.Value {
			return strictjson.Obj(append([]strictjson.Member{strictjson.F("id", strictjson.Str(change.From.ID))}, change.members()...)...)
		})),
		strictjson.F("unchanged", strictjson.Strs(c.Unchanged)),
	)
}

// filesDocument sorts the files into the lists of a plan.
func (p *ManagedPlan) filesDocument() strictjson.Value {
	var members []strictjson.Member
	for _, kind := range []ActionKind{Create, Replace, Remove, Preserve, Unchanged} {
		members = append(members, strictjson.F(string(kind), strictjson.Rows(p.Files, func(members []strictjson.Member, f *ManagedFile) []strictjson.Member {
			if f.Kind != kind {
				return nil
			}
			return f.row(members)
		})))
	}
	var conflicts []Conflict
	for _, c := range p.Conflicts {
		if c.Destination != "" {
			conflicts = append(conflicts, c)
		}
	}
	return strictjson.Obj(append(members, strictjson.F("conflict", conflictList(conflicts)))...)
}

// row appends the members of the document of a file.
func (f *ManagedFile) row(members []strictjson.Member) []strictjson.Member {
	members = append(members,
		strictjson.F("destination", strictjson.Str(f.Destination)),
		strictjson.F("component", strictjson.Str(f.Component)),
		strictjson.F("ownership", strictjson.Str(f.Ownership)),
	)
	if f.Kind == Preserve {
		return append(members,
			strictjson.F("current_sha256", digest(f.Current)),
			strictjson.F("lock_sha256", digest(f.From)),
			strictjson.F("reason", strictjson.Str(f.Reason)))
	}
	if f.Kind != Create {
		members = append(members, strictjson.F("from_sha256", digest(f.From)))
	}
	if f.Kind != Remove {
		members = append(members, strictjson.F("to_sha256", digest(f.To)))
	}
	if f.Includes != nil {
		members = append(members, strictjson.F("includes", f.Includes.document()))
	}
	return members
}

func conflictList(list []Conflict) strictjson.Value {
	return strictjson.List(list, func(c Conflict) strictjson.Value { return c.Document() })
}
