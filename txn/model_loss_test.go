package txn

import (
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
)

// losses returns what a power failure may leave: each a memory that was just switched on. Where there are at most so
// many sets of effects that survive it returns all of them, and true; else so many, seeded by rng: nothing, all,
// each single one, all but one, and any.
func (m *memory) losses(most int, rng *rand.Rand) (left []*memory, all bool) {
	choices, all := m.choices(most)
	if !all {
		choices = m.someChoices(most, rng)
	}
	room := most
	for i, chosen := range choices {
		share := max(room/(len(choices)-i), 1)
		states, every := m.after(chosen, share, rng)
		left = append(left, states...)
		all = all && every
		room -= len(states)
	}
	return left, all
}

// choices returns every set of changes that may have happened, or false where there are more than most. A
// set says so for each of m.changes.
func (m *memory) choices(most int) ([][]bool, bool) {
	sets := [][]bool{{}}
	for i := range m.changes {
		var next [][]bool
		for _, set := range sets {
			for _, happened := range m.may(set, i) {
				next = append(next, append(slices.Clip(set), happened))
			}
		}
		if sets = next; len(sets) > most {
			return nil, false
		}
	}
	return sets, true
}

// may returns whether the change at i may have happened, and may not have, after the earlier ones.
func (m *memory) may(set []bool, i int) []bool {
	c := m.changes[i]
	needed := func(earlier *change) bool { return !set[slices.Index(m.changes, earlier)] }
	switch {
	case slices.ContainsFunc(c.after, needed), slices.ContainsFunc(c.inside, needed):
		return []bool{false}
	case c.flushed:
		return []bool{true}
	}
	return []bool{false, true}
}

func (m *memory) someChoices(most int, rng *rand.Rand) [][]bool {
	n := len(m.changes)
	pick := func(want func(i int) bool) []bool {
		var set []bool
		for i := range m.changes {
			may := m.may(set, i)
			set = append(set, may[0])
			if len(may) == 2 {
				set[i] = want(i)
			}
		}
		return set
	}
	sets := [][]bool{pick(func(int) bool { return false }), pick(func(int) bool { return true })}
	for k := range n {
		sets = append(sets, pick(func(i int) bool { return i == k }), pick(func(i int) bool { return i != k }))
	}
	if len(sets) > most/2 {
		rng.Shuffle(len(sets)-2, func(i, j int) { sets[i+2], sets[j+2] = sets[j+2], sets[i+2] })
		sets = sets[:max(most/2, 2)]
	}
	for len(sets) < most {
		share := rng.Float64()
		sets = append(sets, pick(func(int) bool { return rng.Float64() < share }))
	}
	return sets
}

// after returns what the disk holds when the chosen changes have happened, with every state of the bytes of
// files that were not flushed, or a sample of most.
func (m *memory) after(chosen []bool, most int, rng *rand.Rand) (left []*memory, all bool) {
	names := map[slot]*inode{}
	for i, c := range m.changes {
		if chosen[i] {
			for _, w := range c.writes {
				names[w.slot] = w.to
			}
		}
	}
	var unsure []*inode
	m.survivor(names, func(f *inode) content {
		if len(m.versions(f)) > 1 {
			unsure = append(unsure, f)
		}
		return f.now
	})
	slices.SortFunc(unsure, func(a, b *inode) int { return strings.Compare(a.now.text, b.now.text) }) // the walk is in any order
	sets := 1
	for _, f := range unsure {
		if sets *= len(m.versions(f)); sets > most {
			break
		}
	}
	number := func(f *inode, set int) int {
		for _, other := range unsure {
			n := len(m.versions(other))
			if other == f {
				return set % n
			}
			set /= n
		}
		return 0
	}
	for set := range min(sets, most) {
		version := map[*inode]int{}
		for _, f := range unsure {
			if sets <= most {
				version[f] = number(f, set)
			} else {
				version[f] = rng.IntN(len(m.versions(f)))
			}
		}
		left = append(left, m.survivor(names, func(f *inode) content { return m.versions(f)[version[f]] }))
	}
	return left, sets <= most
}

// versions returns what the disk may hold of a file.
func (m *memory) versions(f *inode) []content {
	switch {
	case f.kind != 0, !f.dirty && !f.lost:
		return []content{f.now}
	case f.flushed && f.kept.text == f.now.text:
		return []content{f.now, f.kept}
	}
	versions := []content{f.now}
	text := f.now.text
	torn := []string{text[:len(text)/2], strings.Repeat("\x00", len(text)), ""}
	if m.oneTorn {
		torn = torn[:1]
	}
	for _, torn := range torn {
		versions = append(versions, content{torn, f.now.mode})
	}
	if f.flushed {
		versions = append(versions, f.kept)
	}
	slices.SortFunc(versions, func(a, b content) int { return strings.Compare(a.text, b.text) })
	return slices.Compact(versions)
}

// survivor returns the memory that the disk holds: its entries, changed by names, and of each file what pick says.
func (m *memory) survivor(names map[slot]*inode, pick func(*inode) content) *memory {
	changed := map[*inode]map[string]*inode{}
	for at, to := range names {
		if changed[at.folder] == nil {
			changed[at.folder] = map[string]*inode{}
		}
		changed[at.folder][at.name] = to
	}
	copies := map[*inode]*inode{}
	var build func(*inode) *inode
	build = func(from *inode) *inode {
		if to := copies[from]; to != nil {
			return to // another name of the same file
		}
		if from.kind != fs.ModeDir {
			to := &inode{kind: from.kind, now: pick(from)}
			to.keep()
			copies[from] = to
			return to
		}
		to := newFolder()
		copies[from] = to
		put := func(name string, f *inode) {
			to.entries[name] = build(f)
			to.stable[name] = to.entries[name]
		}
		for name, f := range from.stable {
			if _, known := changed[from][name]; !known {
				put(name, f)
			}
		}
		for name, f := range changed[from] {
			if f != nil {
				put(name, f)
			}
		}
		return to
	}
	return &memory{root: build(m.root), traits: m.traits}
}
