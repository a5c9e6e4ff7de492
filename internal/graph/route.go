package graph

import (
	"cmp"
	"slices"
)

// wire is what one net has in one channel: a line from the left, one up and down, and lines to the right.
type wire struct {
	net   int
	from  int    // how far down it comes in
	to    []int  // how far down it goes out; sorted
	ends  []bool // of each: it enters a node there
	track int    // of the line up and down, from the left; -1 where there is none
	x     int
}

// span returns from where to where the line up and down goes.
func (w *wire) span() (top, bottom int) {
	return min(w.from, w.to[0]), max(w.from, w.to[len(w.to)-1])
}

func (w *wire) straight() bool { return len(w.to) == 1 && w.to[0] == w.from }

// clear is how far lines of two nets stay from each other.
const clear = 5

// route gives each wire its track, so that few cross and no two share a line.
func (d *drawing) route() {
	for c := range d.channels {
		d.part(c)
		wires, bent := d.arranged(c)
		for k, i := range bent {
			top, bottom := wires[i].span()
			wires[i].track = 0
			for _, j := range bent[:k] { // what is near each other keeps its order
				if t, b := wires[j].span(); t <= bottom+trackGap && b >= top-trackGap {
					wires[i].track = max(wires[i].track, wires[j].track+1)
				}
			}
		}
		d.channels[c].wires = wires
	}
}

// arranged returns the wires of a channel and those that have a track, from left to right.
func (d *drawing) arranged(c int) (wires []wire, bent []int) {
	wires = d.wires(c)
	for i := range wires {
		wires[i].track = -1
		if !wires[i].straight() {
			bent = append(bent, i)
		}
	}
	arrange(wires, bent)
	return wires, bent
}

// wires gathers the segments of a channel by net, from the top.
func (d *drawing) wires(c int) []wire {
	place := make(map[int]int)
	var wires []wire
	segments := slices.Clone(d.channels[c].segments)
	slices.SortStableFunc(segments, func(a, b segment) int {
		return d.items[a.to].y + a.enters - d.items[b.to].y - b.enters
	})
	for _, s := range segments {
		i, found := place[s.net]
		if !found {
			i = len(wires)
			place[s.net] = i
			wires = append(wires, wire{net: s.net, from: d.items[s.from].y + s.leaves})
		}
		wires[i].to = append(wires[i].to, d.items[s.to].y+s.enters)
		wires[i].ends = append(wires[i].ends, d.items[s.to].node >= 0)
	}
	return wires
}

// maxArranged bounds how many wires of a channel are compared pair by pair.
const maxArranged = 150

// arrange sorts the wires that have a track from left to right: those first that start with, and then exchanged while it costs less.
func arrange(wires []wire, bent []int) {
	slices.SortStableFunc(bent, func(a, b int) int { return cmp.Compare(lean(&wires[a]), lean(&wires[b])) })
	if len(bent) > maxArranged {
		return
	}
	cost := make([][]int, len(wires))
	for _, i := range bent {
		cost[i] = make([]int, len(wires))
		for _, j := range bent {
			if i != j {
				cost[i][j] = price(&wires[i], &wires[j])
			}
		}
	}
	for range bent {
		moved := false
		for k := range bent {
			moved = insert(bent, k, cost) || moved
		}
		if !moved {
			return
		}
	}
}

// insert moves one wire to where it costs least, and reports whether that is elsewhere.
func insert(bent []int, k int, cost [][]int) bool {
	w, best, least, sum := bent[k], k, 0, 0
	for i := k - 1; i >= 0; i-- { // w before bent[i] instead of behind it
		if sum += cost[w][bent[i]] - cost[bent[i]][w]; sum < least {
			best, least = i, sum
		}
	}
	sum = 0
	for i := k + 1; i < len(bent); i++ {
		if sum += cost[bent[i]][w] - cost[w][bent[i]]; sum < least {
			best, least = i, sum
		}
	}
	for i := k; i > best; i-- {
		bent[i] = bent[i-1]
	}
	for i := k; i < best; i++ {
		bent[i] = bent[i+1]
	}
	bent[best] = w
	return best != k
}

// lean says whether a wire goes up, and then is best on the left where it starts high, or down.
func lean(w *wire) int {
	sum := 0
	for _, y := range w.to {
		sum += y - w.from
	}
	if sum > 0 {
		return -w.from // of those that go down, the lowest turns first
	}
	return w.from
}

// price is what it costs to have a left of b: the crossings, and far more where lines would share a place.
func price(a, b *wire) int {
	const shared = 1000
	n := 0
	top, bottom := b.span()
	for _, y := range a.to {
		if y > top-clear && y < bottom+clear {
			n++
		}
		if distance := y - b.from; distance < clear && distance > -clear {
			n += shared
		}
	}
	if top, bottom := a.span(); b.from > top-clear && b.from < bottom+clear {
		n++
	}
	return n
}

// measure gives columns and channels their places, and the whole its size.
func (d *drawing) measure() {
	top, bottom := d.items[0].y, 0
	for i := range d.items {
		top, bottom = min(top, d.items[i].y), max(bottom, d.items[i].y+d.items[i].h)
	}
	for c := range d.channels {
		for i := range d.channels[c].wires {
			w := &d.channels[c].wires[i]
			w.from -= top
			for k := range w.to {
				w.to[k] -= top
			}
		}
	}
	x := 0
	for c, items := range d.columns {
		wide := 0
		for _, i := range items {
			if n := d.items[i].node; n >= 0 {
				wide = max(wide, d.nodes[n].w)
			}
		}
		for _, i := range items {
			if n := d.items[i].node; n >= 0 {
				d.nodes[n].x, d.nodes[n].y, d.nodes[n].w = x, d.items[i].y-top, wide
			}
		}
		x += wide
		if c < len(d.channels) {
			ch := &d.channels[c]
			ch.left = x
			tracks := 0
			for i := range ch.wires {
				ch.wires[i].x = x + channelEnd + trackGap*max(0, ch.wires[i].track)
				tracks = max(tracks, ch.wires[i].track+1)
			}
			x += 2*channelEnd + trackGap*max(0, tracks-1)
			ch.right = x
		}
	}
	d.width, d.height = x, bottom-top
}
