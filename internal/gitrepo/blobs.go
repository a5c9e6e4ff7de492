package gitrepo

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing"
)

// BlobContent is a blob in the hands of a visitor of Blobs. It is valid until the visitor returns.
type BlobContent struct {
	Size  int64
	Bytes []byte // all of it, checked; nil where it is too large to be held, and streamed

	stream io.Reader
}

// WriteTo writes the blob to w. Of one that is streamed, what was written counts only when the error is nil; then it is one
// of OpenBlob or of w.
func (b *BlobContent) WriteTo(w io.Writer) (int64, error) {
	if b.Bytes != nil {
		n, err := w.Write(b.Bytes)
		return int64(n), err
	}
	return io.CopyBuffer(onlyWriter{w}, b.stream, make([]byte, 64<<10))
}

// Blobs reads many blobs: it calls visit for each index of ids, with the blob or with why it could not be read (the errors of
// OpenBlob). An id may be there several times.
//
// The calls come from all cores at once, in an order that suits the packs: each entry that is needed, bases of deltas included, is
// unpacked once. What is held is bounded, whatever the sizes: a blob of more than 512 KiB is streamed.
//
// The error is that of the lowest index whose visitor returned one; an index above it is perhaps not visited. Where ctx ends
// first, it is ctx's.
func (r *Repository) Blobs(ctx context.Context, ids []ID, limit int64, visit func(i int, b *BlobContent, err error) error) error {
	b := &batch{repo: r, ctx: ctx, ids: ids, limit: limit, visit: visit, done: make([]bool, len(ids))}
	b.first.Store(int64(len(ids)))
	if f, ok := r.objects.(*folders); ok {
		b.readPacks(f)
	}
	// What is not in a pack, or is read by a stream.
	b.share(len(ids), 16, func(u *unpacker, from, to int) {
		for i := from; i < to; i++ {
			if !b.done[i] && b.wanted(i) {
				b.readAlone(u, i)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.err
}

// batch is one call of Blobs.
type batch struct {
	repo  *Repository
	ctx   context.Context
	ids   []ID
	limit int64
	visit func(i int, b *BlobContent, err error) error
	done  []bool

	first atomic.Int64 // the lowest index whose visitor returned an error
	mu    sync.Mutex
	err   error // of that
}

// wanted reports whether an index is still to be visited.
func (b *batch) wanted(i int) bool { return int64(i) < b.first.Load() && b.ctx.Err() == nil }

// hand calls the visitor.
func (b *batch) hand(i int, content *BlobContent, err error) {
	b.done[i] = true
	if err = b.visit(i, content, err); err == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if int64(i) < b.first.Load() {
		b.err = err
		b.first.Store(int64(i))
	}
}

// readAlone reads a blob for itself.
func (b *batch) readAlone(u *unpacker, i int) {
	if f, ok := b.repo.objects.(*folders); ok {
		if kind, content, ok := f.load(u, b.ids[i]); ok && kind == plumbing.BlobObject && int64(len(content)) <= b.limit {
			b.hand(i, &BlobContent{Size: int64(len(content)), Bytes: content}, nil)
			return
		}
	}
	o, err := b.repo.open(b.ctx, b.ids[i], plumbing.BlobObject, b.limit)
	if err != nil {
		b.hand(i, nil, err)
		return
	}
	if o.size() > maxMemoryBytes {
		stream := b.repo.newBlobReader(b.ctx, o, b.ids[i])
		defer stream.Close()
		b.hand(i, &BlobContent{Size: o.size(), stream: stream}, nil)
		return
	}
	content, err := b.repo.readAll(b.ctx, o, b.ids[i])
	if err != nil {
		b.hand(i, nil, err)
		return
	}
	b.hand(i, &BlobContent{Size: int64(len(content)), Bytes: content}, nil)
}

// share calls work with pieces of [0, n), on all cores.
func (b *batch) share(n, piece int, work func(u *unpacker, from, to int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+piece-1)/piece) {
		workers.Go(func() {
			u := &unpacker{}
			if f, ok := b.repo.objects.(*folders); ok {
				u = f.unpacker()
				defer f.unpackers.Put(u)
			}
			for b.ctx.Err() == nil {
				from := int(next.Add(int64(piece))) - piece
				if from >= n {
					return
				}
				work(u, from, min(from+piece, n))
			}
		})
	}
	workers.Wait()
}
