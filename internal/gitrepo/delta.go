package gitrepo

import (
	"encoding/binary"
	"io"
	"math"
)

// deltaWindowBytes is how much of a delta is held at once: the whole of nearly every one.
const deltaWindowBytes = 16 << 10

// maxInstruction is the length of the longest instruction of a delta without what it inserts.
const maxInstruction = 1 + 4 + 3

// deltaReader makes an object of its base and a delta while it is read. Neither the object nor the delta is held.
//
// go-git's PatchDelta is not used: it holds both, and makes the object twice.
type deltaReader struct {
	base   []byte
	delta  io.Reader // inflated
	unread int64     // bytes in delta, by the header of its entry
	window []byte    // window[next:end] is read and not used yet
	next   int
	end    int

	baseSize int64 // of the base, as the delta has it
	size     int64 // of the object

	left      int64  // of the object, in instructions that are not read yet
	copying   []byte // what is left of a copy from the base
	inserting int    // what is left of an insertion from the delta
	err       error
}

// start reads the two sizes that a delta of length bytes begins with, of its base and of its result.
func (d *deltaReader) start(delta io.Reader, length int64, window []byte) error {
	*d = deltaReader{delta: delta, unread: length, window: window}
	if err := d.fill(); err != nil {
		return err
	}
	for _, size := range [...]*int64{&d.baseSize, &d.size} {
		n, used := binary.Uvarint(d.window[d.next:d.end])
		if used <= 0 || n > math.MaxInt64 {
			return damaged("a delta without sizes")
		}
		*size = int64(n)
		d.next += used
	}
	d.left = d.size
	return nil
}

// fill reads on until the window is full or the delta is at its end.
func (d *deltaReader) fill() error {
	d.end = copy(d.window, d.window[d.next:d.end])
	d.next = 0
	n := min(int64(len(d.window)-d.end), d.unread)
	if _, err := io.ReadFull(d.delta, d.window[d.end:d.end+int(n)]); err != nil {
		return damagedBy(err)
	}
	d.end += int(n)
	d.unread -= n
	return nil
}

// on sets the base.
func (d *deltaReader) on(base []byte) error {
	if int64(len(base)) != d.baseSize {
		return damaged("a delta for a base of %d bytes, on one of %d", d.baseSize, len(base))
	}
	d.base = base
	return nil
}

func (d *deltaReader) Read(p []byte) (n int, err error) {
	for n < len(p) && d.err == nil {
		switch {
		case len(d.copying) > 0:
			k := copy(p[n:], d.copying)
			d.copying = d.copying[k:]
			n += k
		case d.inserting > 0:
			if d.next == d.end {
				d.err = d.more()
				continue
			}
			k := copy(p[n:], d.window[d.next:min(d.end, d.next+d.inserting)])
			d.next += k
			d.inserting -= k
			n += k
		case d.left > 0:
			d.err = d.instruction()
		default:
			d.err = d.finish()
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, d.err
}

// more fills an empty window.
func (d *deltaReader) more() error {
	if d.unread == 0 {
		return damaged("a delta that ends too early")
	}
	return d.fill()
}

// instruction reads the next one, and leaves what it stands for to Read.
func (d *deltaReader) instruction() error {
	if d.end-d.next < maxInstruction && d.unread > 0 {
		if err := d.fill(); err != nil {
			return err
		}
	}
	if d.next == d.end {
		return damaged("a delta that ends too early")
	}
	op := d.window[d.next]
	d.next++
	if op == 0 {
		return damaged("a delta with an instruction that is none")
	}
	if op&0x80 == 0 {
		if int64(op) > d.left {
			return damaged("a delta that makes more than it says")
		}
		d.inserting = int(op)
		d.left -= int64(op)
		return nil
	}
	var fields [7]byte // four of the offset, three of the length, each there where its bit of op is set
	for i := range fields {
		if op>>i&1 == 0 {
			continue
		}
		if d.next == d.end {
			return damaged("a delta that ends too early")
		}
		fields[i] = d.window[d.next]
		d.next++
	}
	offset := int64(binary.LittleEndian.Uint32(fields[:4]))
	length := int64(fields[4]) | int64(fields[5])<<8 | int64(fields[6])<<16
	if length == 0 {
		length = 0x10000
	}
	switch {
	case offset+length > int64(len(d.base)):
		return damaged("a delta that copies from outside its base")
	case length > d.left:
		return damaged("a delta that makes more than it says")
	}
	d.copying = d.base[offset : offset+length]
	d.left -= length
	return nil
}

// finish is io.EOF where the delta is at its end too.
func (d *deltaReader) finish() error {
	if d.next < d.end || d.unread > 0 {
		return damaged("a delta that goes on behind its end")
	}
	return ended(d.delta)
}

// patch makes the object of a base and a delta in dst, which is as long as the delta says; false for a delta that deltaReader
// refuses. That one streams; this one is for a delta that is held.
func patch(dst, base, delta []byte) bool {
	for _, size := range [...]int{len(base), len(dst)} {
		n, used := binary.Uvarint(delta)
		if used <= 0 || n != uint64(size) {
			return false
		}
		delta = delta[used:]
	}
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		from := delta
		n := int(op)
		switch {
		case op == 0:
			return false
		case op&0x80 == 0:
			if n > len(delta) {
				return false
			}
			delta = delta[n:]
		default:
			var fields [8]byte // four of the offset, three of the length, each there where its bit of op is set
			for i := range 7 {
				if op>>i&1 == 0 {
					continue
				}
				if len(delta) == 0 {
					return false
				}
				fields[i] = delta[0]
				delta = delta[1:]
			}
			offset := uint64(binary.LittleEndian.Uint32(fields[:4]))
			if n = int(binary.LittleEndian.Uint32(fields[4:])); n == 0 {
				n = 0x10000
			}
			if offset+uint64(n) > uint64(len(base)) {
				return false
			}
			from = base[offset:]
		}
		if n > len(dst) {
			return false
		}
		copy(dst, from[:n])
		dst = dst[n:]
	}
	return len(dst) == 0
}

// ended is io.EOF at the end of r.
func ended(r io.Reader) error {
	var extra [1]byte
	switch n, err := io.ReadFull(r, extra[:]); {
	case n > 0:
		return damaged("it has more bytes than its header says")
	case err != io.EOF:
		return damagedBy(err)
	}
	return io.EOF
}
