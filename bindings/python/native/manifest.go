//go:build cgo

package main

import (
	"encoding/binary"
	"errors"

	"example.org/compose/fingerprint/scsha"
)

// errFraming means that the caller and this library were built from different sources.
var errFraming = errors.New("the manifest does not have the form that this library reads; build both from one source")

// readManifest reads how the caller hands a manifest over: the schema; the number of nodes, and of each the kind, the
// value and the digest; the number of edges, and of each the kind and value of the parent, those of the child, and the
// occurrence. Numbers are big-endian u32, texts have their length in bytes before them.
func readManifest(b []byte) (scsha.Manifest, error) {
	r := &reader{rest: b}
	m := scsha.Manifest{Schema: r.text()}
	for range r.count() {
		m.Nodes = append(m.Nodes, scsha.Node{Source: r.source(), SHA256: r.text()})
	}
	for range r.count() {
		m.Edges = append(m.Edges, scsha.Edge{Parent: r.source(), Child: r.source(), Occurrence: r.number()})
	}
	if r.failed || len(r.rest) > 0 {
		return scsha.Manifest{}, errFraming
	}
	return m, nil
}

type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.failed, n = true, 0
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) number() uint32 {
	b := r.take(4)
	if len(b) < 4 {
		return 0
	}
	return binary.BigEndian.Uint32(b)
}

// count reads how many of something follow, each of more than one byte.
func (r *reader) count() uint32 {
	n := r.number()
	if uint64(n) > uint64(len(r.rest)) {
		r.failed = true
		return 0
	}
	return n
}

func (r *reader) text() string { return string(r.take(uint64(r.number()))) }

func (r *reader) source() scsha.Source {
	return scsha.Source{Kind: scsha.SourceKind(r.text()), Value: r.text()}
}
