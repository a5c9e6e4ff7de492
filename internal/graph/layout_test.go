package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// stretch is a straight piece of a net.
type stretch struct {
	net            int
	x1, y1, x2, y2 int // from left to right, or from top to bottom
}

// stretches returns all pieces of a drawing, those through columns included.
func (d *drawing) stretches() []stretch {
	var list []stretch
	for c, ch := range d.channels {
		for _, w := range ch.wires {
			if w.straight() {
				list = append(list, stretch{w.net, ch.left, w.from, ch.right, w.from})
			} else {
				top, bottom := w.span()
				list = append(list, stretch{w.net, ch.left, w.from, w.x, w.from}, stretch{w.net, w.x, top, w.x, bottom})
				for _, y := range w.to {
					list = append(list, stretch{w.net, w.x, y, ch.right, y})
				}
			}
			for i, y := range w.to {
				if !w.ends[i] {
					list = append(list, stretch{w.net, ch.right, y, d.channels[c+1].left, y})
				}
			}
		}
	}
	return list
}

// checkDrawing wants every node right of what leads to it, no two boxes in one place, no line behind a box and no two nets
// on one line.
func checkDrawing(d *drawing) error {
	for _, net := range d.nets {
		for _, to := range net.to {
			if a, b := d.nodes[net.from], d.nodes[to]; b.x <= a.x+a.w {
				return fmt.Errorf("node %d leads to %d, which is not right of it", net.from, to)
			}
		}
	}
	for i, a := range d.nodes {
		if a.x < 0 || a.y < 0 || a.x+a.w > d.width || a.y+a.h > d.height {
			return fmt.Errorf("node %d lies outside: %+v", i, a)
		}
		for j, b := range d.nodes[:i] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h+gapNodes/2 && b.y < a.y+a.h+gapNodes/2 {
				return fmt.Errorf("nodes %d and %d meet: %+v, %+v", i, j, a, b)
			}
		}
	}
	list := d.stretches()
	for i, s := range list {
		for k, n := range d.nodes {
			if s.x1 < n.x+n.w && s.x2 > n.x && s.y1 < n.y+n.h && s.y2 > n.y {
				return fmt.Errorf("net %d runs behind node %d: %+v, %+v", s.net, k, s, n)
			}
		}
		if s.y1 < 0 || s.y2 > d.height {
			return fmt.Errorf("net %d lies outside: %+v", s.net, s)
		}
		for _, o := range list[:i] {
			flat, other := s.y1 == s.y2, o.y1 == o.y2
			switch {
			case s.net == o.net || flat != other:
			case flat && abs(s.y1-o.y1) < 2 && s.x1 < o.x2 && o.x1 < s.x2:
				return fmt.Errorf("nets %d and %d share a line across: %+v, %+v", s.net, o.net, s, o)
			case !flat && abs(s.x1-o.x1) < 2 && s.y1 < o.y2 && o.y1 < s.y2:
				return fmt.Errorf("nets %d and %d share a line up and down: %+v, %+v", s.net, o.net, s, o)
			}
		}
	}
	return nil
}

func abs(n int) int { return max(n, -n) }

// random makes a drawing of up to so many nodes; all can be reached from the first.
func random(seed uint64, most int) *drawing {
	r := rand.New(rand.NewPCG(seed, 7))
	d := &drawing{}
	for range 2 + r.IntN(most-1) {
		d.nodes = append(d.nodes, node{w: 100 + r.IntN(140), h: 46 + 15*r.IntN(5)})
	}
	to := make([][]int, len(d.nodes))
	for i := 1; i < len(d.nodes); i++ {
		for range 1 + r.IntN(3) {
			from := r.IntN(i)
			if r.IntN(3) == 0 {
				from = 0
			}
			if n := len(to[from]); n == 0 || to[from][n-1] != i {
				to[from] = append(to[from], i)
			}
		}
	}
	for i := range to {
		if n := len(to[i]); n > 0 {
			if n > 2 && r.IntN(4) == 0 { // a second net of the same node
				d.nets = append(d.nets, net{from: i, to: to[i][:1], low: true})
				to[i] = to[i][1:]
			}
			d.nets = append(d.nets, net{from: i, to: to[i]})
		}
	}
	return d
}

func TestDrawingsAreClear(t *testing.T) {
	for seed := range uint64(400) {
		d := random(seed, 5+int(seed)%60)
		d.lay()
		if err := checkDrawing(d); err != nil {
			t.Errorf("seed %d, %d nodes: %v", seed, len(d.nodes), err)
		}
	}
}

// The check sees what it looks for.
func TestCheckDrawing(t *testing.T) {
	made := func() *drawing {
		d := random(9, 30)
		d.lay()
		return d
	}
	if err := checkDrawing(made()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(d *drawing){
		"a node moved left":  func(d *drawing) { d.nodes[len(d.nodes)-1].x = 0 },
		"two nodes meet":     func(d *drawing) { d.nodes[2].x, d.nodes[2].y = d.nodes[1].x, d.nodes[1].y+4 },
		"a node outside":     func(d *drawing) { d.nodes[1].y = -1 },
		"a line behind":      func(d *drawing) { d.nodes[1].h, d.nodes[1].y, d.height = 9999, 0, 9999; d.nodes[1].w = 9999 },
		"one track for all":  func(d *drawing) { spoilWires(d, func(w *wire) { w.x = d.channels[0].left + channelEnd }) },
		"lines out of place": func(d *drawing) { spoilWires(d, func(w *wire) { w.from = 40 }) },
	} {
		d := made()
		if spoil(d); checkDrawing(d) == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}

func spoilWires(d *drawing, spoil func(*wire)) {
	for c := range d.channels {
		for i := range d.channels[c].wires {
			spoil(&d.channels[c].wires[i])
		}
	}
}

// What is ordered crosses less than what is not, and the count is right.
func TestOrderCutsCrossings(t *testing.T) {
	before, after := 0, 0
	for seed := range uint64(50) {
		d := random(seed, 40)
		d.layer()
		d.lanes()
		before += d.crossings()
		d.order()
		after += d.crossings()
		slow := 0
		for _, ch := range d.channels {
			for i, s := range ch.segments {
				for _, o := range ch.segments[:i] {
					if (d.items[s.from].at-d.items[o.from].at)*(d.items[s.to].at-d.items[o.to].at) < 0 {
						slow++
					}
				}
			}
		}
		if slow != d.crossings() {
			t.Fatalf("seed %d: %d crossings, counted %d", seed, slow, d.crossings())
		}
	}
	if after*3 > before*2 {
		t.Errorf("%d crossings before, %d after", before, after)
	}
}
