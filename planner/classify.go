package planner

import (
	"example.org/compose/lockv2"
)

// row is one line of the table that decides what happens at a destination.
type row struct {
	name     string
	applies  func(*place) bool
	kind     ActionKind                             // what is done; "" for a conflict
	conflict func(op Operation, p *place) *Conflict // nil where something is done
}

// table returns the rows in the order in which they are tried: the first that applies decides. It is the table of
// docs/plans.md.
func table() []row {
	return []row{
		{name: "another component", applies: (*place).changesComponent, conflict: componentTransition},
		{name: "another ownership", applies: (*place).changesOwnership, conflict: ownershipTransition},
		{name: "an old file that is not there, or no regular file", applies: (*place).broken, conflict: oldStateInvalid},
		{name: "a new destination that is taken", applies: (*place).taken, conflict: func(_ Operation, p *place) *Conflict { return p.obstacle }},
		{name: "a new destination", applies: (*place).isNew, kind: Create},
		{name: "a seed, supplied or not", applies: (*place).isSeed, kind: Preserve},
		{name: "an old file that was edited", applies: (*place).edited, conflict: localModification},
		{name: "an old file that nothing supplies", applies: (*place).isGone, kind: Remove},
		{name: "the same bytes", applies: (*place).sameBytes, kind: Unchanged},
		{name: "other bytes", applies: func(*place) bool { return true }, kind: Replace},
	}
}

func (p *place) isNew() bool  { return p.old == nil }
func (p *place) isGone() bool { return p.new == nil }
func (p *place) stays() bool  { return p.old != nil && p.new != nil }

func (p *place) changesComponent() bool { return p.stays() && p.old.Component != p.new.Component }
func (p *place) changesOwnership() bool { return p.stays() && p.old.Ownership != p.new.Ownership }
func (p *place) broken() bool           { return p.old != nil && p.fault != nil }
func (p *place) taken() bool            { return p.isNew() && p.obstacle != nil }
func (p *place) isSeed() bool           { return p.old != nil && p.old.Ownership == lockv2.Seed }
func (p *place) edited() bool           { return p.old != nil && p.sum.Digest != p.old.Digest }
func (p *place) sameBytes() bool        { return p.stays() && p.old.Digest == p.new.Digest }

// Why a seed is left alone.
const (
	seedStays  = "a seed is written once; from then on its bytes are the consumer's"
	seedLeaves = "nothing supplies the seed any more; it leaves the lock and stays as an ordinary file of the consumer"
)

// classify decides what happens at a place.
func classify(rows []row, op Operation, p *place) (ManagedFile, *Conflict) {
	var decided row
	for _, decided = range rows {
		if decided.applies(p) {
			break
		}
	}
	if decided.conflict != nil {
		return ManagedFile{}, decided.conflict(op, p)
	}
	file := ManagedFile{ManagedAction: ManagedAction{Kind: decided.kind, Destination: p.destination, Material: p.new}}
	if p.old != nil {
		file.Current = p.sum.Digest
		file.Component, file.Ownership, file.From = p.old.Component, p.old.Ownership, p.old.Digest
	}
	if p.new != nil {
		file.Component, file.Ownership, file.To = p.new.Component, p.new.Ownership, p.new.Digest
	}
	if decided.kind == Preserve {
		file.Reason = seedStays
		if p.isGone() {
			file.Reason = seedLeaves
		}
	}
	return file, nil
}
