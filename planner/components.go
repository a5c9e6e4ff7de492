package planner

import (
	"fmt"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// ComponentChange is a component that stays, with another version or descriptor.
type ComponentChange struct {
	From, To lockv2.Component // the same ID
}

// ComponentChanges is how the set of components changes. Every component is in one list, each by id.
type ComponentChanges struct {
	Added, Removed, Unchanged []lockv2.ComponentID
	Changed                   []ComponentChange
}

// compareComponents tells how the components change from one lock to another, and which of them may not change so.
func compareComponents(op Operation, from, to *lockv2.Lock) (ComponentChanges, []Conflict) {
	var changes ComponentChanges
	var conflicts []Conflict
	old, new := from.Components, to.Components
	for len(old) > 0 || len(new) > 0 {
		switch {
		case len(new) == 0 || len(old) > 0 && old[0].ID < new[0].ID:
			changes.Removed = append(changes.Removed, old[0].ID)
			old = old[1:]
			continue
		case len(old) == 0 || new[0].ID < old[0].ID:
			changes.Added = append(changes.Added, new[0].ID)
			new = new[1:]
			continue
		case old[0] == new[0]:
			changes.Unchanged = append(changes.Unchanged, old[0].ID)
		default:
			change := ComponentChange{From: old[0], To: new[0]}
			changes.Changed = append(changes.Changed, change)
			if c := change.conflict(op); c != nil {
				conflicts = append(conflicts, *c)
			}
		}
		old, new = old[1:], new[1:]
	}
	return changes, conflicts
}

// conflict says why the operation may not cross the change; nil where it may.
func (c *ComponentChange) conflict(op Operation) *Conflict {
	id := c.From.ID
	switch {
	case c.From.Version == c.To.Version:
		return &Conflict{Code: CodeDescriptorChanged, Component: id, Details: c.members(), Message: fmt.Sprintf(
			"components/%s/component.json changed and its version is still %d, so nobody can tell what changed for whom; let the catalog raise the version in a new revision, and take that one",
			id, c.From.Version)}
	case op == Update:
		return &Conflict{Code: CodeVersionUpgradeRequired, Component: id, Details: c.members(), Message: fmt.Sprintf(
			"goes from version %d to %d, which an update does not cross; read what changed in the component, then use --mode upgrade with --config",
			c.From.Version, c.To.Version)}
	}
	return nil
}

// members returns what a document says about the change, but for the id.
func (c *ComponentChange) members() []strictjson.Member {
	return []strictjson.Member{
		strictjson.F("from_version", strictjson.Int(c.From.Version)),
		strictjson.F("to_version", strictjson.Int(c.To.Version)),
		strictjson.F("from_descriptor_sha256", strictjson.Str(c.From.Digest.String())),
		strictjson.F("to_descriptor_sha256", strictjson.Str(c.To.Digest.String())),
	}
}
