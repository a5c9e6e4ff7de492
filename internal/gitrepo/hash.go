package gitrepo

import (
	"hash"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// idHash computes ids of one object after the other, with go-git's detection of collisions. The zero value is ready, for one
// goroutine.
type idHash struct {
	hash hash.Hash
	text []byte
}

func (h *idHash) of(kind plumbing.ObjectType, content []byte) (id ID) {
	if h.hash == nil {
		h.hash = plumbing.NewHasher(kind, 0).Hash
	}
	h.hash.Reset()
	h.text = append(append(h.text[:0], kind.Bytes()...), ' ')
	h.text = append(strconv.AppendInt(h.text, int64(len(content)), 10), 0)
	h.hash.Write(h.text)
	h.hash.Write(content)
	h.text = h.hash.Sum(h.text[:0])
	copy(id[:], h.text)
	return id
}
