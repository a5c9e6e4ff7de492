package gitrepo

import (
	"encoding/binary"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// This file is what package gitpack shares: how an entry of a pack is read, wherever its bytes come from.

// EntryHeader is what stands before the compressed bytes of a pack entry.
type EntryHeader struct {
	Kind   plumbing.ObjectType
	Length int64 // of the inflated bytes
	Back   int64 // of an OFSDeltaObject: how many bytes before the entry its base begins; not checked
	Base   ID    // of a REFDeltaObject
}

// ByteReader reads single bytes, and many.
type ByteReader interface {
	io.Reader
	io.ByteReader
}

// ReadEntryHeader reads a header and nothing behind it. The error's text says what is wrong with it.
func ReadEntryHeader(r ByteReader) (h EntryHeader, err error) {
	c, err := r.ReadByte()
	if err != nil {
		return h, damagedBy(err)
	}
	h.Kind = plumbing.ObjectType(c >> 4 & 7)
	h.Length = int64(c & 15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = r.ReadByte(); err != nil {
			return h, damagedBy(err)
		}
		if shift > 63-7 {
			return h, damaged("an entry whose length has no end")
		}
		h.Length |= int64(c&0x7f) << shift
	}
	switch h.Kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		return h, nil
	case plumbing.OFSDeltaObject:
		h.Back, err = readDistance(r)
		return h, err
	case plumbing.REFDeltaObject:
		var base ID // of its own, so that h is not on the heap
		if _, err := io.ReadFull(r, base[:]); err != nil {
			return h, damagedBy(err)
		}
		h.Base = base
		return h, nil
	}
	return h, damaged("an entry of type %d", h.Kind)
}

// readDistance reads how far back the base of a delta is: big-endian groups of 7 bits, each but the first plus one.
func readDistance(r io.ByteReader) (int64, error) {
	c, err := r.ReadByte()
	n := int64(c & 0x7f)
	for err == nil && c&0x80 != 0 {
		if n > 1<<48 {
			return 0, damaged("a delta whose distance has no end")
		}
		c, err = r.ReadByte()
		n = (n+1)<<7 | int64(c&0x7f)
	}
	if err != nil {
		return 0, damagedBy(err)
	}
	return n, nil
}

// Inflater inflates zlib streams from memory to memory, several times as fast as compress/zlib. The zero value is
// ready, for one goroutine.
type Inflater struct{ f inflater }

// Inflate fills dst with what the stream at the start of src holds, and returns how long the stream is, its checksum
// included. Where it is not ok, the stream may be sound all the same: compress/zlib decides.
func (i *Inflater) Inflate(dst, src []byte) (used int, ok bool) {
	return i.f.checked(dst, src)
}

// Delta makes an object of its base and a delta while it is read. Neither the object nor the delta is held. Start it,
// set its base with On, and read to the end: io.EOF says that delta and object are whole. The zero value is ready.
type Delta struct {
	r      deltaReader
	window []byte
}

// Start reads the two sizes that a delta of length bytes begins with. The delta must be at its end behind them.
func (d *Delta) Start(delta io.Reader, length int64) (baseSize, size int64, err error) {
	if d.window == nil {
		d.window = make([]byte, deltaWindowBytes)
	}
	err = d.r.start(delta, length, d.window)
	return d.r.baseSize, d.r.size, err
}

// On sets the base.
func (d *Delta) On(base []byte) error { return d.r.on(base) }

func (d *Delta) Read(p []byte) (int, error) { return d.r.Read(p) }

// DeltaHead is how many bytes of a delta DeltaSize looks at.
const DeltaHead = 2 * binary.MaxVarintLen64

// DeltaSize returns the size of the object that a delta makes, by the beginning of the delta.
func DeltaSize(head []byte) (int64, error) { return resultSize(head) }
