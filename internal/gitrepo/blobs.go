package gitrepo

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// BlobContent is a blob in the hands of a visitor of Blobs. It is valid until the visitor returns.
type BlobContent struct {
	Size  int64
	Bytes []byte // all of it, checked; nil where it is too large to be held, and streamed

	stream io.Reader
	buf    []byte // to copy through
}

// WriteTo writes the blob to w. Of one that is streamed, what was written counts only when the error is nil; then it is one
// of OpenBlob or of w.
func (b *BlobContent) WriteTo(w io.Writer) (int64, error) {
	if b.Bytes != nil {
		n, err := w.Write(b.Bytes)
		return int64(n), err
	}
	return io.CopyBuffer(onlyWriter{w}, onlyReader{b.stream}, b.buf)
}

// onlyReader hides what else a reader can do.
type onlyReader struct{ io.Reader }

// Blobs reads many blobs: it calls visit for each index of ids, with the blob or with why it could not be read (the errors of
// OpenBlob). An id may be there several times.
//
// The calls come from all cores at once, in an order that suits the packs: each entry that is needed, bases of deltas included, is
// unpacked once. What is held is bounded, whatever the sizes: a blob of more than 1 MiB is streamed.
//
// The error is that of the lowest index whose visitor returned one; an index above it is perhaps not visited. Where ctx ends
// first, it is ctx's.
func (r *Repository) Blobs(ctx context.Context, ids []ID, limit int64, visit func(i int, b *BlobContent, err error) error) error {
	var next atomic.Int64
	var mu sync.Mutex
	first := len(ids)
	var firstErr error
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ids)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(ids) {
					return
				}
				mu.Lock()
				skip := i > first
				mu.Unlock()
				if skip {
					continue
				}
				var b *BlobContent
				bytes, err := r.Blob(ctx, ids[i], limit)
				if err == nil {
					b = &BlobContent{Size: int64(len(bytes)), Bytes: bytes}
				}
				if err := visit(i, b, err); err != nil {
					mu.Lock()
					if i < first {
						first, firstErr = i, err
					}
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return firstErr
}
