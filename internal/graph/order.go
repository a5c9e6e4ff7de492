package graph

import (
	"cmp"
	"slices"
)

// sweeps is how often all columns are put in order, once from each side.
const sweeps = 12

// order sorts the items of each column so that few lines cross: by the mean of their neighbours, from the left and from the
// right in turn, and then by exchanging two at a time. The best order that was met is kept.
func (d *drawing) order() {
	d.preorder()
	best, least := slices.Clone(d.columns), d.crossings()
	keep := func() {
		if n := d.crossings(); n < least {
			best, least = slices.Clone(d.columns), n
		}
	}
	for range sweeps {
		for i := 1; i < len(d.columns); i++ {
			d.sort(i, d.meanLeft)
		}
		d.exchange()
		keep()
		for i := len(d.columns) - 2; i >= 0; i-- {
			d.sort(i, d.meanRight)
		}
		d.exchange()
		keep()
	}
	for i := range best {
		d.set(i, best[i])
	}
}

// preorder puts what belongs to one node together, as a walk from the first node meets it.
func (d *drawing) preorder() {
	met := make([]int, len(d.items))
	next := 0
	stack := slices.Clone(d.columns[0])
	slices.Reverse(stack)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if met[i] > 0 {
			continue
		}
		next++
		met[i] = next
		for _, s := range slices.Backward(d.items[i].right) {
			stack = append(stack, d.channels[d.items[i].column].segments[s].to)
		}
	}
	for i, column := range d.columns {
		slices.SortStableFunc(column, func(a, b int) int { return met[a] - met[b] })
		d.set(i, column)
	}
}

// set puts the items of a column in that order. The slice is kept, and not changed later.
func (d *drawing) set(column int, items []int) {
	d.columns[column] = items
	for at, i := range items {
		d.items[i].at = at
	}
}

// sort puts the items of a column in the order of what they are joined to.
func (d *drawing) sort(column int, mean func(*item) int) {
	items := slices.Clone(d.columns[column])
	key := make(map[int]int, len(items))
	for _, i := range items {
		key[i] = mean(&d.items[i])
	}
	slices.SortStableFunc(items, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
	d.set(column, items)
}

// scale makes fractions whole numbers.
const scale = 1024

func (d *drawing) meanLeft(it *item) int {
	sum := 0
	for _, s := range it.left {
		sum += d.items[d.channels[it.column-1].segments[s].from].at
	}
	return sum * scale / max(1, len(it.left))
}

// meanRight is meanLeft for the other side. What leads nowhere stays about where it is.
func (d *drawing) meanRight(it *item) int {
	if len(it.right) == 0 {
		return it.at * scale * len(d.columns[it.column+1]) / len(d.columns[it.column])
	}
	sum := 0
	for _, s := range it.right {
		sum += d.items[d.channels[it.column].segments[s].to].at
	}
	return sum * scale / len(it.right)
}

// crossings counts how often segments cross, from their order at both ends.
func (d *drawing) crossings() int {
	total := 0
	for c := range d.channels {
		ends := make([][2]int, len(d.channels[c].segments))
		for i, s := range d.channels[c].segments {
			ends[i] = [2]int{d.items[s.from].at, d.items[s.to].at}
		}
		slices.SortFunc(ends, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
		tree := make([]int, len(d.columns[c+1])+1) // how many ended at or above a place (a Fenwick tree)
		for seen, e := range ends {
			above := 0
			for i := e[1] + 1; i > 0; i -= i & -i {
				above += tree[i]
			}
			total += seen - above
			for i := e[1] + 1; i < len(tree); i += i & -i {
				tree[i]++
			}
		}
	}
	return total
}

// maxExchange bounds how many items are exchanged two at a time: past it a picture is not read line by line.
const maxExchange = 600

// exchange swaps neighbours in a column while fewer lines cross.
func (d *drawing) exchange() {
	if len(d.items) > maxExchange {
		return
	}
	for round, better := 0, true; better && round < sweeps; round++ {
		better = false
		for c := range d.columns {
			items := slices.Clone(d.columns[c])
			for k := 0; k+1 < len(items); k++ {
				a, b := &d.items[items[k]], &d.items[items[k+1]]
				if d.crossed(a, b) > d.crossed(b, a) {
					items[k], items[k+1] = items[k+1], items[k]
					a.at, b.at = k+1, k
					better = true
				}
			}
			d.columns[c] = items
		}
	}
}

// crossed counts the crossings of the lines of two neighbours where a is the upper one.
func (d *drawing) crossed(a, b *item) int {
	n := 0
	for _, s := range a.left {
		for _, t := range b.left {
			if c := d.channels[a.column-1].segments; d.items[c[s].from].at > d.items[c[t].from].at {
				n++
			}
		}
	}
	for _, s := range a.right {
		for _, t := range b.right {
			if c := d.channels[a.column].segments; d.items[c[s].to].at > d.items[c[t].to].at {
				n++
			}
		}
	}
	return n
}
