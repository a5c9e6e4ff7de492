package gitpack

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

// resolver builds what is stored as deltas, to learn the ids: one tree of deltas after the other, each from its whole
// object on, depth first. A path of objects is held at most: of each, as long as something builds on it that was not
// built yet. Where that is too much, the lowest are given up and built again when their turn comes.
type resolver struct {
	ctx    context.Context
	pack   *pack
	limits Limits

	children children
	contents contents
	delta    gitrepo.Delta
	hash     *idHash
	chunk    []byte

	path   []frame // from a whole object to the delta that was built last
	kind   plumbing.ObjectType
	held   int64 // bytes in path
	free   spare
	again  int64 // bytes that were inflated and built more than once
	solved int
}

// frame is one object of the path.
type frame struct {
	number uint32
	data   []byte // nil while it is not held
	read   bool   // of the whole object: it was held before
	rest   kin    // what builds on it and was not built yet
}

// resolve learns the id of each delta of a scanned pack. fail makes an error of what is wrong with it.
func resolve(ctx context.Context, file *reread, p *pack, limits Limits, fail func(msg string) error) error {
	deltas := len(p.byPlace) + len(p.byID)
	if deltas == 0 {
		return nil
	}
	r := &resolver{ctx: ctx, pack: p, limits: limits, children: newChildren(p), contents: contents{pack: p, file: file}, hash: newIDHash(), chunk: make([]byte, 64<<10)}
	for number, kind := range p.kinds {
		if kind.IsDelta() {
			continue
		}
		if err := r.tree(uint32(number), kind); err != nil {
			return r.explain(err, fail)
		}
	}
	if r.solved < deltas {
		return fail(r.unsolved(deltas - r.solved))
	}
	return nil
}

// explain leaves errors of the disk and the bounds as they are.
func (r *resolver) explain(err error, fail func(msg string) error) error {
	var own *Error
	switch {
	case r.contents.file.failed != nil:
		return r.contents.file.failed
	case errors.As(err, &own) || r.ctx.Err() != nil:
		return err
	}
	top := r.path[len(r.path)-1]
	return fail(fmt.Sprintf("a delta on the object at byte %d: %s", r.pack.entries[top.number].offset, textOf(err)))
}

// unsolved says which base is missing, of the first delta that lacks one.
func (r *resolver) unsolved(n int) string {
	first := namedDelta{}
	for _, d := range r.pack.byID {
		if r.pack.entries[d.number].id.IsZero() && (first.base.IsZero() || d.number < first.number) {
			first = d
		}
	}
	return fmt.Sprintf("%d deltas have no base in it, such as %s: it is a thin pack, or deltas build on each other in a circle", n, first.base)
}

// tree builds all that builds on a whole object.
func (r *resolver) tree(root uint32, kind plumbing.ObjectType) error {
	rest := r.children.of(root)
	if rest.empty() {
		return nil
	}
	r.kind = kind
	r.path = append(r.path[:0], frame{number: root, rest: rest})
	for len(r.path) > 0 {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		top := &r.path[len(r.path)-1]
		child, ok := r.children.next(&top.rest)
		if !ok {
			r.drop(top)
			r.path = r.path[:len(r.path)-1]
			continue
		}
		if err := r.build(child); err != nil {
			return err
		}
	}
	return nil
}

// build makes a delta that builds on the end of the path, and extends the path where others build on it.
func (r *resolver) build(child uint32) error {
	if len(r.path) > r.limits.Depth {
		return tooLarge("more deltas on top of one another", int64(r.limits.Depth))
	}
	end := len(r.path) - 1
	if err := r.hold(end); err != nil {
		return err
	}
	size, _, err := r.start(child, r.path[end].data)
	if err != nil {
		return err
	}
	r.hash.start(r.kind, size)
	if r.children.none(child) {
		if _, err := io.CopyBuffer(r.hash, &r.delta, r.chunk); err != nil {
			return err
		}
		return r.solve(child)
	}
	data, err := r.room(size, end)
	if err != nil {
		return err
	}
	if err := fillFrom(&r.delta, data); err != nil {
		return err
	}
	r.hash.Write(data)
	if err := r.solve(child); err != nil {
		return err
	}
	r.path = append(r.path, frame{number: child, data: data, rest: r.children.of(child)})
	if base := &r.path[end]; base.rest.empty() {
		r.drop(base)
	}
	return nil
}

// start begins a delta on base, and returns the size of what it makes, and its own.
func (r *resolver) start(number uint32, base []byte) (size, length int64, err error) {
	h, content, err := r.contents.open(number)
	if err != nil {
		return 0, 0, err
	}
	if _, size, err = r.delta.Start(content, h.Length); err != nil {
		return 0, 0, err
	}
	return size, h.Length, r.delta.On(base)
}

// work counts bytes that are made again.
func (r *resolver) work(bytes int64) error {
	if r.again += bytes; r.again > r.limits.Total {
		return tooLarge("deltas that take more work, in bytes,", r.limits.Total)
	}
	return nil
}

func (r *resolver) solve(number uint32) error {
	id, err := r.hash.id()
	if err != nil {
		return err
	}
	r.pack.entries[number].id = id
	r.solved++
	return nil
}

// hold makes sure that an object of the path is held. What is built again counts as work.
func (r *resolver) hold(at int) error {
	from := at
	for from > 0 && r.path[from].data == nil {
		from--
	}
	if r.path[from].data == nil { // the whole object
		h, content, err := r.contents.open(r.path[from].number)
		if err != nil {
			return err
		}
		if r.path[from].read {
			if err := r.work(h.Length); err != nil {
				return err
			}
		}
		data, err := r.room(h.Length, from)
		if err != nil {
			return err
		}
		if err := fillFrom(content, data); err != nil {
			return err
		}
		r.path[from].data, r.path[from].read = data, true
	}
	for next := from + 1; next <= at; next++ {
		size, length, err := r.start(r.path[next].number, r.path[next-1].data)
		if err != nil {
			return err
		}
		if err := r.work(size + length); err != nil {
			return err
		}
		data, err := r.room(size, next-1)
		if err != nil {
			return err
		}
		if err := fillFrom(&r.delta, data); err != nil {
			return err
		}
		r.path[next].data = data
		if r.path[next-1].rest.empty() {
			r.drop(&r.path[next-1])
		}
	}
	return nil
}

// room returns a buffer of n bytes, and gives up objects of the path from the bottom on where memory is short; the one
// at keep stays.
func (r *resolver) room(n int64, keep int) ([]byte, error) {
	for at := 0; r.held+n > r.limits.Memory && at < len(r.path); at++ {
		if at != keep {
			r.drop(&r.path[at])
		}
	}
	if r.held+n > r.limits.Memory {
		return nil, tooLarge("deltas that take more memory, in bytes,", r.limits.Memory)
	}
	r.held += n
	return r.free.take(n), nil
}

// drop gives up what a frame holds.
func (r *resolver) drop(f *frame) {
	if f.data == nil {
		return
	}
	r.held -= int64(len(f.data))
	r.free.put(f.data)
	f.data = nil
}

// spare keeps small buffers for the next objects.
type spare struct{ bufs [][]byte }

const (
	maxSpares     = 64
	maxSpareBytes = 64 << 10
)

func (s *spare) take(n int64) []byte {
	if last := len(s.bufs) - 1; n <= maxSpareBytes && last >= 0 {
		buf := s.bufs[last]
		s.bufs = s.bufs[:last]
		return buf[:n]
	}
	if n <= maxSpareBytes {
		return make([]byte, n, maxSpareBytes)
	}
	return make([]byte, n)
}

func (s *spare) put(buf []byte) {
	if cap(buf) == maxSpareBytes && len(s.bufs) < maxSpares {
		s.bufs = append(s.bufs, buf)
	}
}
