package gitpack

import (
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

const (
	headerBytes  = 12
	trailerBytes = 20
	// minStream is the length of the shortest zlib stream, and minEntry that of the shortest entry.
	minStream = 8
	minEntry  = 1 + minStream
	// maxFast is the size up to which an entry is inflated from memory to memory.
	maxFast = 512 << 10
)

// pack is what is known of a pack: where each entry begins, and how they build on one another.
type pack struct {
	entries []entry
	kinds   []plumbing.ObjectType // of each entry; that of a delta is what kind of delta it is
	end     int64                 // of the last entry
	sum     [trailerBytes]byte

	byPlace []placedDelta // of OFSDeltaObject
	byID    []namedDelta  // of REFDeltaObject
}

// entry is one object of a pack.
type entry struct {
	id     ID // zero while it is not known
	crc    uint32
	offset int64
}

// placedDelta says that the entry of a number builds on another, an earlier one.
type placedDelta struct{ base, number uint32 }

// namedDelta says that the entry of a number builds on the object of an id.
type namedDelta struct {
	base   ID
	number uint32
}

func (p *pack) name() string { return "pack-" + hex.EncodeToString(p.sum[:]) }
func (p *pack) bytes() int64 { return p.end + trailerBytes }

// endOf is where an entry ends.
func (p *pack) endOf(number uint32) int64 {
	if int(number)+1 < len(p.entries) {
		return p.entries[number+1].offset
	}
	return p.end
}

// scanner goes through a stream once: it inflates every entry, hashes those that are whole, and counts.
type scanner struct {
	*stream
	pack   *pack
	limits Limits
	fail   func(msg string) error
	count  int64 // of entries, as the header has it
	total  int64 // bytes of all objects and of all deltas

	inflater gitrepo.Inflater
	zlib     io.ReadCloser // nil before the first use
	hash     *idHash
	scratch  []byte
	chunk    []byte
}

// scan reads a pack up to its end. fail makes an error of what is wrong with it.
func scan(ctx context.Context, s *stream, limits Limits, fail func(msg string) error) (*pack, error) {
	s.start()
	c := &scanner{stream: s, pack: &pack{}, limits: limits, fail: fail, hash: newIDHash(), chunk: make([]byte, 64<<10)}
	if err := c.header(); err != nil {
		return nil, err
	}
	for number := int64(0); number < c.count; number++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := c.offset()
		if err := c.entry(); err != nil {
			return nil, c.explain(err, fmt.Sprintf("object %d of %d, at byte %d", number+1, c.count, at))
		}
		if c.offset() > limits.Bytes {
			return nil, tooLarge("more bytes", limits.Bytes)
		}
	}
	if err := c.trailer(); err != nil {
		return nil, c.explain(err, "its checksum")
	}
	return c.pack, nil
}

// explain leaves errors of the source, the disk and the bounds as they are.
func (c *scanner) explain(err error, where string) error {
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	if c.err != nil && c.err != io.ErrUnexpectedEOF {
		return c.err
	}
	return c.fail(where + ": " + textOf(err))
}

func (c *scanner) header() error {
	var head [headerBytes]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return c.explain(err, "its header")
	}
	if version := binary.BigEndian.Uint32(head[4:]); string(head[:4]) != "PACK" || version != 2 {
		return c.fail("it is no pack of version 2")
	}
	c.count = int64(binary.BigEndian.Uint32(head[8:]))
	if c.count > c.limits.Objects {
		return tooLarge(fmt.Sprintf("more objects, %d,", c.count), c.limits.Objects)
	}
	// A header that lies costs little: each entry takes bytes of the stream.
	atOnce := min(c.count, 64<<10)
	c.pack.entries, c.pack.kinds = make([]entry, 0, atOnce), make([]plumbing.ObjectType, 0, atOnce)
	return nil
}

func (c *scanner) trailer() error {
	p := c.pack
	p.end = c.offset()
	if err := c.flush(); err != nil {
		return err
	}
	c.sum.Sum(p.sum[:0])
	var stored [trailerBytes]byte
	if _, err := io.ReadFull(c, stored[:]); err != nil {
		return err
	}
	if stored != p.sum {
		return errors.New("it does not fit what came before")
	}
	return c.flush()
}

func (c *scanner) entry() error {
	p, at := c.pack, c.offset()
	c.mark()
	h, err := gitrepo.ReadEntryHeader(c)
	if err != nil {
		return err
	}
	if h.Length > c.limits.Object {
		return tooLarge("an object of more bytes", c.limits.Object)
	}
	e := entry{offset: at}
	number := uint32(len(p.entries))
	switch h.Kind {
	case plumbing.OFSDeltaObject:
		base, ok := slices.BinarySearchFunc(p.entries, at-h.Back, func(e entry, at int64) int { return compare(e.offset, at) })
		if !ok {
			return errors.New("a delta against what is no entry before it")
		}
		p.byPlace = append(p.byPlace, placedDelta{uint32(base), number})
		err = c.delta(h.Length)
	case plumbing.REFDeltaObject:
		p.byID = append(p.byID, namedDelta{h.Base, number})
		err = c.delta(h.Length)
	default:
		e.id, err = c.whole(h)
	}
	if err != nil {
		return err
	}
	e.crc = c.entryCRC()
	p.entries = append(p.entries, e)
	p.kinds = append(p.kinds, h.Kind)
	return nil
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// add adds to what was inflated, or will be.
func (c *scanner) add(bytes int64) error {
	if c.total += bytes; c.total > c.limits.Total {
		return tooLarge("more bytes in all its objects and deltas", c.limits.Total)
	}
	return nil
}

// whole reads the content of an object and returns its id.
func (c *scanner) whole(h gitrepo.EntryHeader) (ID, error) {
	if err := c.add(h.Length); err != nil {
		return ID{}, err
	}
	c.hash.start(h.Kind, h.Length)
	if content, ok := c.fast(h.Length); ok {
		c.hash.Write(content)
	} else if err := c.slow(c.hash, h.Length); err != nil {
		return ID{}, err
	}
	return c.hash.id()
}

// delta reads a delta of that many bytes, as far as its size can be told without the base.
func (c *scanner) delta(length int64) error {
	if err := c.add(length); err != nil {
		return err
	}
	var head []byte
	if content, ok := c.fast(length); ok {
		head = content[:min(length, gitrepo.DeltaHead)]
	} else {
		w := &headWriter{}
		if err := c.slow(w, length); err != nil {
			return err
		}
		head = w.head
	}
	size, err := gitrepo.DeltaSize(head)
	if err != nil {
		return err
	}
	if size > c.limits.Object {
		return tooLarge("an object of more bytes", c.limits.Object)
	}
	return c.add(size)
}

// headWriter keeps the head of a delta.
type headWriter struct{ head []byte }

func (w *headWriter) Write(p []byte) (int, error) {
	w.head = append(w.head, p[:min(len(p), gitrepo.DeltaHead-len(w.head))]...)
	return len(p), nil
}

// fast inflates a small entry of which all bytes are at hand. Where it is not ok, nothing was read.
func (c *scanner) fast(length int64) ([]byte, bool) {
	if length > maxFast {
		return nil, false
	}
	if int64(len(c.scratch)) < length {
		c.scratch = make([]byte, max(length, 64<<10))
	}
	const ample = 128 // of what zlib adds to what it can't compress
	owed := minStream + (c.count-int64(len(c.pack.entries))-1)*minEntry + trailerBytes
	content := c.scratch[:length]
	used, ok := c.inflater.Inflate(content, c.peek(length+length/64+ample, owed))
	if ok {
		c.skip(used)
	}
	return content, ok
}

// slow inflates an entry piece by piece.
func (c *scanner) slow(w io.Writer, length int64) (err error) {
	if c.zlib == nil {
		c.zlib, err = zlib.NewReader(c)
	} else {
		err = c.zlib.(zlib.Resetter).Reset(c, nil)
	}
	if err != nil {
		return err
	}
	for {
		n, err := c.zlib.Read(c.chunk)
		if length -= int64(n); length < 0 {
			return errors.New("it has more bytes than its header says")
		}
		w.Write(c.chunk[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if length > 0 {
		return errors.New("it has fewer bytes than its header says")
	}
	return nil
}
