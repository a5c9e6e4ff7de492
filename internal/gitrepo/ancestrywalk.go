package gitrepo

import (
	"context"
	"errors"

	"example.org/compose/lockv2"
)

// reached says from where a commit was reached.
type reached uint8

const (
	fromOf  reached = 1 << iota // is of, or an ancestor of it
	fromOld                     // is old, or an ancestor of it
	queued                      // waits for its parents to be reached
	cut                         // its parents are not known
	ending                      // a shallow clone ends here
	inGraph                     // the commit-graph knows its ancestors
)

// ancestryWalk decides whether old is an ancestor of of.
//
// It goes from both commits through parents, the newest date first. What descends from nothing that is wanted
// need not be looked at: an ancestor of old can't have old as an ancestor, so the side of of stops where it
// meets the side of old. Dates order the walk and decide nothing, because clocks lie: "no" is said only when
// no commit is left that is an ancestor of of and not known as one of old.
//
// A commit-graph holds all ancestors of a commit that it holds. Where old is in it, the walk goes from of alone
// and asks the graph at each commit that it knows; where old is not, nothing in the graph can lead to it.
type ancestryWalk struct {
	repo    *Repository
	commits *commitReader
	shallow map[ID]bool
	old, of ID

	graph    *commitGraph // nil for none
	search   *graphSearch // for old, where the graph has it
	found    bool
	numbers  map[ID]int32 // of the commits below
	visited  []visited
	parents  []int32 // of all visited commits, one after another
	queue    []int32 // a heap by date
	open     int     // queued commits that are fromOf and not fromOld
	openCuts int     // cut commits that are fromOf and not fromOld
}

// visited is one commit of the walk.
type visited struct {
	id      ID
	flags   reached
	date    int64
	parents int32 // where its parents begin
	count   int32 // how many they are; -1 while it was not read
	err     error // why it can't be read, where that is not that it is missing
}

func (w *ancestryWalk) useGraph(g *commitGraph) {
	w.graph = g
	if position, ok := g.position(w.old); ok {
		w.search = newGraphSearch(g, position)
	}
}

func (w *ancestryWalk) run(ctx context.Context) (bool, error) {
	if err := w.reach(ctx, w.number(w.of), fromOf); err != nil {
		return false, err
	}
	if w.search == nil {
		if err := w.reach(ctx, w.number(w.old), fromOld); err != nil {
			return false, err
		}
	}
	// Cuts on the side of of are no harm once they turn out to be ancestors of old, so that side goes on.
	for !w.found && len(w.queue) > 0 && (w.open > 0 || w.openCuts > 0) {
		n := w.pop()
		c := &w.visited[n]
		flag := fromOf
		if c.flags&fromOld != 0 {
			flag = fromOld
		}
		for _, parent := range w.parents[c.parents : c.parents+c.count] {
			if err := w.reach(ctx, parent, flag); err != nil || w.found {
				return w.found, err
			}
		}
		if flag == fromOld && w.visited[0].flags&fromOld != 0 {
			return false, nil // of is an ancestor of old
		}
	}
	if w.found || w.openCuts == 0 {
		return w.found, nil
	}
	return false, w.cutFault()
}

// number returns the number of a commit; that of of is 0.
func (w *ancestryWalk) number(id ID) int32 {
	n, ok := w.numbers[id]
	if !ok {
		n = int32(len(w.visited))
		w.numbers[id] = n
		w.visited = append(w.visited, visited{id: id, count: -1})
	}
	return n
}

// reach marks a commit and queues it where that is news.
func (w *ancestryWalk) reach(ctx context.Context, n int32, flag reached) error {
	c := &w.visited[n]
	if c.flags&flag != 0 {
		return nil
	}
	w.count(c, -1)
	c.flags |= flag
	defer func() { w.count(&w.visited[n], +1) }()
	if flag == fromOf && c.id == w.old {
		w.found = true
		return nil
	}
	if c.count < 0 {
		if err := w.load(ctx, n); err != nil {
			return err
		}
	}
	c = &w.visited[n]
	if c.flags&(queued|cut|inGraph) == 0 {
		c.flags |= queued
		w.push(n)
	}
	return nil
}

// count adds to the counters what c stands for.
func (w *ancestryWalk) count(c *visited, by int) {
	if c.flags&(fromOf|fromOld) != fromOf {
		return
	}
	if c.flags&queued != 0 {
		w.open += by
	}
	if c.flags&cut != 0 {
		w.openCuts += by
	}
}

// load finds the parents of a commit, or what the graph knows of it.
func (w *ancestryWalk) load(ctx context.Context, n int32) error {
	c := &w.visited[n]
	c.count = 0
	if position, ok := w.graph.position(c.id); ok {
		c.flags |= inGraph
		w.found = w.search != nil && w.search.reaches(position)
		return nil
	}
	parents, date, err := w.commits.read(ctx, c.id)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.flags |= cut
		if !errors.Is(err, errMissing) {
			c.err = err
		}
		return nil
	case len(parents) > 0 && w.shallow[c.id]:
		c.flags |= cut | ending
		return nil
	}
	c.date = date
	c.parents, c.count = int32(len(w.parents)), int32(len(parents))
	for _, id := range parents {
		w.parents = append(w.parents, w.number(id)) // may move what c points to
	}
	return nil
}

// cutFault names the first cut, in the order of the walk; what can't be read goes before what is not there.
func (w *ancestryWalk) cutFault() error {
	var first *visited
	for n := range w.visited {
		c := &w.visited[n]
		if c.flags&(fromOf|fromOld|cut) != fromOf|cut {
			continue
		}
		if c.err != nil {
			return c.err
		}
		if first == nil || c.flags&ending != 0 && first.flags&ending == 0 {
			first = c
		}
	}
	return w.repo.cutOff(lockv2.Revision(w.old.String()), first.id, first.flags&ending != 0)
}

// before is the order of the queue: by date, the newest first, then by number.
func (w *ancestryWalk) before(a, b int32) bool {
	if x, y := w.visited[a].date, w.visited[b].date; x != y {
		return x > y
	}
	return a < b
}

func (w *ancestryWalk) push(n int32) {
	q := append(w.queue, n)
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if !w.before(q[i], q[up]) {
			break
		}
		q[i], q[up] = q[up], q[i]
		i = up
	}
	w.queue = q
}

func (w *ancestryWalk) pop() int32 {
	q := w.queue
	first := q[0]
	q[0] = q[len(q)-1]
	q = q[:len(q)-1]
	for i := 0; ; {
		best := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q); child++ {
			if w.before(q[child], q[best]) {
				best = child
			}
		}
		if best == i {
			break
		}
		q[i], q[best] = q[best], q[i]
		i = best
	}
	w.queue = q
	c := &w.visited[first]
	w.count(c, -1)
	c.flags &^= queued
	return first
}
