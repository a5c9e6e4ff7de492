package gitrepo

import (
	"context"
	"io"
	"math"

	"github.com/go-git/go-git/v5/plumbing"
)

// Size returns the length of a blob as its stored header has it, without inflating the content. The errors are
// those of Blob.
func (r *Repository) Size(ctx context.Context, id ID) (int64, error) {
	if f, ok := r.objects.(*folders); ok && ctx.Err() == nil {
		if kind, size, ok := f.stat(id); ok && kind == plumbing.BlobObject {
			return size, nil
		}
	}
	o, err := r.open(ctx, id, plumbing.BlobObject, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	defer o.Close()
	return o.size(), nil
}

// Blob returns the bytes of a blob.
//
// SOURCE_TOO_LARGE, before more than 512 KiB is inflated, when there are more than limit. READ_FAILED: the object is missing (a
// partial clone says so), is no blob, or is damaged.
func (r *Repository) Blob(ctx context.Context, id ID, limit int64) ([]byte, error) {
	return r.read(ctx, id, plumbing.BlobObject, limit)
}

// OpenBlob streams the bytes of a blob, with the errors of Blob, from it or from Read. What was read counts only once
// Read has returned io.EOF: where the bytes are not those of id, Read fails in its place. Close it.
//
// A blob of more than 512 KiB that is stored whole is never held. Of one that is stored as a delta, what the delta builds on is, from
// the first Read to the last; the first Read waits while others of this repository hold too much. So a goroutine
// must not read two such blobs by turns.
func (r *Repository) OpenBlob(ctx context.Context, id ID, limit int64) (io.ReadCloser, error) {
	if f, ok := r.objects.(*folders); ok && ctx.Err() == nil {
		u := f.unpacker()
		if kind, content, ok := f.load(u, id); ok && kind == plumbing.BlobObject && int64(len(content)) <= limit {
			return &heldBlob{ctx: ctx, folders: f, unpacker: u, left: content}, nil
		}
		f.unpackers.Put(u)
	}
	o, err := r.open(ctx, id, plumbing.BlobObject, limit)
	if err != nil {
		return nil, err
	}
	return r.newBlobReader(ctx, o, id), nil
}

func (r *Repository) newBlobReader(ctx context.Context, o object, id ID) *blobReader {
	return &blobReader{ctx: ctx, repo: r, id: id, object: o, left: o.size(), hash: plumbing.NewHasher(o.kind(), o.size())}
}

// blobReader checks an object while it is read.
type blobReader struct {
	ctx      context.Context
	repo     *Repository
	id       ID
	object   object    // nil once it is closed
	content  io.Reader // nil before the first Read
	left     int64
	hash     plumbing.Hasher
	err      error // what every further Read returns
	closeErr error
}

func (b *blobReader) Read(p []byte) (n int, err error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if n, b.err = b.read(p); b.err != nil {
		b.release()
	}
	return n, b.err
}

func (b *blobReader) read(p []byte) (n int, err error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.content == nil {
		if b.content, err = b.object.content(b.ctx); err != nil {
			return 0, b.repo.readFault(b.id, err)
		}
	}
	n, err = b.content.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), damaged("it has more bytes than its header says")
	}
	b.left -= int64(n)
	b.hash.Write(p[:n])
	switch {
	case err == io.EOF && b.left > 0:
		err = b.repo.readFault(b.id, io.ErrUnexpectedEOF)
	case err == io.EOF && b.hash.Sum() != b.id:
		err = b.repo.readFault(b.id, errOtherBytes)
	case err != nil && err != io.EOF:
		err = b.repo.readFault(b.id, err)
	}
	return n, err
}

// release closes the object: what it holds is free for others.
func (b *blobReader) release() {
	if b.object != nil {
		b.closeErr = b.object.Close()
		b.object, b.content = nil, nil
	}
}

// Close releases the object. It may be called twice.
func (b *blobReader) Close() error {
	b.release()
	b.err = io.ErrClosedPipe
	return b.closeErr
}

// heldBlob is a checked blob in an unpacker.
type heldBlob struct {
	ctx      context.Context
	folders  *folders
	unpacker *unpacker // nil once it is given back
	left     []byte
	closed   bool
}

func (b *heldBlob) Read(p []byte) (int, error) {
	switch {
	case b.closed:
		return 0, io.ErrClosedPipe
	case len(b.left) == 0:
		b.release()
		return 0, io.EOF
	}
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

func (b *heldBlob) release() {
	if b.unpacker != nil {
		b.folders.unpackers.Put(b.unpacker)
		b.unpacker, b.left = nil, nil
	}
}

// Close gives the unpacker back. It may be called twice.
func (b *heldBlob) Close() error {
	b.release()
	b.closed = true
	return nil
}
