package gitpack

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// maxSmallOffset is the largest offset that the table of small ones holds.
const maxSmallOffset = 1<<31 - 1

// sort brings the entries into the order of the index, by id. What looks at their order in the pack comes before.
func (p *pack) sort(fail func(msg string) error) error {
	slices.SortFunc(p.entries, func(a, b entry) int { return bytes.Compare(a.id[:], b.id[:]) })
	for i := 1; i < len(p.entries); i++ {
		if p.entries[i].id == p.entries[i-1].id {
			return fail(fmt.Sprintf("it has the object %s twice", p.entries[i].id))
		}
	}
	return nil
}

// writeIndex writes an index of version 2 for sorted entries, byte by byte what git index-pack writes. Offsets past
// small go to the table of large ones.
func (p *pack) writeIndex(to io.Writer, small int64) error {
	sum := sha1.New()
	w := bufio.NewWriterSize(io.MultiWriter(to, sum), 256<<10)
	w.WriteString("\xfftOc\x00\x00\x00\x02")
	var field []byte
	n := 0
	for first := range 256 {
		for n < len(p.entries) && int(p.entries[n].id[0]) == first {
			n++
		}
		field = binary.BigEndian.AppendUint32(field[:0], uint32(n))
		w.Write(field)
	}
	for i := range p.entries {
		w.Write(p.entries[i].id[:])
	}
	for i := range p.entries {
		field = binary.BigEndian.AppendUint32(field[:0], p.entries[i].crc)
		w.Write(field)
	}
	large := uint32(0)
	for i := range p.entries {
		offset := uint32(p.entries[i].offset)
		if p.entries[i].offset > small {
			offset = 1<<31 | large
			large++
		}
		field = binary.BigEndian.AppendUint32(field[:0], offset)
		w.Write(field)
	}
	for i := range p.entries {
		if p.entries[i].offset > small {
			field = binary.BigEndian.AppendUint64(field[:0], uint64(p.entries[i].offset))
			w.Write(field)
		}
	}
	w.Write(p.sum[:])
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := to.Write(sum.Sum(nil))
	return err
}
