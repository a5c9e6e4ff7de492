package gitpack

import (
	"errors"
	"hash"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// idHash hashes one object after the other, with the detection of collisions that go-git's hasher has.
type idHash struct {
	hash hash.Hash
	head []byte
}

func newIDHash() *idHash { return &idHash{hash: plumbing.NewHasher(plumbing.BlobObject, 0).Hash} }

// start begins an object.
func (h *idHash) start(kind plumbing.ObjectType, size int64) {
	h.hash.Reset()
	h.head = append(append(h.head[:0], kind.Bytes()...), ' ')
	h.head = append(strconv.AppendInt(h.head, size, 10), 0)
	h.hash.Write(h.head)
}

func (h *idHash) Write(p []byte) (int, error) { return h.hash.Write(p) }

// id is that of what was written.
func (h *idHash) id() (id ID, err error) {
	detecting, ok := h.hash.(interface {
		CollisionResistantSum(p []byte) ([]byte, bool)
	})
	if !ok {
		return id, errors.New("there is no hash that detects collisions")
	}
	sum, collides := detecting.CollisionResistantSum(h.head[:0])
	if collides {
		return id, errors.New("it was made to have the SHA-1 of another object")
	}
	copy(id[:], sum)
	return id, nil
}
