package gitpack

import (
	"bytes"
	"context"
	"hash"
	"io"
)

// ReportCollision is what becomes of a hash that reports a collision.
func ReportCollision() error {
	h := newIDHash()
	h.hash = colliding{h.hash}
	_, err := h.id()
	return err
}

type colliding struct{ hash.Hash }

func (c colliding) CollisionResistantSum(p []byte) ([]byte, bool) { return c.Sum(p), true }

// ResolveFrom takes in a pack whose file is read again by at.
func ResolveFrom(pack []byte, at io.ReaderAt) error {
	ctx, limits := context.Background(), Limits{}.orDefaults()
	fail := func(msg string) error { return fault(CodeResponseInvalid, "", msg) }
	p, err := scan(ctx, &stream{ctx: ctx, r: bytes.NewReader(pack), limit: limits.Bytes}, limits, fail)
	if err != nil {
		return err
	}
	return resolve(ctx, &reread{ReaderAt: at, path: "x.pack"}, p, limits, fail)
}

// IndexOf returns the index of a pack, with offsets past small in the table of large ones.
func IndexOf(pack []byte, small int64) ([]byte, error) {
	ctx, limits := context.Background(), Limits{}.orDefaults()
	fail := func(msg string) error { return damaged("", msg) }
	p, err := scan(ctx, &stream{ctx: ctx, r: bytes.NewReader(pack), limit: limits.Bytes}, limits, fail)
	if err != nil {
		return nil, err
	}
	if err := resolve(ctx, &reread{ReaderAt: bytes.NewReader(pack)}, p, limits, fail); err != nil {
		return nil, err
	}
	if err := p.sort(fail); err != nil {
		return nil, err
	}
	var index bytes.Buffer
	err = p.writeIndex(&index, small)
	return index.Bytes(), err
}
