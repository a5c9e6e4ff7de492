package gitrepo

import (
	"encoding/binary"
	"sort"
)

// merge makes a split index whole: the entries of the shared part, without those that the delete bitmap names,
// with those that the replace bitmap names taken from ix (there without a name), and what ix adds.
func (ix *index) merge(shared *index) error {
	if !shared.base.IsZero() {
		return damaged("a split index whose shared part is split")
	}
	var deleted, replaced bitmap
	if len(ix.linkData) > 0 {
		var err error
		rest := ix.linkData
		if deleted, rest, err = parseBitmap(rest, len(shared.entries)); err != nil {
			return err
		}
		if replaced, _, err = parseBitmap(rest, len(shared.entries)); err != nil {
			return err
		}
	}
	own := ix.entries
	merged := make([]indexEntry, 0, len(shared.entries)+len(own))
	for i, e := range shared.entries {
		if replaced.has(i) {
			if len(own) == 0 || own[0].name != "" {
				return damaged("a split index without the entries that it replaces")
			}
			name := e.name
			e = own[0]
			e.name = name
			own = own[1:]
		}
		if !deleted.has(i) {
			merged = append(merged, e)
		}
	}
	merged = append(merged, own...)
	sort.SliceStable(merged, func(i, j int) bool {
		if merged[i].name != merged[j].name {
			return merged[i].name < merged[j].name
		}
		return merged[i].stage < merged[j].stage
	})
	ix.entries = merged
	return nil
}

// bitmap is a set of positions.
type bitmap []uint64

func (b bitmap) has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

// parseBitmap decodes git's EWAH form: the number of bits, the number of words, the words, the place of the last
// marker. A marker word says: a bit, how many words are filled with it, how many literal words follow.
// Bits past the number that there can be are refused, so that a run costs no memory.
func parseBitmap(data []byte, positions int) (b bitmap, rest []byte, err error) {
	bad := damaged("a bitmap of the split index")
	if len(data) < 8 {
		return nil, nil, bad
	}
	count := uint64(binary.BigEndian.Uint32(data[4:]))
	data = data[8:]
	if uint64(len(data)) < 8*count+4 {
		return nil, nil, bad
	}
	words, rest := data[:8*count], data[8*count+4:]
	limit := uint64(positions+63) / 64
	for len(words) > 0 {
		marker := binary.BigEndian.Uint64(words)
		words = words[8:]
		run, literals := marker>>1&(1<<32-1), marker>>33
		if uint64(len(b))+run+literals > limit || 8*literals > uint64(len(words)) {
			return nil, nil, bad
		}
		for range run {
			b = append(b, -(marker & 1))
		}
		for range literals {
			b = append(b, binary.BigEndian.Uint64(words))
			words = words[8:]
		}
	}
	return b, rest, nil
}
