package gitrepo

import (
	"context"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	// maxDeltaDepth is the longest chain that git writes (pack.depth).
	maxDeltaDepth = 4095
	// maxBaseBytes bounds each object on the way to one that is stored as a delta: it may be larger by this much.
	// It is the largest material, so that a file that shrank can be read.
	maxBaseBytes = 256 << 20
	// maxHeldBytes bounds what is held in one piece. git stores files of this size and more whole.
	maxHeldBytes = 512 << 20
	// maxChainBytes and maxChainFactor bound the objects of a chain together, so that a few bytes can't ask for hours:
	// the longest chain that git gc makes (50) of any file fits.
	maxChainBytes  = 4 << 30
	maxChainFactor = 64
	// A chain with a larger object is built when the budget of the repository has room for it.
	maxUnsharedBytes = 8 << 20
	// deltaBudgetBytes is that budget: two objects of the largest material's size.
	deltaBudgetBytes = 512 << 20
)

// packedObject is an entry of a pack. Without deltas the reader stands behind its header.
type packedObject struct {
	pack   *pack
	reader *entryReader
	typ    plumbing.ObjectType
	length int64

	deltas     []int64 // offsets, the object's own first; empty for a whole entry
	base       int64   // offset of what the last delta builds on
	baseLength int64
	cached     []byte // the base, where it is at hand

	delta deltaReader
	share int64 // of the budget
	// Where there is a share: what the objects of the chain are built in, by turns. Their capacity is planned.
	buffers [2][]byte
}

// resolve walks the chain of the entry at offset, through headers alone.
func (o *packedObject) resolve(offset int64) error {
	for {
		h, err := o.reader.seek(offset)
		if err != nil {
			return err
		}
		if !h.typ.IsDelta() {
			o.typ, o.base, o.baseLength = h.typ, offset, h.length
			if len(o.deltas) == 0 {
				o.length = h.length
			}
			return nil
		}
		if len(o.deltas) == maxDeltaDepth {
			return damaged("a delta chain longer than %d", maxDeltaDepth)
		}
		o.deltas = append(o.deltas, offset)
		if len(o.deltas) == 1 {
			if o.length, err = o.reader.deltaResultSize(); err != nil {
				return err
			}
		}
		offset = h.offset
		if h.typ == plumbing.REFDeltaObject {
			if offset, err = o.pack.offsetOf(h.base); err != nil {
				return damaged("a delta against %s, which is not in its pack", h.base)
			}
		}
		if o.fromCache(offset) {
			return nil
		}
	}
}

// fromCache ends the walk where the base at offset is held.
func (o *packedObject) fromCache(offset int64) bool {
	kind, base := o.pack.folders.bases.get(o.pack, offset)
	if base == nil {
		return false
	}
	o.typ, o.base, o.baseLength, o.cached = kind, offset, int64(len(base)), base
	return true
}

func (o *packedObject) kind() plumbing.ObjectType { return o.typ }
func (o *packedObject) size() int64               { return o.length }

func (o *packedObject) content(ctx context.Context) (io.Reader, error) {
	if len(o.deltas) == 0 {
		return o.reader.inflate()
	}
	r, err := o.build(ctx)
	return r, inFile(o.pack.name(".pack"), err)
}

// build makes the objects of the chain, from its base on, and returns a reader that makes the last one.
func (o *packedObject) build(ctx context.Context) (io.Reader, error) {
	if o.length > maxHeldBytes {
		return nil, tooLarge("a delta makes %d bytes, and the bound is %d", o.length, maxHeldBytes)
	}
	last := len(o.deltas) - 1
	if o.baseLength > maxUnsharedBytes {
		if err := o.plan(ctx, o.baseLength, last); err != nil {
			return nil, err
		}
	}
	base := o.cached
	if base == nil {
		var err error
		if base, err = o.inflateBase(last + 1); err != nil {
			return nil, err
		}
	}
	total := int64(len(base))
	for i := last; ; i-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := o.startDelta(o.deltas[i]); err != nil {
			return nil, err
		}
		if i > 0 && o.share == 0 && o.delta.size > maxUnsharedBytes {
			if err := o.plan(ctx, int64(len(base)), i); err != nil {
				return nil, err
			}
			if err := o.startDelta(o.deltas[i]); err != nil {
				return nil, err
			}
		}
		if err := o.delta.on(base); err != nil {
			return nil, err
		}
		if i == 0 {
			return &o.delta, nil
		}
		if total += o.delta.size; total > o.maxChain() {
			return nil, o.chainTooLong(total)
		}
		target := o.buffer(i, o.delta.size)
		if err := readInto(&o.delta, target); err != nil {
			return nil, err
		}
		o.keep(o.deltas[i], target)
		base = target
	}
}

func (o *packedObject) maxChain() int64 { return maxChainBytes + maxChainFactor*o.length }

func (o *packedObject) chainTooLong(total int64) error {
	return tooLarge("the objects of its delta chain have %d bytes together, and the bound is %d", total, o.maxChain())
}

// plan looks at what is left of the chain, an object of size bytes on which deltas[i] builds and all that follow, and
// waits for the memory that it takes. Nothing is inflated but the first bytes of each delta.
func (o *packedObject) plan(ctx context.Context, size int64, i int) error {
	bound := min(maxBaseBytes+o.length, maxHeldBytes)
	var planned [2]int64
	for total := int64(0); ; i-- {
		if size > bound {
			return tooLarge("its delta chain has an object of %d bytes, and the bound is %d", size, bound)
		}
		if total += size; total > o.maxChain() {
			return o.chainTooLong(total)
		}
		planned[i&1] = max(planned[i&1], size) // the turn of buffer(i+1)
		if i == 0 {
			break
		}
		if err := o.startDelta(o.deltas[i]); err != nil {
			return err
		}
		size = o.delta.size
	}
	share, err := o.pack.folders.memory.acquire(ctx, planned[0]+planned[1])
	if err != nil {
		return err
	}
	o.share = share
	for turn, n := range planned {
		o.buffers[turn] = make([]byte, n)
	}
	return nil
}

// buffer returns where to build the object that deltas[i-1] builds on.
func (o *packedObject) buffer(i int, size int64) []byte {
	if planned := o.buffers[(i-1)&1]; size <= int64(len(planned)) {
		return planned[:size]
	}
	return make([]byte, size)
}

// startDelta reads the beginning of the delta at offset.
func (o *packedObject) startDelta(offset int64) error {
	h, err := o.reader.seek(offset)
	if err != nil {
		return err
	}
	r, err := o.reader.inflate()
	if err != nil {
		return err
	}
	return o.delta.start(r, h.length, o.reader.deltaWindow())
}

// inflateBase returns the base of the chain of n deltas.
func (o *packedObject) inflateBase(n int) ([]byte, error) {
	if _, err := o.reader.seek(o.base); err != nil {
		return nil, err
	}
	r, err := o.reader.inflate()
	if err != nil {
		return nil, err
	}
	base := o.buffer(n, o.baseLength)
	if err := readInto(r, base); err != nil {
		return nil, err
	}
	o.keep(o.base, base)
	return base, nil
}

// readInto fills buf with all that r has.
func readInto(r io.Reader, buf []byte) error {
	if _, err := io.ReadFull(r, buf); err != nil {
		return damagedBy(err)
	}
	if err := ended(r); err != io.EOF {
		return err
	}
	return nil
}

// keep remembers a base that has no planned buffer: the entries of one pack build on one another.
func (o *packedObject) keep(offset int64, base []byte) {
	if o.share == 0 {
		o.pack.folders.bases.put(o.pack, offset, o.typ, base)
	}
}

// Close gives back the reader and the share. It may be called twice.
func (o *packedObject) Close() error {
	if o.reader == nil {
		return nil
	}
	o.pack.readers.Put(o.reader)
	o.reader = nil
	o.cached, o.delta, o.buffers = nil, deltaReader{}, [2][]byte{}
	o.pack.folders.memory.release(o.share)
	o.share = 0
	return nil
}
