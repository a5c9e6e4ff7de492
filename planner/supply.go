package planner

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"slices"
	"sync"

	"example.org/compose/catalog"
	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// Supply hands out the bytes of many materials of c: it calls put for each, with its index and its bytes, which are valid until put
// returns. The calls come from all cores at once, in an order that suits the source: copied materials are read in one go,
// which is a good deal faster than Open for one after the other.
//
// The error is that of the material with the lowest index which could not be read, with the errors of Open, or whose put returned
// one, such as an error of the writer that it gave; or ctx's.
func (c *Composition) Supply(ctx context.Context, materials []*Material, put func(i int, from io.WriterTo) error) error {
	var copied, others []int
	var sources []*catalog.Material
	for i, m := range materials {
		if m.Copied() {
			copied, sources = append(copied, i), append(sources, m.source)
		} else {
			others = append(others, i)
		}
	}
	faults := make([]error, len(materials))
	err := c.catalog.ReadMaterials(ctx, sources, func(k int, content *catalog.Content, err error) error {
		i := copied[k]
		if err == nil {
			err = put(i, content)
		}
		faults[i] = err
		return err
	})
	at := slices.IndexFunc(faults, isFault)
	if err != nil && at < 0 {
		return err
	}
	if at >= 0 { // what comes behind it is not asked for any more
		before, _ := slices.BinarySearch(others, at)
		others = others[:before]
	}
	err = rootfs.Each(ctx, len(others), func(k int, buf []byte) {
		i := others[k]
		faults[i] = c.supplyOne(ctx, materials[i], buf, func(from io.WriterTo) error { return put(i, from) })
	})
	if err != nil {
		return err
	}
	if at = slices.IndexFunc(faults, isFault); at >= 0 {
		return faults[at]
	}
	return nil
}

func isFault(err error) bool { return err != nil }

// supplyOne hands out a material that is not the bytes of one blob.
func (c *Composition) supplyOne(ctx context.Context, m *Material, buf []byte, put func(from io.WriterTo) error) error {
	r, err := c.Open(ctx, m)
	if err != nil {
		return readFault(m, err)
	}
	defer r.Close()
	return put(through{m, r, buf})
}

// through writes what the reader of a material gives, through a buffer.
type through struct {
	m   *Material
	r   io.Reader
	buf []byte
}

func (t through) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{t}, t.buf)
}

// Read names the material in an error of its source; those of the writer stay what they are.
func (t through) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && err != io.EOF {
		err = readFault(t.m, err)
	}
	return n, err
}

// hash computes digest and size of every material of which they are not known. The first fault by destination is the one
// reported, whichever core meets its fault first.
func (c *Composition) hash(ctx context.Context) error {
	var unknown []*Material
	for i := range c.Materials {
		if m := &c.Materials[i]; !m.known {
			unknown = append(unknown, m)
		}
	}
	pool := sync.Pool{New: func() any { return &digesting{hash: sha256.New()} }}
	return c.Supply(ctx, unknown, func(i int, from io.WriterTo) error {
		d := pool.Get().(*digesting)
		defer pool.Put(d)
		d.begin()
		if _, err := from.WriteTo(d); err != nil {
			return err
		}
		m := unknown[i]
		if d.pointer {
			return &Error{Components: []lockv2.ComponentID{m.Component}, Base: diag.New(CodeLFSPointer, sourcePath(m),
				"is a Git LFS pointer, not the file; commit the bytes themselves to the catalog")}
		}
		m.Size, m.Digest = d.size, fingerprint.From[fingerprint.Material](d.hash)
		return nil
	})
}

// digesting learns from bytes what a plan has to know of a material.
type digesting struct {
	hash    hash.Hash
	size    int64
	pointer bool // they are a Git LFS pointer
}

func (d *digesting) begin() {
	d.hash.Reset()
	d.size, d.pointer = 0, false
}

func (d *digesting) Write(b []byte) (int, error) {
	d.pointer = d.size == 0 && len(b) <= pointerBound && catalog.IsLFSPointer(b)
	d.size += int64(len(b))
	return d.hash.Write(b)
}

// pointerBound is more than a Git LFS pointer has: its specification says less than 1,024 bytes.
const pointerBound = 1 << 10
