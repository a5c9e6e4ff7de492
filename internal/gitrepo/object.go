package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// errMissing says that a store does not hold an object.
var errMissing = errors.New("no such object")

// errDamaged says that stored bytes are not in git's format.
var errDamaged = errors.New("damaged")

// errTooLarge says that an object, or what must be held to build it, is past a bound.
var errTooLarge = errors.New("too large")

// store finds objects by id: the object folders of a repository, or memory. It may be used from many goroutines.
type store interface {
	// find returns the object, unchecked; errMissing where it is not there.
	find(id ID) (object, error)
	close() error
}

// object is one stored object, used by one goroutine. It must be closed.
type object interface {
	kind() plumbing.ObjectType
	size() int64
	// content is called at most once. What it gives is not checked against the object's id, nor its length.
	content() (io.Reader, error)
	Close() error
}

// memoryStore is a go-git storage.
type memoryStore struct{ s storer.EncodedObjectStorer }

func (m memoryStore) find(id ID) (object, error) {
	o, err := m.s.EncodedObject(plumbing.AnyObject, id)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, errMissing
	}
	if err != nil {
		return nil, err
	}
	return &memoryObject{o: o}, nil
}

func (memoryStore) close() error { return nil }

type memoryObject struct {
	o plumbing.EncodedObject
	r io.ReadCloser
}

func (m *memoryObject) kind() plumbing.ObjectType { return m.o.Type() }
func (m *memoryObject) size() int64               { return m.o.Size() }

func (m *memoryObject) content() (r io.Reader, err error) {
	m.r, err = m.o.Reader()
	return m.r, err
}

func (m *memoryObject) Close() error {
	if m.r == nil {
		return nil
	}
	return m.r.Close()
}

// open finds an object and holds it against a kind and a bound, before anything is inflated.
func (r *Repository) open(ctx context.Context, id ID, want plumbing.ObjectType, limit int64) (object, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, err := r.objects.find(id)
	if err != nil {
		return nil, r.readFault(id, err)
	}
	return r.admit(o, id, want, limit)
}

// admit returns an object that was found, or closes it where it is not what is wanted.
func (r *Repository) admit(o object, id ID, want plumbing.ObjectType, limit int64) (object, error) {
	if o.kind() != want {
		o.Close()
		return nil, fault(CodeReadFailed, id.String(), "is a "+o.kind().String()+", where a "+want.String()+" is wanted")
	}
	if o.size() > limit {
		o.Close()
		return nil, fault(CodeSourceTooLarge, id.String(), fmt.Sprintf("the %s has %d bytes, and the bound is %d", want, o.size(), limit))
	}
	return o, nil
}

// read returns the checked bytes of an object.
func (r *Repository) read(ctx context.Context, id ID, want plumbing.ObjectType, limit int64) ([]byte, error) {
	o, err := r.open(ctx, id, want, limit)
	if err != nil {
		return nil, err
	}
	return r.readAll(o, id)
}

// readAll returns the checked bytes of an open object, and closes it.
func (r *Repository) readAll(o object, id ID) ([]byte, error) {
	defer o.Close()
	content, err := o.content()
	if err != nil {
		return nil, r.readFault(id, err)
	}
	bytes, err := readExactly(content, o.size())
	if err != nil {
		return nil, r.readFault(id, err)
	}
	if plumbing.ComputeHash(o.kind(), bytes) != id {
		return nil, r.readFault(id, errDamaged)
	}
	return bytes, nil
}

// readExactly reads size bytes and the end. A size that the content does not have costs no memory.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	const atOnce = 1 << 20
	buf := make([]byte, min(size, atOnce))
	for filled := 0; ; {
		n, err := io.ReadFull(r, buf[filled:])
		filled += n
		if err != nil {
			return nil, err
		}
		if int64(filled) == size {
			break
		}
		grown := make([]byte, min(size, int64(2*len(buf))))
		copy(grown, buf)
		buf = grown
	}
	var extra [1]byte
	switch n, err := io.ReadFull(r, extra[:]); {
	case n > 0:
		return nil, errDamaged
	case err != io.EOF:
		return nil, err
	}
	return buf, nil
}

// readFault says why an object could not be read.
func (r *Repository) readFault(id ID, err error) error {
	path := id.String()
	switch {
	case errors.Is(err, errMissing) && r.disk != nil && r.disk.partial:
		return fault(CodeReadFailed, path, "the object is not here: "+strconv.Quote(r.name())+
			" is a partial clone, which git fills from its remote on demand and compose never does; fetch the rest first").
			withHint("git -C " + quoteArg(r.name()) + " fetch --refetch --no-filter")
	case errors.Is(err, errMissing):
		return fault(CodeReadFailed, path, "the object is missing; the repository is damaged, see git fsck")
	case errors.Is(err, errTooLarge):
		return faultOf(CodeSourceTooLarge, path, "the object can't be built in bounded memory", err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	if err == errDamaged {
		return fault(CodeReadFailed, path, "the stored object is not what its id says; see git fsck")
	}
	if errors.Is(err, errDamaged) {
		return faultOf(CodeReadFailed, path, "the stored object is not what its id says; see git fsck", causeOf(err))
	}
	return faultOf(CodeReadFailed, path, "the object can't be read; see git fsck", causeOf(err))
}
