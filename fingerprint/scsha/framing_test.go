package scsha

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"reflect"
	"testing"
)

// FuzzFraming: what is hashed can be taken apart again, and gives the manifest. So no two different manifests are hashed as
// the same bytes.
func FuzzFraming(f *testing.F) {
	f.Add([]byte("a\x00b\x00https://example.test/\x00caf\xc3\xa9\x00"), []byte{0, 1, 2, 1, 9, 0, 0, 7})
	f.Add([]byte("ab\x00c\x00"), []byte{0, 1})
	f.Add([]byte("a\x00bc\x00"), []byte{0, 1})
	f.Fuzz(func(t *testing.T, names, picks []byte) {
		var m Manifest
		m.Schema = ManifestAlgorithm
		for i, name := range bytes.Split(names, []byte{0}) {
			kind := LocalPath
			if i < len(picks) && picks[i]&1 != 0 {
				kind = URL
			}
			digest := make([]byte, 32)
			copy(digest, name)
			m.Nodes = append(m.Nodes, Node{Source{kind, string(name)}, hex.EncodeToString(digest)})
		}
		for ; len(picks) >= 3; picks = picks[3:] {
			n := len(m.Nodes)
			m.Edges = append(m.Edges, Edge{m.Nodes[int(picks[0])%n].Source, m.Nodes[int(picks[1])%n].Source, uint32(picks[2]) << 24})
		}
		built, err := build(m)
		if err != nil {
			return
		}
		var framed bytes.Buffer
		built.frame(&framed)
		d := decoder{framed.Bytes(), t}
		if got := d.manifest(); !reflect.DeepEqual(got, m) || len(d.rest) > 0 {
			t.Fatalf("got %+v and %d bytes, want %+v", got, len(d.rest), m)
		}
	})
}

// decoder takes a framing apart, written from docs/identities.md.
type decoder struct {
	rest []byte
	t    *testing.T
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.t.Fatalf("%d bytes wanted, %d left", n, len(d.rest))
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uint64() uint64 { return binary.BigEndian.Uint64(d.take(8)) }
func (d *decoder) bytes() []byte  { return d.take(d.uint64()) }

func (d *decoder) source() Source {
	kind := map[byte]SourceKind{0: LocalPath, 1: URL}[d.take(1)[0]]
	return Source{kind, string(d.bytes())}
}

func (d *decoder) manifest() (m Manifest) {
	m.Schema = string(d.bytes())
	if tag := d.take(1)[0]; tag != 1 {
		d.t.Fatalf("tag %d", tag)
	}
	for n := d.uint64(); n > 0; n-- {
		m.Nodes = append(m.Nodes, Node{d.source(), hex.EncodeToString(d.bytes())})
	}
	for n := d.uint64(); n > 0; n-- {
		m.Edges = append(m.Edges, Edge{d.source(), d.source(), binary.BigEndian.Uint32(d.take(4))})
	}
	return m
}
