package gitrepo

import (
	"cmp"
	"slices"
)

// pieceBytes is how much of a pack a worker takes at once: enough to read it through a large window.
const pieceBytes = 512 << 10

// forest is the entries of a pack that a batch needs: those that are wanted, and those on which they build. Each stands below the
// one on which it builds, so that it is made from that while it is at hand.
type forest struct {
	pack   *pack
	nodes  []node
	wanted int             // how many of the nodes are wanted: the first, by offset
	others map[int64]int32 // the nodes behind those, by offset
	roots  []int32         // whole entries, by offset
}

type node struct {
	packEntry
	places [2]int32 // of those who want it, in batch.places
	child  int32    // the first that builds on it; -1 for none
	next   int32    // another that builds on the same; -1 for none
}

// place is an index of ids, and where its entry is.
type place struct {
	pack   int32
	index  int32
	offset int64
}

// readPacks visits what is in packs and no larger than an unpacker makes.
func (b *batch) readPacks(f *folders) {
	places, packs := b.locate(f)
	for len(places) > 0 {
		n := 1
		for n < len(places) && places[n].pack == places[0].pack {
			n++
		}
		b.readPack(packs[places[0].pack], places[:n])
		places = places[n:]
	}
}

// locate returns where the ids are, by pack and offset, and the packs.
func (b *batch) locate(f *folders) (places []place, packs []*pack) {
	numbers := map[*pack]int32{}
	places = make([]place, 0, len(b.ids))
	for i, id := range b.ids {
		p, offset := f.locate(id)
		if p == nil {
			continue
		}
		number, known := numbers[p]
		if !known {
			number = int32(len(packs))
			numbers[p] = number
			packs = append(packs, p)
		}
		places = append(places, place{number, int32(i), offset})
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.pack, b.pack), cmp.Compare(a.offset, b.offset), cmp.Compare(a.index, b.index))
	})
	return places, packs
}

func (b *batch) readPack(p *pack, places []place) {
	f := b.plant(p, places)
	// Pieces of neighbours.
	var pieces []int
	for i, root := range f.roots {
		if i == 0 || f.nodes[root].offset-f.nodes[f.roots[pieces[len(pieces)-1]]].offset >= pieceBytes {
			pieces = append(pieces, i)
		}
	}
	pieces = append(pieces, len(f.roots))
	b.share(len(pieces)-1, 1, func(u *unpacker, from, _ int) {
		w := walker{batch: b, forest: f, unpacker: u, places: places}
		for _, root := range f.roots[pieces[from]:pieces[from+1]] {
			w.walk(root, 0, nil)
		}
	})
}

// plant reads the headers of all entries that are needed. An entry whose header can't be read has no place in the forest, nor has
// what builds on it.
func (b *batch) plant(p *pack, places []place) *forest {
	f := &forest{pack: p, nodes: make([]node, 0, len(places)), others: map[int64]int32{}}
	for i, at := range places {
		if n := len(f.nodes); n > 0 && f.nodes[n-1].offset == at.offset {
			f.nodes[n-1].places[1]++
			continue
		}
		f.nodes = append(f.nodes, node{packEntry: packEntry{offset: at.offset}, places: [2]int32{int32(i), int32(i) + 1}, child: -1, next: -1})
	}
	f.wanted = len(f.nodes)
	readable := make([]bool, f.wanted)
	b.share(f.wanted, 256, func(u *unpacker, from, to int) {
		for i := from; i < to; i++ {
			f.nodes[i].packEntry, readable[i] = u.entry(p, f.nodes[i].offset)
		}
	})
	var u unpacker
	for i := 0; i < len(f.nodes) && b.ctx.Err() == nil; i++ {
		n := &f.nodes[i]
		var ok bool
		if i < f.wanted {
			ok = readable[i]
		} else {
			n.packEntry, ok = u.entry(p, n.offset)
		}
		switch {
		case !ok:
		case !n.kind.IsDelta():
			f.roots = append(f.roots, int32(i))
		default:
			base := f.find(n.base)
			n = &f.nodes[i] // find may have moved it
			n.next = f.nodes[base].child
			f.nodes[base].child = int32(i)
		}
	}
	slices.SortFunc(f.roots, func(a, b int32) int { return cmp.Compare(f.nodes[a].offset, f.nodes[b].offset) })
	return f
}

// find returns the node at offset, a new one where there is none.
func (f *forest) find(offset int64) int32 {
	i, found := slices.BinarySearchFunc(f.nodes[:f.wanted], offset, func(n node, offset int64) int { return cmp.Compare(n.offset, offset) })
	if found {
		return int32(i)
	}
	k, found := f.others[offset]
	if !found {
		k = int32(len(f.nodes))
		f.others[offset] = k
		f.nodes = append(f.nodes, node{packEntry: packEntry{offset: offset}, child: -1, next: -1})
	}
	return k
}
