package planner

import "context"

// Again makes the composition once more, for a target that was observed.
func (c *Composition) Again(ctx context.Context, seen *Snapshot) (*Composition, error) {
	return materialize(ctx, c.catalog, c.Lock.Source.Repository, UpdateConfig(&c.Lock), seen)
}

// Standing returns how many materials were taken from the target.
func (c *Composition) Standing() int {
	n := 0
	for i := range c.Materials {
		if c.Materials[i].known {
			n++
		}
	}
	return n
}
