package gitrepo

import (
	"bytes"
	"encoding/binary"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	// maxMemoryBytes is the length of the longest entry, and of the largest object, that an unpacker makes.
	maxMemoryBytes = 512 << 10
	// maxFastChainBytes bounds the objects of a chain that an unpacker makes, together.
	maxFastChainBytes = 64 << 20

	maxHeadBytes = binary.MaxVarintLen64 + idBytes // of an entry, before what is compressed
)

// unpacker reads objects of up to 512 KiB from memory to memory, for one goroutine: nearly all there are. What it does not read,
// because it is larger or damaged or its file can't be read, is read by a packedObject or a looseObject, which stream, and say what is
// wrong. What an unpacker has made is sound only if it hashes to its id.
type unpacker struct {
	window  packWindow
	head    bytes.Reader
	inflate inflater
	hash    idHash

	chain []packEntry
	delta []byte    // inflated
	turns [2][]byte // where the objects of a chain are made
	file  []byte    // of a loose object
	spare buffers
}

// packEntry is an entry of a pack that is small enough for an unpacker.
type packEntry struct {
	offset int64
	body   int32 // how many bytes behind that it is compressed
	kind   plumbing.ObjectType
	length int32 // inflated
	base   int64 // offset of what a delta builds on
}

// entry reads the header of an entry.
func (u *unpacker) entry(p *pack, offset int64) (e packEntry, ok bool) {
	if offset < packHeaderBytes {
		return e, false
	}
	head := u.window.at(p, offset, maxHeadBytes)
	u.head.Reset(head)
	read, err := ReadEntryHeader(&u.head)
	if err != nil || read.Length > maxMemoryBytes {
		return e, false
	}
	h, err := placed(read, offset)
	if err != nil {
		return e, false
	}
	if h.typ == plumbing.REFDeltaObject {
		if h.offset, err = p.offsetOf(h.base); err != nil {
			return e, false
		}
	}
	return packEntry{offset, int32(len(head) - u.head.Len()), h.typ, int32(h.length), h.offset}, true
}

// compressed is what stands behind the header of an entry: all that is compressed, or as much as a sound writer makes of it.
func (u *unpacker) compressed(p *pack, e packEntry) []byte {
	const ample = 128 // of what zlib adds to what it can't compress
	most := int(e.length + e.length/64 + ample)
	return u.window.at(p, e.offset+int64(e.body), most)
}

// inflated makes what an entry holds in buf, or in a larger one.
func (u *unpacker) inflated(p *pack, e packEntry, buf []byte) ([]byte, bool) {
	buf = withSlack(buf, int(e.length))
	_, ok := u.inflate.inflate(buf, u.compressed(p, e))
	return buf, ok
}

// patched makes the object of a delta and its base in buf, or in a larger one.
func (u *unpacker) patched(p *pack, e packEntry, base, buf []byte) (_ []byte, ok bool) {
	if u.delta, ok = u.inflated(p, e, u.delta); !ok {
		return buf, false
	}
	size, err := resultSize(u.delta)
	if err != nil || size > maxMemoryBytes {
		return buf, false
	}
	buf = withSlack(buf, int(size))
	return buf, patch(buf, base, u.delta)
}

// withSlack returns a buffer of n bytes that inflater likes, buf where it is large enough.
func withSlack(buf []byte, n int) []byte {
	if cap(buf) >= n+inflateSlack {
		return buf[:n]
	}
	return make([]byte, n, max(n+inflateSlack, min(2*cap(buf), maxMemoryBytes+inflateSlack), 8<<10))
}

// follow walks the chain of the entry at offset into u.chain, through headers alone, up to a whole entry or a base that is held, which it
// returns.
func (u *unpacker) follow(p *pack, offset int64) (kind plumbing.ObjectType, base []byte, ok bool) {
	u.chain = u.chain[:0]
	for {
		e, ok := u.entry(p, offset)
		if !ok || len(u.chain) > maxDeltaDepth {
			return 0, nil, false
		}
		u.chain = append(u.chain, e)
		if !e.kind.IsDelta() {
			return e.kind, nil, true
		}
		offset = e.base
		if kind, base := p.folders.bases.get(p, offset); base != nil {
			return kind, base, true
		}
	}
}

// object makes the object at offset. It is valid until the next call.
func (u *unpacker) object(p *pack, offset int64) (kind plumbing.ObjectType, content []byte, ok bool) {
	kind, content, ok = u.follow(p, offset)
	if !ok {
		return 0, nil, false
	}
	last := len(u.chain) - 1
	for i, total := last, 0; i >= 0; i-- {
		e, turn := u.chain[i], &u.turns[i&1]
		if e.kind.IsDelta() {
			*turn, ok = u.patched(p, e, content, *turn)
		} else {
			*turn, ok = u.inflated(p, e, *turn)
		}
		content = *turn
		if total += len(content); !ok || total > maxFastChainBytes {
			return 0, nil, false
		}
		if i > 0 {
			p.folders.bases.put(p, e.offset, kind, content)
		}
	}
	return kind, content, true
}

// stat returns the kind and the size of the object at offset.
func (u *unpacker) stat(p *pack, offset int64) (kind plumbing.ObjectType, size int64, ok bool) {
	kind, _, ok = u.follow(p, offset)
	if !ok {
		return 0, 0, false
	}
	e := u.chain[0]
	if !e.kind.IsDelta() {
		// What DEFLATE can't make of the rest of the file is a lie.
		return kind, int64(e.length), int(e.length)/maxInflation <= len(u.compressed(p, e))
	}
	u.delta = withSlack(u.delta, min(int(e.length), DeltaHead))
	n, ok := u.inflate.inflateHead(u.delta, u.compressed(p, e))
	if !ok {
		return 0, 0, false
	}
	size, err := DeltaSize(u.delta[:n])
	return kind, size, err == nil
}

// buffers are those that nobody uses.
type buffers struct {
	free  [][]byte
	bytes int
}

// maxSpareBytes bounds what is kept.
const maxSpareBytes = 2 << 20

func (b *buffers) take() (buf []byte) {
	if last := len(b.free) - 1; last >= 0 {
		buf, b.free = b.free[last], b.free[:last]
		b.bytes -= cap(buf)
	}
	return buf
}

func (b *buffers) put(buf []byte) {
	if b.bytes+cap(buf) <= maxSpareBytes {
		b.free = append(b.free, buf)
		b.bytes += cap(buf)
	}
}
