package starter

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// errReadOnly answers every attempt to change what build made.
var errReadOnly = errors.New("the starter catalog is read-only")

// A store is the object store of the repository: a map. It does the little that reading needs; go-git's own
// in-memory storage would bring references, configuration and an index with it. It is not changed after build,
// so look-ups may run at once.
type store struct {
	objects map[plumbing.Hash]*object
}

var _ storer.EncodedObjectStorer = (*store)(nil)

// add stores an object and returns its id. The content is kept, not copied.
func (s *store) add(kind plumbing.ObjectType, content []byte) plumbing.Hash {
	h := sha1.New() // git's object id; these bytes are our own, so a collision is no concern
	h.Write([]byte(kind.String() + " " + strconv.Itoa(len(content)) + "\x00"))
	h.Write(content)
	var id plumbing.Hash
	h.Sum(id[:0])
	s.objects[id] = &object{kind, id, content}
	return id
}

func (s *store) EncodedObject(kind plumbing.ObjectType, id plumbing.Hash) (plumbing.EncodedObject, error) {
	o, found := s.objects[id]
	if !found || (kind != plumbing.AnyObject && kind != o.kind) {
		return nil, plumbing.ErrObjectNotFound
	}
	return o, nil
}

func (s *store) HasEncodedObject(id plumbing.Hash) error {
	_, err := s.EncodedObject(plumbing.AnyObject, id)
	return err
}

func (s *store) EncodedObjectSize(id plumbing.Hash) (int64, error) {
	o, err := s.EncodedObject(plumbing.AnyObject, id)
	if err != nil {
		return 0, err
	}
	return o.Size(), nil
}

// IterEncodedObjects gives the objects by id.
func (s *store) IterEncodedObjects(kind plumbing.ObjectType) (storer.EncodedObjectIter, error) {
	var ids []plumbing.Hash
	for id, o := range s.objects {
		if kind == plumbing.AnyObject || kind == o.kind {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	return storer.NewEncodedObjectLookupIter(s, kind, ids), nil
}

func (s *store) NewEncodedObject() plumbing.EncodedObject { return &object{} }

func (s *store) SetEncodedObject(plumbing.EncodedObject) (plumbing.Hash, error) {
	return plumbing.ZeroHash, errReadOnly
}

func (s *store) AddAlternate(string) error { return errReadOnly }

// An object is one git object. It is immutable: the setters that the interface asks for do nothing.
type object struct {
	kind    plumbing.ObjectType
	id      plumbing.Hash
	content []byte
}

func (o *object) Hash() plumbing.Hash         { return o.id }
func (o *object) Type() plumbing.ObjectType   { return o.kind }
func (o *object) Size() int64                 { return int64(len(o.content)) }
func (o *object) SetType(plumbing.ObjectType) {}
func (o *object) SetSize(int64)               {}
func (o *object) Reader() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(o.content)), nil
}
func (o *object) Writer() (io.WriteCloser, error) {
	return nil, errReadOnly
}
