package graph

import (
	"cmp"
	"slices"
)

// layer gives each node its column: right of all that leads to it, as far left as that allows, and so few to a column that the
// picture is not much higher than wide. Where there are too many, those with the longest chains behind them go first.
func (d *drawing) layer() {
	n := len(d.nodes)
	next, waits := make([][]int, n), make([]int, n)
	for _, net := range d.nets {
		for _, to := range net.to {
			next[net.from] = append(next[net.from], to)
			waits[to]++
		}
	}
	behind, before := d.behind(next, waits), make([]int, n) // before is the last column that leads to a node
	ready := []int{}
	for i := range n {
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	most := d.columnHeight()
	for column := 0; len(ready) > 0; column++ {
		slices.SortFunc(ready, func(a, b int) int {
			return cmp.Or(aside(&d.nodes[b])-aside(&d.nodes[a]), behind[b]-behind[a], before[b]-before[a], len(next[b])-len(next[a]), a-b)
		})
		var later []int
		height := 0
		taken := ready
		for k, i := range ready {
			if height += d.nodes[i].h + gapNodes; height > most && k > 0 && !d.nodes[i].aside {
				taken, later = ready[:k], slices.Clone(ready[k:])
				break
			}
		}
		for _, i := range taken {
			d.nodes[i].column = column
			for _, j := range next[i] {
				before[j] = column
				if waits[j]--; waits[j] == 0 {
					later = append(later, j)
				}
			}
		}
		ready = later
	}
}

func aside(n *node) int {
	if n.aside {
		return 1
	}
	return 0
}

// behind returns the length of the longest chain that begins at each node.
func (d *drawing) behind(next [][]int, waits []int) []int {
	waits = slices.Clone(waits)
	var sorted []int
	for i := range waits {
		if waits[i] == 0 {
			sorted = append(sorted, i)
		}
	}
	for k := 0; k < len(sorted); k++ {
		for _, j := range next[sorted[k]] {
			if waits[j]--; waits[j] == 0 {
				sorted = append(sorted, j)
			}
		}
	}
	behind := make([]int, len(waits))
	for _, i := range slices.Backward(sorted) {
		for _, j := range next[i] {
			behind[i] = max(behind[i], behind[j]+1)
		}
	}
	return behind
}

// columnHeight returns how high a column may be: for all boxes together, with the room between columns, to fill a rectangle of 3 to 2.
func (d *drawing) columnHeight() int {
	const channelWidth = 110
	area, tallest := 0, 0
	for _, n := range d.nodes {
		area += (n.w + channelWidth) * (n.h + gapNodes)
		tallest = max(tallest, n.h)
	}
	height := 1
	for height*height*3/2 < area {
		height++
	}
	return max(height, tallest+gapNodes, 3*(tallest+gapNodes))
}

// lanes makes the items: the nodes, and for each net a lane in every column that it passes.
func (d *drawing) lanes() {
	columns := 0
	for _, n := range d.nodes {
		columns = max(columns, n.column+1)
	}
	d.columns, d.channels = make([][]int, columns), make([]channel, columns-1)
	for i, n := range d.nodes {
		d.add(n.column, item{node: i, h: n.h})
	}
	for i, net := range d.nets {
		last := 0
		for _, to := range net.to {
			last = max(last, d.nodes[to].column)
		}
		at := net.from // an item; nodes have their own places among these
		for column := d.nodes[net.from].column; column < last; column++ {
			var here []int
			for _, to := range net.to {
				if d.nodes[to].column == column+1 {
					here = append(here, to)
				}
			}
			if column+1 < last { // in the middle, where nothing else says where
				here = slices.Insert(here, len(here)/2, d.add(column+1, item{node: -1, net: i, h: laneHeight}))
			}
			from := at
			for _, to := range here {
				d.join(column, segment{net: i, from: from, to: to})
				if d.items[to].node < 0 {
					at = to
				}
			}
		}
	}
}

func (d *drawing) add(column int, it item) int {
	it.column, it.at = column, len(d.columns[column])
	d.columns[column] = append(d.columns[column], len(d.items))
	d.items = append(d.items, it)
	return len(d.items) - 1
}

func (d *drawing) join(column int, s segment) {
	c := &d.channels[column]
	d.items[s.from].right = append(d.items[s.from].right, len(c.segments))
	d.items[s.to].left = append(d.items[s.to].left, len(c.segments))
	c.segments = append(c.segments, s)
}
