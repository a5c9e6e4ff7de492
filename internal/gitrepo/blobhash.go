package gitrepo

import (
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// BlobHash computes the id that git gives to the bytes of a file: SHA-1 over a header and the bytes. Bytes that show a
// known attack on SHA-1 get another id than git's plain one, so that they are never taken for the blob with which they collide.
// The zero value is ready for Begin. It is for one goroutine.
type BlobHash struct{ hash plumbing.Hasher }

// Begin starts over, for a file of that size.
func (b *BlobHash) Begin(size int64) {
	if b.hash.Hash == nil {
		b.hash = plumbing.NewHasher(plumbing.BlobObject, size)
		return
	}
	b.hash.Reset()
	header := append(make([]byte, 0, 32), "blob "...)
	header = append(strconv.AppendInt(header, size, 10), 0)
	b.hash.Write(header)
}

// Add takes the next bytes.
func (b *BlobHash) Add(piece []byte) { b.hash.Write(piece) }

// ID returns the id of the bytes since Begin.
func (b *BlobHash) ID() ID { return b.hash.Sum() }
