package gitrepo

import "math/bits"

const (
	maxCodeBits  = 15
	maxLitCodes  = 286
	maxDistCodes = 30

	// The first bits of a code, which an index into a table is made of. What is longer is in a table behind it.
	litBits    = 10
	distBits   = 8
	lengthBits = 7 // of the code of code lengths, which has none that is longer

	// Powers of two, so that an index is masked and not checked. A complete code of 288 symbols needs 1334 entries at most, one of
	// 32 symbols 402 (zlib's examples/enough.c).
	litEntries  = 2048
	distEntries = 512
)

// An entry of a table says what the next bits stand for:
//
//	bits 0 to 5    how many bits that takes, extra bits included
//	bits 8 to 11   how many of them are the code; of a link, how many more bits are the index
//	bits 16 to 30  the literal, what extra bits are added to, or where the table of a link begins
const (
	entryEnd     = 1 << 13
	entryLink    = 1 << 14
	entryOther   = 1 << 15 // an end, a link, or (alone) a code that stands for nothing
	entryLiteral = 1 << 31
)

// codes are the two codes of a block.
type codes struct {
	lit  [litEntries]uint32
	dist [distEntries]uint32
}

var (
	lengthBase  = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase    = [...]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distExtra   = [...]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	lengthOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

// symbols is what each symbol of a code stands for: an entry without the length of its code.
type symbols struct {
	ready  bool
	lit    [maxLitCodes + 2]uint32
	dist   [maxDistCodes + 2]uint32
	length [len(lengthOrder)]uint32
}

func (s *symbols) prepare() {
	s.ready = true
	for i := range s.lit {
		switch at := i - 257; {
		case i < 256:
			s.lit[i] = entryLiteral | uint32(i)<<16
		case i == 256:
			s.lit[i] = entryOther | entryEnd
		case at < len(lengthBase):
			s.lit[i] = uint32(lengthBase[at])<<16 | uint32(lengthExtra[at])
		default:
			s.lit[i] = entryOther
		}
	}
	for i := range s.dist {
		s.dist[i] = entryOther
		if i < len(distBase) {
			s.dist[i] = uint32(distBase[i])<<16 | uint32(distExtra[i])
		}
	}
	for i := range s.length {
		s.length[i] = uint32(i) << 16
	}
}

// buildTable makes the table of the canonical code with the given lengths, indexed by width bits and behind that by what its links
// say; false for a set of lengths that no complete code has. A code of one symbol may leave half of its space unused, and
// one of none the whole.
func buildTable(table []uint32, width uint, lengths []uint8, symbols []uint32) bool {
	var count [maxCodeBits + 1]int
	for _, n := range lengths {
		count[n&maxCodeBits]++
	}
	used := len(lengths) - count[0]
	count[0] = 0
	left, first := 1, uint(0)
	var offset [maxCodeBits + 2]int
	for n := uint(1); n <= maxCodeBits; n++ {
		if left = left<<1 - count[n]; left < 0 {
			return false
		}
		if first == 0 && count[n] > 0 {
			first = n
		}
		offset[n+1] = offset[n] + count[n]
	}
	if left > 0 && (used > 1 || used == 1 && first != 1) {
		return false
	}
	var order [maxLitCodes + 2]uint16 // the symbols, by length
	for symbol, n := range lengths {
		if n != 0 {
			order[offset[n&maxCodeBits]] = uint16(symbol)
			offset[n&maxCodeBits]++
		}
	}
	if left > 0 {
		for i := range table[:1<<width] {
			table[i] = entryOther
			if used == 1 && i&1 == 0 {
				table[i] = symbols[order[0]] + 0x101
			}
		}
		return true
	}
	t := tableBuilder{table: table, width: width, count: &count, end: 1 << width, prefix: -1}
	next := 0
	for n := first; n <= maxCodeBits; n++ {
		for remain := count[n]; remain > 0; remain-- {
			symbol := symbols[order[next]]
			next++
			if n <= width {
				table[t.code] = symbol + uint32(n)*0x101
			} else if !t.long(symbol, n, remain) {
				return false
			}
			t.increment(n)
		}
		if n < width {
			copy(table[1<<n:1<<(n+1)], table[:1<<n])
		}
	}
	return true
}

// tableBuilder goes through the codes of a table in order. The bits of a code are reversed, as they come in a stream.
type tableBuilder struct {
	table []uint32
	width uint
	count *[maxCodeBits + 1]int
	code  int
	end   int // of what is used of table

	prefix int // the first bits of the codes that are in the table that was linked last
	start  int // of that table
	bits   uint
}

// increment goes to the next code of n bits.
func (t *tableBuilder) increment(n uint) {
	if zeros := t.code ^ (1<<n - 1); zeros != 0 {
		bit := 1 << (bits.Len(uint(zeros)) - 1)
		t.code = t.code&(bit-1) | bit
	}
}

// long adds a code of n bits, more than the width, the first of as many of that length as remain.
func (t *tableBuilder) long(symbol uint32, n uint, remain int) bool {
	if prefix := t.code & (1<<t.width - 1); prefix != t.prefix {
		t.bits = n - t.width
		for used := remain; used < 1<<t.bits && t.width+t.bits < maxCodeBits; {
			t.bits++
			used = used<<1 + t.count[t.width+t.bits]
		}
		t.prefix, t.start = prefix, t.end
		if t.end += 1 << t.bits; t.end > len(t.table) {
			return false
		}
		t.table[prefix] = entryOther | entryLink | uint32(t.start)<<16 | uint32(t.bits)<<8 | uint32(t.width)
	}
	n -= t.width
	linked := t.table[t.start:t.end]
	for i := t.code >> t.width; i < len(linked); i += 1 << n {
		linked[i] = symbol + uint32(n)*0x101
	}
	return true
}
