package gitrepo

import "encoding/binary"

// block decodes to the end of a block.
func (b *bitReader) block(c *codes, dst []byte, filled int) (int, outcome) {
	filled, end := b.quick(c, dst, filled)
	if end == full {
		return b.careful(c, dst, filled)
	}
	return filled, end
}

// quick decodes until the block is at its end, or either side has too few bytes left to go on without care: it reads 8 bytes at
// once, and writes some more than it makes. That is full.
func (b *bitReader) quick(c *codes, dst []byte, filled int) (int, outcome) {
	const (
		litMask  = 1<<litBits - 1
		distMask = 1<<distBits - 1
	)
	src, out := b.src, dst[:cap(dst)]
	lastSrc, lastOut := len(src)-8, min(len(dst), len(out)-inflateSlack)
	pos, word, n, o := b.pos, b.word, uint64(b.n), filled
	end := full
	for pos <= lastSrc && o <= lastOut {
		word |= binary.LittleEndian.Uint64(src[pos:]) << (n & 63)
		pos += int(63-n) >> 3
		n |= 56
		e := c.lit[word&litMask]
		if e&entryLiteral != 0 {
			// Up to three literals with short codes, the most of a text, of the 56 bits.
			word >>= e & 63
			n -= uint64(e & 63)
			out[o] = byte(e >> 16)
			o++
			e = c.lit[word&litMask]
			if e&entryLiteral != 0 {
				word >>= e & 63
				n -= uint64(e & 63)
				out[o] = byte(e >> 16)
				o++
				e = c.lit[word&litMask]
				if e&entryLiteral != 0 {
					word >>= e & 63
					n -= uint64(e & 63)
					out[o] = byte(e >> 16)
					o++
					continue
				}
			}
			if pos > lastSrc {
				break
			}
			word |= binary.LittleEndian.Uint64(src[pos:]) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
		}
		if e&entryOther != 0 {
			if e&entryLink != 0 {
				word >>= litBits
				n -= litBits
				e = c.lit[(uint64(e>>16)+word&(1<<(e>>8&15)-1))&(litEntries-1)]
			}
			if e&entryLiteral != 0 {
				word >>= e & 63
				n -= uint64(e & 63)
				out[o] = byte(e >> 16)
				o++
				continue
			}
			if e&entryOther != 0 {
				end = refused
				if e&entryEnd != 0 {
					word >>= e & 63
					n -= uint64(e & 63)
					end = whole
				}
				break
			}
		}
		length := int(e>>16) + int(word&(1<<(e&63)-1)>>(e>>8&15))
		word >>= e & 63
		n -= uint64(e & 63)

		e = c.dist[word&distMask]
		if e&entryOther != 0 {
			if e&entryLink != 0 {
				word >>= distBits
				n -= distBits
				e = c.dist[(uint64(e>>16)+word&(1<<(e>>8&15)-1))&(distEntries-1)]
			}
			if e&entryOther != 0 {
				end = refused
				break
			}
		}
		dist := int(e>>16) + int(word&(1<<(e&63)-1)>>(e>>8&15))
		word >>= e & 63
		n -= uint64(e & 63)
		if dist > o {
			end = refused
			break
		}
		from, to := o-dist, o
		o += length
		if dist < 8 {
			repeat(out[from:o], dist)
			continue
		}
		// Eight bytes at once, the last of them past the end.
		for {
			binary.LittleEndian.PutUint64(out[to:], binary.LittleEndian.Uint64(out[from:]))
			from += 8
			if to += 8; to >= o {
				break
			}
		}
	}
	b.pos, b.word, b.n = pos, word, uint(n)
	return o, end
}

// repeat fills out with its first n bytes, again and again.
func repeat(out []byte, n int) {
	for n < len(out) {
		n += copy(out[n:], out[:n])
	}
}

// careful decodes to the end of the block, or until dst is full.
func (b *bitReader) careful(c *codes, dst []byte, filled int) (int, outcome) {
	for !b.over {
		b.fill() // 48 bits: a length of 15 and 5, a distance of 15 and 13
		e := b.entry(c.lit[:], litBits)
		switch {
		case e&entryEnd != 0:
			b.take(uint(e & 63))
			return filled, whole
		case e&entryOther != 0:
			return 0, refused
		case filled >= len(dst):
			return len(dst), full
		case e&entryLiteral != 0:
			b.take(uint(e & 63))
			dst[filled] = byte(e >> 16)
			filled++
			continue
		}
		length := b.value(e)
		e = b.entry(c.dist[:], distBits)
		if e&entryOther != 0 {
			return 0, refused
		}
		dist := b.value(e)
		if dist > filled {
			return 0, refused
		}
		to := dst[filled:min(filled+length, len(dst))]
		repeat(dst[filled-dist:filled+len(to)], dist)
		filled += len(to)
		if len(to) < length {
			return filled, full
		}
	}
	return 0, refused
}

// entry decodes one code. The table is of the first bits of a code.
func (b *bitReader) entry(table []uint32, width uint) uint32 {
	e := table[b.word&(1<<width-1)]
	if e&entryLink != 0 {
		b.take(width)
		e = table[(uint64(e>>16)+b.word&(1<<(e>>8&15)-1))&uint64(len(table)-1)]
	}
	return e
}

// value takes what an entry stands for, extra bits included.
func (b *bitReader) value(e uint32) int {
	code := uint(e >> 8 & 15)
	return int(e>>16) + int(b.take(uint(e&63))>>code)
}
