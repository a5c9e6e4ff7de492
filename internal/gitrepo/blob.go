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
	o, err := r.open(ctx, id, plumbing.BlobObject, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	defer o.Close()
	return o.size(), nil
}

// Blob returns the bytes of a blob.
//
// SOURCE_TOO_LARGE, before inflating, when there are more than limit. READ_FAILED: the object is missing (a
// partial clone says so), is no blob, or is damaged.
func (r *Repository) Blob(ctx context.Context, id ID, limit int64) ([]byte, error) {
	return r.read(ctx, id, plumbing.BlobObject, limit)
}

// OpenBlob streams the bytes of a blob, with the errors of Blob. What was read counts only once Read has
// returned io.EOF: where the bytes are not those of id, Read fails in its place. A blob that is stored as a
// delta is held in memory while it is open; others are not. Close it.
func (r *Repository) OpenBlob(ctx context.Context, id ID, limit int64) (io.ReadCloser, error) {
	o, err := r.open(ctx, id, plumbing.BlobObject, limit)
	if err != nil {
		return nil, err
	}
	content, err := o.content()
	if err != nil {
		o.Close()
		return nil, r.readFault(id, err)
	}
	return &blobReader{
		ctx: ctx, repo: r, id: id, object: o, content: content,
		left: o.size(), hash: plumbing.NewHasher(plumbing.BlobObject, o.size()),
	}, nil
}

// blobReader checks a blob while it is read.
type blobReader struct {
	ctx     context.Context
	repo    *Repository
	id      ID
	object  object
	content io.Reader
	left    int64
	hash    plumbing.Hasher
	err     error // what every further Read returns
}

func (b *blobReader) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if b.err = b.ctx.Err(); b.err != nil {
		return 0, b.err
	}
	n, err := b.content.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), errDamaged
	}
	b.left -= int64(n)
	b.hash.Write(p[:n])
	switch {
	case err == io.EOF && b.left > 0:
		err = b.repo.readFault(b.id, io.ErrUnexpectedEOF)
	case err == io.EOF && b.hash.Sum() != b.id:
		err = b.repo.readFault(b.id, errDamaged)
	case err != nil && err != io.EOF:
		err = b.repo.readFault(b.id, err)
	}
	b.err = err
	return n, err
}

// Close releases the object. It may be called twice.
func (b *blobReader) Close() error {
	if b.object == nil {
		return nil
	}
	err := b.object.Close()
	b.object, b.err = nil, io.ErrClosedPipe
	return err
}
