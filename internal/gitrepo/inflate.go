package gitrepo

import (
	"encoding/binary"
	"hash/adler32"
)

// inflater inflates objects from memory to memory, without an allocation. The zero value is ready, for one goroutine.
//
// compress/flate takes its bytes one at a time from a reader, and looks at most of them three times. What an inflater
// refuses may still be sound (and a wrong checksum of zlib is not seen), so whoever calls it holds the result against
// the object's id and goes to compress/zlib where the two disagree.
type inflater struct {
	symbols symbols
	dynamic codes
	fixed   *codes // nil before the first use
	lengths [maxLitCodes + maxDistCodes]uint8
}

// outcome is how the decoding of a block or a stream ended.
type outcome uint8

const (
	refused outcome = iota
	whole
	full // there is more than there is room for
)

// inflateSlack is how much capacity behind the length of a destination lets its last bytes be made as fast as the others.
const inflateSlack = 280

// inflate fills dst with what the zlib stream at the start of src holds, and reports whether that are exactly
// as many bytes, and how many of src they took. The checksum at the end of the stream is not looked at. What dst has of
// capacity behind its length may be overwritten.
func (f *inflater) inflate(dst, src []byte) (used int, ok bool) {
	filled, used, outcome := f.run(dst, src)
	return used, outcome == whole && filled == len(dst)
}

// checked is inflate, and holds the bytes against the checksum at the end of the stream, which counts as used.
func (f *inflater) checked(dst, src []byte) (used int, ok bool) {
	used, ok = f.inflate(dst, src)
	if !ok || len(src)-used < adler32.Size || binary.BigEndian.Uint32(src[used:]) != adler32.Checksum(dst) {
		return 0, false
	}
	return used + adler32.Size, true
}

// inflateHead fills dst with what the stream begins with, and returns how much that is: less than dst has only where the stream
// is at its end. What dst has of capacity behind its length may be overwritten.
func (f *inflater) inflateHead(dst, src []byte) (filled int, ok bool) {
	filled, _, outcome := f.run(dst, src)
	return filled, outcome != refused
}

func (f *inflater) run(dst, src []byte) (filled, used int, end outcome) {
	if len(src) < 2 || src[0]&15 != 8 || src[0]>>4 > 7 || src[1]&0x20 != 0 || (uint(src[0])<<8|uint(src[1]))%31 != 0 {
		return 0, 0, refused
	}
	if !f.symbols.ready {
		f.symbols.prepare()
	}
	b := bitReader{src: src, pos: 2}
	for last := false; !last; {
		b.fill()
		last = b.take(1) == 1
		end = refused
		switch b.take(2) {
		case 0:
			filled, end = b.stored(dst, filled)
		case 1:
			filled, end = b.block(f.fixedCodes(), dst, filled)
		case 2:
			if f.readCodes(&b) {
				filled, end = b.block(&f.dynamic, dst, filled)
			}
		}
		if used = b.pos - int(b.n/8); end == refused || used > len(src) {
			return 0, 0, refused
		}
		if end == full || filled > len(dst) {
			return len(dst), used, full
		}
	}
	return filled, used, whole
}

func (f *inflater) fixedCodes() *codes {
	if f.fixed != nil {
		return f.fixed
	}
	var lengths [maxLitCodes + 2]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	var dists [maxDistCodes + 2]uint8
	for i := range dists {
		dists[i] = 5
	}
	f.fixed = &codes{}
	buildTable(f.fixed.lit[:], litBits, lengths[:], f.symbols.lit[:])
	buildTable(f.fixed.dist[:], distBits, dists[:], f.symbols.dist[:])
	return f.fixed
}

// readCodes reads the two codes of a block.
func (f *inflater) readCodes(b *bitReader) bool {
	b.fill()
	lits, dists, count := int(b.take(5))+257, int(b.take(5))+1, int(b.take(4))+4
	if lits > maxLitCodes || dists > maxDistCodes {
		return false
	}
	var own [len(lengthOrder)]uint8
	for _, i := range lengthOrder[:count] {
		if b.n < 3 {
			b.fill()
		}
		own[i] = uint8(b.take(3))
	}
	// The table of distances is free until its own lengths are known.
	table := &f.dynamic.dist
	if !buildTable(table[:], lengthBits, own[:], f.symbols.length[:]) {
		return false
	}
	lengths := f.lengths[:lits+dists]
	for i := 0; i < len(lengths); {
		if b.n < lengthBits+7 {
			b.fill()
		}
		e := table[b.word&(1<<lengthBits-1)]
		if e&entryOther != 0 {
			return false
		}
		b.take(uint(e & 63))
		symbol := e >> 16
		if symbol < 16 {
			lengths[i] = uint8(symbol)
			i++
			continue
		}
		var value uint8
		var repeat int
		switch symbol {
		case 16:
			if i == 0 {
				return false
			}
			value, repeat = lengths[i-1], 3+int(b.take(2))
		case 17:
			repeat = 3 + int(b.take(3))
		default:
			repeat = 11 + int(b.take(7))
		}
		if i+repeat > len(lengths) {
			return false
		}
		for range repeat {
			lengths[i] = value
			i++
		}
	}
	return lengths[256] != 0 &&
		buildTable(f.dynamic.lit[:], litBits, lengths[:lits], f.symbols.lit[:]) &&
		buildTable(f.dynamic.dist[:], distBits, lengths[lits:], f.symbols.dist[:])
}

// bitReader takes bits from the least significant on. Past the end it gives zeros, and over tells.
type bitReader struct {
	src  []byte
	pos  int
	word uint64 // n bits, and perhaps, above them, some that are read again
	n    uint
	over bool
}

// fill makes at least 48 bits available.
func (b *bitReader) fill() {
	if b.pos+8 <= len(b.src) {
		b.word |= binary.LittleEndian.Uint64(b.src[b.pos:]) << b.n
		b.pos += int(63-b.n) >> 3
		b.n |= 56
		return
	}
	for b.n < 48 {
		if b.pos < len(b.src) {
			b.word |= uint64(b.src[b.pos]) << b.n
		} else if b.pos >= len(b.src)+8 {
			b.over = true
		}
		b.pos++
		b.n += 8
	}
}

func (b *bitReader) take(n uint) uint {
	v := uint(b.word & (1<<n - 1))
	b.word >>= n
	b.n -= n
	return v
}

func (b *bitReader) stored(dst []byte, filled int) (int, outcome) {
	// Back to the first byte that was not begun.
	pos := b.pos - int(b.n/8)
	if pos+4 > len(b.src) {
		return 0, refused
	}
	length := int(binary.LittleEndian.Uint16(b.src[pos:]))
	if length != int(^binary.LittleEndian.Uint16(b.src[pos+2:])) || pos+4+length > len(b.src) {
		return 0, refused
	}
	pos += 4
	if n := copy(dst[filled:], b.src[pos:pos+length]); n < length {
		return len(dst), full
	}
	b.pos, b.word, b.n = pos+length, 0, 0
	return filled + length, whole
}
