package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
)

// Framing hashes a sequence of parts so that no two different sequences feed SHA-256 the same bytes:
// a part of any length comes after its length, as a big-endian u64. The format of each identity says
// which parts it has, most of them a domain first (docs/identities.md). Not for use by several goroutines
// at once.
type Framing struct {
	h   hash.Hash
	buf []byte // what h was not given yet: it is dear to give it little
}

// NewFraming returns a sequence without parts.
func NewFraming() *Framing { return &Framing{h: sha256.New(), buf: make([]byte, 0, 2*atOnce)} }

// atOnce is how many bytes are gathered before they are hashed.
const atOnce = 1024

// Byte adds one byte, such as a tag.
func (f *Framing) Byte(b byte) {
	f.buf = append(f.buf, b)
	f.spill()
}

// Uint32 adds n, big-endian.
func (f *Framing) Uint32(n uint32) {
	f.buf = binary.BigEndian.AppendUint32(f.buf, n)
	f.spill()
}

// Uint64 adds n, big-endian.
func (f *Framing) Uint64(n uint64) {
	f.buf = binary.BigEndian.AppendUint64(f.buf, n)
	f.spill()
}

// Text adds the length of a text, then the text, which may be given in pieces.
func (f *Framing) Text(pieces ...string) {
	size := 0
	for _, s := range pieces {
		size += len(s)
	}
	f.Uint64(uint64(size))
	for _, s := range pieces {
		if len(s) > atOnce {
			f.flush()
			io.WriteString(f.h, s)
			continue
		}
		f.buf = append(f.buf, s...)
		f.spill()
	}
}

// Bytes adds the length of b, then b.
func (f *Framing) Bytes(b []byte) {
	f.Uint64(uint64(len(b)))
	f.Write(b)
}

// Write adds b without a length: a piece of a part whose length was added before.
func (f *Framing) Write(b []byte) (int, error) {
	if len(b) > atOnce {
		f.flush()
		return f.h.Write(b)
	}
	f.buf = append(f.buf, b...)
	f.spill()
	return len(b), nil
}

func (f *Framing) spill() {
	if len(f.buf) >= atOnce {
		f.flush()
	}
}

func (f *Framing) flush() {
	f.h.Write(f.buf)
	f.buf = f.buf[:0]
}

// Sum returns the value of f as the type T. More parts may follow.
func Sum[T sum](f *Framing) T {
	f.flush()
	return From[T](f.h)
}
