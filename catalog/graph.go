package catalog

import (
	"slices"
	"strings"

	"example.org/compose/lockv2"
)

// needs returns the places of the components that the one at i requires, in the order of their ids: those that
// could be read, itself left out.
func (l *loader) needs(i int) []int {
	if l.components[i] == nil {
		return nil
	}
	var list []int
	for _, id := range l.components[i].Requires {
		if j, found := l.place[id]; found && j != i && l.components[j] != nil {
			list = append(list, j)
		}
	}
	slices.Sort(list)
	return list
}

// groups returns the strongly connected components of the graph of requirements (Tarjan's algorithm, without
// recursion, in linear time): each group after all that it needs. A group of more than one has a cycle.
func (l *loader) groups() [][]int {
	const unseen = -1
	n := len(l.components)
	var (
		edges   = make([][]int, n)
		index   = make([]int, n) // the order in which a component was met
		low     = make([]int, n) // the earliest that it reaches in its group, as far as known
		open    = make([]bool, n)
		stack   []int // met, and in no group yet
		path    []int // from the start of this walk to here
		result  [][]int
		counter int
	)
	for i := range n {
		index[i], edges[i] = unseen, l.needs(i)
	}
	meet := func(i int) {
		index[i], low[i], open[i] = counter, counter, true
		counter++
		stack, path = append(stack, i), append(path, i)
	}
	for start := range n {
		if index[start] != unseen {
			continue
		}
		for meet(start); len(path) > 0; {
			i := path[len(path)-1]
			if len(edges[i]) > 0 {
				next := edges[i][0]
				edges[i] = edges[i][1:]
				if index[next] == unseen {
					meet(next)
				} else if open[next] {
					low[i] = min(low[i], index[next])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[i])
			}
			if low[i] == index[i] {
				at := slices.Index(stack, i)
				for _, member := range stack[at:] {
					open[member] = false
				}
				result = append(result, slices.Sorted(slices.Values(stack[at:])))
				stack = stack[:at]
			}
		}
	}
	return result
}

// checkCycles reports each group of components that require one another, by its smallest id.
func (l *loader) checkCycles() error {
	var cyclic [][]int
	for _, group := range l.groups() {
		if len(group) > 1 {
			cyclic = append(cyclic, group)
		}
	}
	slices.SortFunc(cyclic, func(a, b []int) int { return a[0] - b[0] })
	for _, group := range cyclic {
		cycle := l.cycle(group)
		c := l.components[cycle[0]]
		next := l.components[cycle[1]].ID
		var text strings.Builder
		for _, i := range cycle {
			text.WriteString(quote(l.components[i].ID) + " -> ")
		}
		text.WriteString(quote(c.ID))
		l.fault(CodeDependencyCycle, c.file(), item("requires", slices.Index(c.Requires, next)), "the requirements go round: %s; take one of them out", text.String())
	}
	return l.ctx.Err()
}

// cycle returns a shortest cycle through the smallest member of a group, and of those the first by ids, so that
// the text is the same on every run.
func (l *loader) cycle(group []int) []int {
	start := group[0]
	inside := make(map[int]bool, len(group))
	for _, i := range group {
		inside[i] = true
	}
	from := map[int]int{start: start}
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		for _, next := range l.needs(i) {
			if next == start {
				cycle := []int{i}
				for ; i != start; i = from[i] {
					cycle = append(cycle, from[i])
				}
				slices.Reverse(cycle)
				return cycle
			}
			if _, met := from[next]; inside[next] && !met {
				from[next] = i
				queue = append(queue, next)
			}
		}
	}
	return group // not reached: a group of more than one has a cycle through each member
}

// reach is what a component gets to by its requirements, itself left out.
type reach struct {
	artifacts []int // the two of smallest id, at most
	state     bool  // lifecycle.composition-state
	unsure    bool  // something on the way could not be read
}

// checkReach looks at what each artifact requires, at any depth.
func (l *loader) checkReach() error {
	reached := l.reach()
	for i, c := range l.components {
		if c == nil || c.ID.Role() != lockv2.Artifact {
			continue
		}
		for _, other := range reached[i].artifacts {
			if other != i {
				l.fault(CodeMultipleArtifacts, c.file(), "/requires", "the artifact %q reaches a second one: %s; take one of these requirements out", c.ID, l.path(i, other))
				break
			}
		}
	}
	for i, c := range l.components {
		if c == nil || c.ID.Role() != lockv2.Artifact || reached[i].state || reached[i].unsure {
			continue
		}
		l.fault(CodeCompositionStateRequired, c.file(), "/requires", "the artifact %q does not reach %q; add that to its requirements", c.ID, lockv2.StateComponent)
	}
	return l.ctx.Err()
}

// reach is computed group by group, each after what it needs, so the time is linear in the requirements.
func (l *loader) reach() []reach {
	reached := make([]reach, len(l.components))
	for _, group := range l.groups() {
		var all reach
		meet := func(j int) {
			id := l.ids[j]
			if id.Role() == lockv2.Artifact {
				all.artifacts = append(all.artifacts, j)
			}
			all.state = all.state || id == lockv2.StateComponent
		}
		for _, i := range group {
			if l.components[i] == nil {
				all.unsure = true
				continue
			}
			if len(group) > 1 {
				meet(i) // each member reaches every other, and itself
			}
			for _, id := range l.components[i].Requires {
				j, found := l.place[id]
				if !found || l.components[j] == nil {
					all.unsure = true
				}
				if !found || j == i {
					continue
				}
				meet(j)
				all.artifacts = append(all.artifacts, reached[j].artifacts...)
				all.state = all.state || reached[j].state
				all.unsure = all.unsure || reached[j].unsure
			}
			all.artifacts = firstTwo(all.artifacts)
		}
		for _, i := range group {
			reached[i] = all
		}
	}
	return reached
}

func firstTwo(list []int) []int {
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.Clip(list[:min(2, len(list))])
}

// path names a shortest chain of requirements from one component to another.
func (l *loader) path(from, to int) string {
	before := map[int]int{from: from}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range l.needs(queue[0]) {
			if _, met := before[next]; met {
				continue
			}
			before[next] = queue[0]
			if next != to {
				queue = append(queue, next)
				continue
			}
			chain := quote(l.ids[to])
			for i := to; i != from; {
				i = before[i]
				chain = quote(l.ids[i]) + " -> " + chain
			}
			return chain
		}
	}
	return quote(l.ids[to])
}
