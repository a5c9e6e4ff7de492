package graph

import (
	"slices"

	"example.org/compose/lockv2"
)

// index returns the places of the components by their ids.
func (m *Model) index() map[lockv2.ComponentID]int {
	place := make(map[lockv2.ComponentID]int, len(m.Components))
	for i := range m.Components {
		place[m.Components[i].ID] = i
	}
	return place
}

// direct returns, for each component, the requirements that no longer chain implies, and how many it leaves out in all.
func (m *Model) direct() (kept [][]lockv2.ComponentID, left int) {
	place := m.index()
	reach := make([][]bool, len(m.Components)) // what a component reaches, by place; nil until it is known
	var walk func(i int) []bool
	walk = func(i int) []bool {
		if reach[i] != nil {
			return reach[i]
		}
		reach[i] = make([]bool, len(m.Components))
		for _, id := range m.Components[i].Requires {
			j := place[id]
			reach[i][j] = true
			for k, reached := range walk(j) {
				reach[i][k] = reach[i][k] || reached
			}
		}
		return reach[i]
	}
	for i := range m.Components {
		requires := m.Components[i].Requires
		direct := slices.DeleteFunc(slices.Clone(requires), func(id lockv2.ComponentID) bool {
			return slices.ContainsFunc(requires, func(other lockv2.ComponentID) bool {
				return other != id && walk(place[other])[place[id]]
			})
		})
		kept, left = append(kept, direct), left+len(requires)-len(direct)
	}
	return kept, left
}
