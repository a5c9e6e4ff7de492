package gitpack

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// children says which deltas build on an entry. The lists of the pack are sorted by base for it; of the deltas on one
// base the one comes last that most others build on: when its turn comes, the base need not be held any more, and
// so no more than the logarithm of their number is held at once.
type children struct {
	pack *pack
}

func newChildren(p *pack) children {
	// Bases are earlier entries, so that a count is complete when its turn comes.
	weight := make([]uint32, len(p.entries))
	for _, d := range slices.Backward(p.byPlace) {
		weight[d.base] += 1 + weight[d.number]
	}
	slices.SortFunc(p.byPlace, func(a, b placedDelta) int {
		return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(weight[a.number], weight[b.number]), cmp.Compare(a.number, b.number))
	})
	slices.SortFunc(p.byID, func(a, b namedDelta) int {
		return cmp.Or(bytes.Compare(a.base[:], b.base[:]), cmp.Compare(a.number, b.number))
	})
	return children{p}
}

// kin are deltas on one base: parts of both lists.
type kin struct {
	placed, placedEnd int
	named, namedEnd   int
}

func (k kin) empty() bool { return k.placed == k.placedEnd && k.named == k.namedEnd }

// of returns what builds on an entry whose id is known. What builds on an id goes to the first entry that has it: those
// that come after it are the same object again, and a pack of nothing else would ask for the product of both numbers.
func (c children) of(number uint32) kin {
	byPlace, byID, id := c.pack.byPlace, c.pack.byID, &c.pack.entries[number].id
	k := kin{placed: sort.Search(len(byPlace), func(i int) bool { return byPlace[i].base >= number })}
	for k.placedEnd = k.placed; k.placedEnd < len(byPlace) && byPlace[k.placedEnd].base == number; k.placedEnd++ {
	}
	k.named = sort.Search(len(byID), func(i int) bool { return bytes.Compare(byID[i].base[:], id[:]) >= 0 })
	k.namedEnd = k.named
	// The first of them is built before anything else: next begins with it.
	if k.named < len(byID) && !c.pack.entries[byID[k.named].number].id.IsZero() {
		return k
	}
	for k.namedEnd < len(byID) && byID[k.namedEnd].base == *id {
		k.namedEnd++
	}
	return k
}

// none reports whether it is clear that nothing builds on an entry whose id is not known yet.
func (c children) none(number uint32) bool {
	if len(c.pack.byID) > 0 {
		return false
	}
	i := sort.Search(len(c.pack.byPlace), func(i int) bool { return c.pack.byPlace[i].base >= number })
	return i == len(c.pack.byPlace) || c.pack.byPlace[i].base != number
}

// next takes a delta from k, those by id first.
func (c children) next(k *kin) (number uint32, ok bool) {
	switch {
	case k.named < k.namedEnd:
		number = c.pack.byID[k.named].number
		k.named++
	case k.placed < k.placedEnd:
		number = c.pack.byPlace[k.placed].number
		k.placed++
	default:
		return 0, false
	}
	return number, true
}
