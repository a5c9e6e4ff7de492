package gitlocal

import (
	"container/heap"
	"fmt"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/gitwire"
	"github.com/go-git/go-git/v5/plumbing"
)

// side says from where a commit was reached.
type side uint8

const (
	wanted side = 1 << iota // from a want
	had                     // from a have: the other side has it and all its ancestors
	queued
	read
)

// history finds the commits that are reached from the wants and not from the haves.
//
// It goes from both through parents, the newest date first, until no commit is left that is wanted. Dates decide nothing
// but how much is sent: where clocks lie, a commit that the other side has may be sent again.
type history struct {
	lister  *lister
	reader  *gitrepo.Commits
	numbers map[gitrepo.ID]int32
	nodes   []node
	edges   []int32 // parents of all nodes, one after another
	queue   []int32 // a heap by date
	open    int     // queued commits that are wanted
	order   []int32 // wanted ones, as they came
}

type node struct {
	id    gitrepo.ID
	tree  gitrepo.ID
	date  int64
	first int32 // of edges
	count int32
	side  side
}

func newHistory(l *lister) (*history, error) {
	reader, err := l.remote.repo.Commits()
	if err != nil {
		return nil, err
	}
	return &history{lister: l, reader: reader, numbers: map[gitrepo.ID]int32{}}, nil
}

// walk adds the commits to the list and returns their trees, and those of the commits beyond their edge.
func (h *history) walk(wants, haves []gitrepo.ID, depth int) (trees, others []gitrepo.ID, err error) {
	for _, id := range wants {
		if err := h.reach(h.number(id), wanted); err != nil {
			return nil, nil, err
		}
	}
	for _, id := range haves {
		kind, found, err := h.lister.remote.repo.KindOf(h.lister.ctx, id)
		if err == nil && found && kind == plumbing.CommitObject {
			err = h.reach(h.number(id), had)
		}
		// As with a server, a have that is not here is of another repository.
		if h.lister.ctx.Err() != nil {
			return nil, nil, err
		}
	}
	for h.open > 0 {
		if err := h.step(depth); err != nil {
			return nil, nil, err
		}
	}
	return h.result()
}

// step takes the newest commit and reaches its parents.
func (h *history) step(depth int) error {
	n := heap.Pop(h).(int32)
	at := h.nodes[n]
	h.change(n, at.side&^queued)
	from := wanted
	if at.side&had != 0 {
		from = had
	}
	if from == wanted && depth == 1 {
		return nil
	}
	if h.reader.Boundary(at.id) {
		return nil // of a shallow clone: as with a server, what is there is sent, and what is had may be sent again
	}
	for _, parent := range h.edges[at.first : at.first+at.count] {
		err := h.reach(parent, from)
		if err != nil && from == had && h.lister.ctx.Err() == nil {
			continue // the other side says that it has it
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// number returns the number of a commit.
func (h *history) number(id gitrepo.ID) int32 {
	n, ok := h.numbers[id]
	if !ok {
		n = int32(len(h.nodes))
		h.numbers[id] = n
		h.nodes = append(h.nodes, node{id: id})
	}
	return n
}

// reach marks a commit, and queues it where that is news to its parents.
func (h *history) reach(n int32, from side) error {
	if h.nodes[n].side&from != 0 {
		return nil
	}
	if h.nodes[n].side&read == 0 {
		if err := h.read(n); err != nil {
			return err
		}
	}
	if from == wanted {
		h.order = append(h.order, n)
		if h.nodes[n].side&had != 0 {
			h.change(n, h.nodes[n].side|wanted)
			return nil // what follows is had already, or will be
		}
	}
	isQueued := h.nodes[n].side&queued != 0
	h.change(n, h.nodes[n].side|from|queued)
	if !isQueued {
		heap.Push(h, n)
	}
	return nil
}

// change sets what is known of a commit, and counts. One that is wanted and had counts as well: its parents, which may
// be known as wanted, are had.
func (h *history) change(n int32, to side) {
	const mask = wanted | queued
	if h.nodes[n].side&mask == mask {
		h.open--
	}
	if to&mask == mask {
		h.open++
	}
	h.nodes[n].side = to
}

func (h *history) read(n int32) error {
	commit, err := h.reader.Read(h.lister.ctx, h.nodes[n].id)
	if err != nil {
		return err
	}
	if len(h.nodes) > 2*maxObjects {
		return fault(CodeTooLarge, h.lister.remote.path, fmt.Sprintf("more than %d commits lead from one side to the other; name a smaller source", 2*maxObjects))
	}
	at := &h.nodes[n]
	at.tree, at.date, at.side = commit.Tree, commit.Date, at.side|read
	at.first, at.count = int32(len(h.edges)), int32(len(commit.Parents))
	for _, parent := range commit.Parents {
		h.edges = append(h.edges, h.number(parent)) // may move what at points to
	}
	return nil
}

// result adds the wanted commits that are not had.
func (h *history) result() (trees, others []gitrepo.ID, err error) {
	for _, n := range h.order {
		at := &h.nodes[n]
		if at.side&had == 0 {
			if err := h.lister.add(at.id); err != nil {
				return nil, nil, err
			}
			trees = append(trees, at.tree)
		} else {
			others = append(others, at.tree)
		}
	}
	if h.lister.ask.Filter == gitwire.NoTrees {
		return nil, nil, nil
	}
	return trees, others, nil
}

// The queue is a heap: the newest date first, then in the order of discovery.

func (h *history) Len() int      { return len(h.queue) }
func (h *history) Swap(i, j int) { h.queue[i], h.queue[j] = h.queue[j], h.queue[i] }
func (h *history) Push(n any)    { h.queue = append(h.queue, n.(int32)) }

func (h *history) Less(i, j int) bool {
	a, b := h.queue[i], h.queue[j]
	if x, y := h.nodes[a].date, h.nodes[b].date; x != y {
		return x > y
	}
	return a < b
}

func (h *history) Pop() any {
	last := h.queue[len(h.queue)-1]
	h.queue = h.queue[:len(h.queue)-1]
	return last
}
