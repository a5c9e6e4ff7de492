package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"example.org/compose/internal/diag"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

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
	// content is called at most once. What it gives is not checked against the object's id, nor its length. It may
	// wait for memory that others hold, until they close their objects or ctx ends.
	content(ctx context.Context) (io.Reader, error)
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

func (m *memoryObject) content(context.Context) (r io.Reader, err error) {
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
	return r.admit(ctx, o, id, want, limit)
}

// admit returns an object that was found, or closes it where it is not what is wanted.
func (r *Repository) admit(ctx context.Context, o object, id ID, want plumbing.ObjectType, limit int64) (object, error) {
	if o.kind() != want {
		kind := o.kind()
		if err := r.verify(ctx, o, id); err != nil {
			return nil, err
		}
		return nil, fault(CodeReadFailed, id.String(), "is a "+kind.String()+", where a "+want.String()+
			" is wanted; what names it has to be written anew, see git fsck").withHint(r.GitCommand("fsck --full"))
	}
	if o.size() > limit {
		o.Close()
		return nil, fault(CodeSourceTooLarge, id.String(), fmt.Sprintf("the %s has %d bytes, and the bound is %d", want, o.size(), limit))
	}
	return o, nil
}

// kindOf returns what kind of object an id stands for. Where it is not the kind that is hoped for, the object's bytes
// are those of the id. errMissing where it is not there.
func (r *Repository) kindOf(ctx context.Context, id ID, hoped plumbing.ObjectType) (plumbing.ObjectType, error) {
	if f, ok := r.objects.(*folders); ok {
		if kind, _, ok := f.stat(id); ok && kind == hoped {
			return kind, nil
		}
	}
	o, err := r.objects.find(id)
	if errors.Is(err, errMissing) {
		return 0, errMissing
	}
	if err != nil {
		return 0, r.readFault(id, err)
	}
	kind := o.kind()
	if kind == hoped {
		return kind, o.Close()
	}
	return kind, r.verify(ctx, o, id)
}

// verify reads an object, holds it against its id, and closes it.
func (r *Repository) verify(ctx context.Context, o object, id ID) error {
	b := r.newBlobReader(ctx, o, id)
	defer b.Close()
	_, err := io.Copy(io.Discard, b)
	return err
}

// read returns the checked bytes of an object.
func (r *Repository) read(ctx context.Context, id ID, want plumbing.ObjectType, limit int64) (content []byte, err error) {
	err = r.use(ctx, id, want, limit, func(held []byte) error {
		content = append([]byte{}, held...)
		return nil
	})
	return content, err
}

// use calls use with the checked bytes of an object, which are valid until it returns.
func (r *Repository) use(ctx context.Context, id ID, want plumbing.ObjectType, limit int64, use func(content []byte) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f, ok := r.objects.(*folders); ok {
		u := f.unpacker()
		defer f.unpackers.Put(u)
		if kind, content, ok := f.load(u, id); ok && kind == want && int64(len(content)) <= limit {
			return use(content)
		}
	}
	content, err := r.readStream(ctx, id, want, limit)
	if err != nil {
		return err
	}
	return use(content)
}

// readStream returns the checked bytes of an object that no unpacker reads.
func (r *Repository) readStream(ctx context.Context, id ID, want plumbing.ObjectType, limit int64) ([]byte, error) {
	o, err := r.open(ctx, id, want, limit)
	if err != nil {
		return nil, err
	}
	return r.readAll(ctx, o, id)
}

// readAll returns the checked bytes of an open object, and closes it.
func (r *Repository) readAll(ctx context.Context, o object, id ID) ([]byte, error) {
	defer o.Close()
	content, err := o.content(ctx)
	if err != nil {
		return nil, r.readFault(id, err)
	}
	bytes, err := readExactly(content, o.size())
	if err != nil {
		return nil, r.readFault(id, err)
	}
	if plumbing.ComputeHash(o.kind(), bytes) != id {
		return nil, r.readFault(id, errOtherBytes)
	}
	return bytes, nil
}

// readExactly reads size bytes and the end. A large size that the content does not have costs little memory.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	const atOnce = 16 << 20
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
		grown := make([]byte, min(size, 4*int64(len(buf))))
		copy(grown, buf)
		buf = grown
	}
	if err := ended(r); err != io.EOF {
		return nil, err
	}
	return buf, nil
}

// readFault says why an object could not be read. A context that ended stays what it is.
func (r *Repository) readFault(id ID, err error) error {
	if r.opts.Name != "" && !errors.Is(err, errTooLarge) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return &Error{Base: diag.New(CodeReadFailed, id.String(),
			"the copy of "+r.opts.Name+" lacks the object, or it is damaged there: it has to be fetched anew"), unsound: true}
	}
	const damage = "; git fsck lists what else is damaged: restore it from another clone"
	path := id.String()
	var pe *fs.PathError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errMissing) && r.disk != nil && r.disk.partial:
		return fault(CodeReadFailed, path, "the object is not here: "+strconv.Quote(r.name())+
			" is a partial clone, which git fills from its remote on demand and compose never does; fetch the rest first").
			withHint(r.GitCommand("fetch --refetch --no-filter"))
	case errors.Is(err, errMissing):
		return fault(CodeReadFailed, path, "the object is missing"+damage).withHint(r.GitCommand("fsck --full"))
	case errors.Is(err, errUnsupported):
		return fault(CodeReadFailed, path, "the object can't be read: "+err.Error()+", which is not supported; have git write its packs anew").
			withHint(r.GitCommand("-c pack.indexVersion=2 repack -a -d"))
	case errors.Is(err, errTooLarge):
		// Files above the threshold are stored whole, and streamed.
		return fault(CodeSourceTooLarge, path, "the object can't be built in bounded memory: "+err.Error()+
			"; have git store large files whole").withHint(r.GitCommand("-c core.bigFileThreshold=16m repack -a -d -f"))
	case errors.As(err, &pe):
		return faultOf(CodeReadFailed, path, "the object can't be read from "+strconv.Quote(pe.Path)+"; make that a file that you may read", pe.Err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return fault(CodeReadFailed, path, "the stored object is damaged: "+err.Error()+damage).withHint(r.GitCommand("fsck --full"))
}

// malformed says what is wrong with an object whose bytes are those of its id.
func malformed(id ID, kind plumbing.ObjectType, err error) error {
	return fault(CodeReadFailed, id.String(), "is a malformed "+kind.String()+": "+err.Error()+
		"; whoever wrote it has to write it anew, with git")
}
