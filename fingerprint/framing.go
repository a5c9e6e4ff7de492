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
	num [8]byte
}

// NewFraming returns a sequence without parts.
func NewFraming() *Framing { return &Framing{h: sha256.New()} }

// Byte adds one byte, such as a tag.
func (f *Framing) Byte(b byte) {
	f.num[0] = b
	f.h.Write(f.num[:1])
}

// Uint32 adds n, big-endian.
func (f *Framing) Uint32(n uint32) {
	binary.BigEndian.PutUint32(f.num[:], n)
	f.h.Write(f.num[:4])
}

// Uint64 adds n, big-endian.
func (f *Framing) Uint64(n uint64) {
	binary.BigEndian.PutUint64(f.num[:], n)
	f.h.Write(f.num[:8])
}

// Text adds the length of s, then s.
func (f *Framing) Text(s string) {
	f.Uint64(uint64(len(s)))
	io.WriteString(f.h, s)
}

// Bytes adds the length of b, then b.
func (f *Framing) Bytes(b []byte) {
	f.Uint64(uint64(len(b)))
	f.h.Write(b)
}

// Write adds b without a length: a piece of a part whose length was added before.
func (f *Framing) Write(b []byte) (int, error) { return f.h.Write(b) }

// Sum returns the value of f as the type T. More parts may follow.
func Sum[T sum](f *Framing) T { return From[T](f.h) }
