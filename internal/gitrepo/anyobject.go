package gitrepo

import (
	"context"
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// Object is one stored object of any kind. Reading it is as with OpenBlob. Close it.
type Object struct {
	Kind plumbing.ObjectType
	Size int64
	io.ReadCloser
}

// Object opens an object, whatever it is; with the errors of OpenBlob.
func (r *Repository) Object(ctx context.Context, id ID) (*Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, err := r.objects.find(id)
	if err != nil {
		return nil, r.readFault(id, err)
	}
	return &Object{Kind: o.kind(), Size: o.size(), ReadCloser: r.newBlobReader(ctx, o, id)}, nil
}

// ReadObject returns the bytes of an object of any kind. SOURCE_TOO_LARGE, before inflating, when there are more than
// limit.
func (r *Repository) ReadObject(ctx context.Context, id ID, limit int64) (plumbing.ObjectType, []byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	o, err := r.objects.find(id)
	if err != nil {
		return 0, nil, r.readFault(id, err)
	}
	kind := o.kind()
	if o, err = r.admit(ctx, o, id, kind, limit); err != nil {
		return 0, nil, err
	}
	content, err := r.readAll(ctx, o, id)
	return kind, content, err
}

// KindOf returns what kind of object is stored under an id, without reading it; false where there is none.
func (r *Repository) KindOf(ctx context.Context, id ID) (kind plumbing.ObjectType, found bool, err error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	if f, ok := r.objects.(*folders); ok {
		if kind, _, ok := f.stat(id); ok {
			return kind, true, nil
		}
	}
	o, err := r.objects.find(id)
	if errors.Is(err, errMissing) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, r.readFault(id, err)
	}
	return o.kind(), true, o.Close()
}
