package gitrepo

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxCodeBits  = 15
	litCodeBits  = 8 // what the tables take of each code; most symbols of a commit are shorter
	distCodeBits = 6
	lenCodeBits  = 7
	maxLitCodes  = 286
	maxDistCodes = 30
)

// inflater inflates small objects from memory to memory, without an allocation.
//
// compress/flate takes its bytes one at a time from a reader: for a commit of 300 bytes that is three times as
// slow, and a walk inflates every commit of a history. What inflate refuses may still be sound (and a wrong
// checksum of zlib is not seen), so whoever calls it holds the result against the object's id and goes to
// compress/zlib where the two disagree.
type inflater struct {
	lit, dist huffman
	lengths   [maxLitCodes + maxDistCodes]uint8
}

// huffman is one canonical code: a table of what the first bits stand for, and the count of codes by length with
// the symbols in order for what is longer.
type huffman struct {
	bits    uint                     // of an index into fast
	fast    [1 << litCodeBits]uint16 // symbol<<4 | length; 0 for none
	count   [maxCodeBits + 1]uint16
	symbols [maxLitCodes + 2]uint16
}

var (
	lengthBase  = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase    = [...]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distExtra   = [...]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	lengthOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

// build makes the code of the given lengths; false for a set of lengths that no complete code has. A code of
// one symbol may leave half of its space unused.
func (h *huffman) build(lengths []uint8, width uint) bool {
	h.count = [maxCodeBits + 1]uint16{}
	for _, n := range lengths {
		h.count[n]++
	}
	used := len(lengths) - int(h.count[0])
	h.count[0] = 0
	var next, offset [maxCodeBits + 2]uint16
	left := 1
	for n := 1; n <= maxCodeBits; n++ {
		left = left<<1 - int(h.count[n])
		if left < 0 {
			return false
		}
		next[n+1] = (next[n] + h.count[n]) << 1
		offset[n+1] = offset[n] + h.count[n]
	}
	if left > 0 && (used > 1 || used == 1 && h.count[1] != 1) {
		return false
	}
	h.bits = width
	fast := h.fast[:1<<width]
	clear(fast)
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		h.symbols[offset[n]] = uint16(symbol)
		offset[n]++
		if uint(n) <= width {
			entry := uint16(symbol)<<4 | uint16(n)
			for i := int(bits.Reverse16(next[n]) >> (16 - n)); i < len(fast); i += 1 << n {
				fast[i] = entry
			}
		}
		next[n]++
	}
	return true
}

// bitReader takes bits from the least significant on. Past the end it gives zeros, and over tells.
type bitReader struct {
	src  []byte
	pos  int
	word uint64
	n    uint // bits in word
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

// symbol decodes one symbol, of at most 15 bits; -1 for a code that stands for none.
func (b *bitReader) symbol(h *huffman) int {
	if e := h.fast[b.word&(1<<h.bits-1)&(1<<litCodeBits-1)]; e != 0 {
		b.take(uint(e & 15))
		return int(e >> 4)
	}
	code, first, index := 0, 0, 0
	word := b.word
	for n := uint(1); n <= maxCodeBits; n++ {
		code |= int(word & 1)
		word >>= 1
		count := int(h.count[n])
		if code-count < first {
			b.take(n)
			return int(h.symbols[index+code-first])
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return -1
}

// inflate fills dst with what the zlib stream at the start of src holds, and reports whether that are exactly
// as many bytes, and how many of src they took. The checksum at the end of the stream is not looked at.
func (f *inflater) inflate(dst, src []byte) (used int, ok bool) {
	if len(src) < 2 || src[0]&15 != 8 || src[1]&0x20 != 0 || (uint(src[0])<<8|uint(src[1]))%31 != 0 {
		return 0, false
	}
	b := bitReader{src: src, pos: 2}
	filled := 0
	for last := false; !last; {
		b.fill()
		last = b.take(1) == 1
		ok := false
		switch b.take(2) {
		case 0:
			filled, ok = b.stored(dst, filled)
		case 1:
			f.fixed()
			filled, ok = f.block(dst, filled, &b)
		case 2:
			if f.dynamic(&b) {
				filled, ok = f.block(dst, filled, &b)
			}
		}
		if !ok || b.over {
			return 0, false
		}
	}
	used = b.pos - int(b.n/8)
	return used, filled == len(dst) && used <= len(src)
}

func (b *bitReader) stored(dst []byte, filled int) (int, bool) {
	// Back to the first byte that was not begun.
	pos := b.pos - int(b.n/8)
	if pos+4 > len(b.src) {
		return 0, false
	}
	length := int(binary.LittleEndian.Uint16(b.src[pos:]))
	if length != int(^binary.LittleEndian.Uint16(b.src[pos+2:])) || pos+4+length > len(b.src) || filled+length > len(dst) {
		return 0, false
	}
	pos += 4
	copy(dst[filled:], b.src[pos:pos+length])
	b.pos, b.word, b.n = pos+length, 0, 0
	return filled + length, true
}

func (f *inflater) fixed() {
	var lengths [288]uint8
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
	f.lit.build(lengths[:], litCodeBits)
	var dists [32]uint8
	for i := range dists {
		dists[i] = 5
	}
	f.dist.build(dists[:], distCodeBits)
}

// dynamic reads the two codes of a block.
func (f *inflater) dynamic(b *bitReader) bool {
	b.fill()
	lits, dists, codes := int(b.take(5))+257, int(b.take(5))+1, int(b.take(4))+4
	if lits > maxLitCodes || dists > maxDistCodes {
		return false
	}
	var own [len(lengthOrder)]uint8
	for _, i := range lengthOrder[:codes] {
		if b.n < 3 {
			b.fill()
		}
		own[i] = uint8(b.take(3))
	}
	// f.lit is free until its own lengths are known.
	if !f.lit.build(own[:], lenCodeBits) {
		return false
	}
	lengths := f.lengths[:lits+dists]
	for i := 0; i < len(lengths); {
		if b.n < maxCodeBits+7 {
			b.fill()
		}
		symbol := b.symbol(&f.lit)
		if symbol >= 0 && symbol < 16 {
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
		case 18:
			repeat = 11 + int(b.take(7))
		default:
			return false
		}
		if i+repeat > len(lengths) {
			return false
		}
		for range repeat {
			lengths[i] = value
			i++
		}
	}
	return lengths[256] != 0 && f.lit.build(lengths[:lits], litCodeBits) && f.dist.build(lengths[lits:], distCodeBits)
}

// block decodes to the end of a block.
func (f *inflater) block(dst []byte, filled int, b *bitReader) (int, bool) {
	for !b.over {
		b.fill() // 48 bits: a length of 15 and 5, a distance of 15 and 13
		// Literals with short codes, the most of a text, while the bits last.
		word, n := b.word, b.n
		for n >= litCodeBits {
			e := f.lit.fast[word&(1<<litCodeBits-1)]
			if e == 0 || e >= 256<<4 || filled == len(dst) {
				break
			}
			dst[filled] = byte(e >> 4)
			filled++
			word >>= e & 15
			n -= uint(e & 15)
		}
		b.word, b.n = word, n
		if n < 48 {
			b.fill()
		}
		symbol := b.symbol(&f.lit)
		switch {
		case symbol < 0:
			return 0, false
		case symbol < 256:
			if filled == len(dst) {
				return 0, false
			}
			dst[filled] = byte(symbol)
			filled++
			continue
		case symbol == 256:
			return filled, true
		case symbol-257 >= len(lengthBase):
			return 0, false
		}
		symbol -= 257
		length := int(lengthBase[symbol]) + int(b.take(uint(lengthExtra[symbol])))
		symbol = b.symbol(&f.dist)
		if symbol < 0 || symbol >= len(distBase) {
			return 0, false
		}
		dist := int(distBase[symbol]) + int(b.take(uint(distExtra[symbol])))
		if dist > filled || length > len(dst)-filled {
			return 0, false
		}
		// Byte by byte where the two ranges overlap: the copy repeats what it made.
		if to := dst[filled : filled+length]; dist >= length {
			copy(to, dst[filled-dist:])
		} else {
			for i := range to {
				to[i] = dst[filled-dist+i]
			}
		}
		filled += length
	}
	return 0, false
}
