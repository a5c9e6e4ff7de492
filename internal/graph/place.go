package graph

import (
	"cmp"
	"slices"
)

// ports says where segments leave and enter the items, from the top of each. A node is made higher where more lines enter than fit.
func (d *drawing) ports() {
	for i := range d.items {
		it := &d.items[i]
		if n := len(it.left); it.node >= 0 && n > 0 {
			segments := d.channels[it.column-1].segments
			slices.SortStableFunc(it.left, func(a, b int) int {
				return cmp.Or(d.items[segments[a].from].at-d.items[segments[b].from].at, a-b)
			})
			it.h = max(it.h, (n+1)*portGap)
			for k, s := range it.left {
				segments[s].enters = it.h/2 + (2*k-n+1)*portGap/2
			}
		}
	}
	for c := range d.channels {
		for k := range d.channels[c].segments {
			s := &d.channels[c].segments[k]
			s.leaves = d.items[s.from].h / 2
			if d.items[s.to].node < 0 {
				s.enters = d.items[s.to].h / 2
			}
			if d.items[s.from].node >= 0 && d.nets[s.net].low {
				s.leaves += lowPort
			}
		}
	}
	for i := range d.nodes {
		d.nodes[i].h = d.items[i].h
	}
}

// place finds how far down each item stands: near the middle of what it is joined to, in the order of its column, and no
// further up or down than the highest column needs.
func (d *drawing) place() {
	const rounds = 8
	for _, column := range d.columns {
		need := 0
		for k, i := range column {
			if k > 0 {
				need += d.distance(&d.items[column[k-1]], &d.items[i])
			}
			if k+1 == len(column) {
				need += d.items[i].h
			}
		}
		d.height = max(d.height, need)
	}
	for c := range d.columns {
		d.settle(c, func(*item) (int, int) { return 0, 0 })
	}
	for range rounds {
		for c := 1; c < len(d.columns); c++ {
			d.settle(c, d.pullLeft)
		}
		for c := len(d.columns) - 2; c >= 0; c-- {
			d.settle(c, d.pullRight)
		}
	}
	for c := range d.columns {
		d.settle(c, func(it *item) (int, int) {
			a, n := d.pullLeft(it)
			b, m := d.pullRight(it)
			return a + b, n + m
		})
	}
	d.straighten()
}

// pullLeft returns the sum of the places where an item would stand if each of its segments to the left were straight, and
// how many there are. A lane that goes on as a lane pulls more.
func (d *drawing) pullLeft(it *item) (sum, n int) {
	for _, k := range it.left {
		s := &d.channels[it.column-1].segments[k]
		weight := d.weight(s)
		sum += weight * (d.items[s.from].y + s.leaves - s.enters)
		n += weight
	}
	return sum, n
}

func (d *drawing) pullRight(it *item) (sum, n int) {
	if it.column+1 == len(d.columns) {
		return 0, 0
	}
	for _, k := range it.right {
		s := &d.channels[it.column].segments[k]
		weight := d.weight(s)
		sum += weight * (d.items[s.to].y + s.enters - s.leaves)
		n += weight
	}
	return sum, n
}

func (d *drawing) weight(s *segment) int {
	if d.items[s.from].node < 0 && d.items[s.to].node < 0 {
		return 30
	}
	return 1
}

// settle places the items of a column as near as can be, in least squares, to where pull wants them, without changing their order
// or coming too close (isotonic regression by pooling adjacent violators).
func (d *drawing) settle(column int, pull func(*item) (sum, n int)) {
	type pool struct{ sum, n, items int }
	var pools []pool
	offset, offsets := 0, make([]int, 0, len(d.columns[column]))
	for k, i := range d.columns[column] {
		it := &d.items[i]
		if k > 0 {
			offset += d.distance(&d.items[d.columns[column][k-1]], it)
		}
		offsets = append(offsets, offset)
		sum, n := pull(it)
		if n == 0 {
			sum, n = it.y, 1
		}
		pools = append(pools, pool{(sum*scale)/n - offset*scale, 1, 1})
		for len(pools) > 1 {
			a, b := pools[len(pools)-2], pools[len(pools)-1]
			if a.sum*b.n < b.sum*a.n {
				break
			}
			pools = append(pools[:len(pools)-2], pool{a.sum + b.sum, a.n + b.n, a.items + b.items})
		}
	}
	k, room := 0, d.height-offset-d.items[d.columns[column][len(offsets)-1]].h
	for _, p := range pools {
		for range p.items {
			d.items[d.columns[column][k]].y = min(max(floor(p.sum, p.n*scale), 0), room) + offsets[k]
			k++
		}
	}
}

// floor divides and rounds down.
func floor(a, b int) int {
	if q := a / b; q*b <= a {
		return q
	}
	return a/b - 1
}

// distance is the least from the top of an item to the top of the next below.
func (d *drawing) distance(a, b *item) int {
	switch {
	case a.node >= 0 && b.node >= 0:
		return a.h + gapNodes
	case a.node < 0 && b.node < 0:
		return a.h + gapLanes
	}
	return a.h + gapLane
}

// straighten removes small steps: a lane, or the place where a line enters a node, moves by a few pixels where there is room.
func (d *drawing) straighten() {
	const small = 10
	for c := range d.channels {
		segments := d.channels[c].segments
		for k := range segments {
			s := &segments[k]
			step := d.items[s.from].y + s.leaves - d.items[s.to].y - s.enters
			if step == 0 || step > small || step < -small {
				continue
			}
			d.moveEnd(c, k, step)
		}
	}
}

// moveEnd moves the right end of a segment up or down, and reports whether there is room: a lane moves as a whole; on a node the
// end stays clear of the corners and of the others.
func (d *drawing) moveEnd(channel, k, step int) bool {
	segments := d.channels[channel].segments
	to := &d.items[segments[k].to]
	if to.node < 0 {
		if !d.fits(segments[k].to, step) {
			return false
		}
		to.y += step
		return true
	}
	at, least := segments[k].enters+step, portGap*2/3
	if at < least || at > to.h-least {
		return false
	}
	for _, other := range to.left {
		if distance := segments[other].enters - at; other != k && distance < least && distance > -least {
			return false
		}
	}
	segments[k].enters = at
	return true
}

// fits reports whether an item can move by that much and keep its distance.
func (d *drawing) fits(i, step int) bool {
	it := &d.items[i]
	column := d.columns[it.column]
	if it.at > 0 {
		above := &d.items[column[it.at-1]]
		if it.y+step < above.y+d.distance(above, it) {
			return false
		}
	}
	if it.at+1 < len(column) {
		below := &d.items[column[it.at+1]]
		return it.y+step+d.distance(it, below) <= below.y
	}
	return true
}
