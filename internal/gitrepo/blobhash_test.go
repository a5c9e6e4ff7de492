package gitrepo_test

import (
	"bytes"
	"testing"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

func TestBlobHash(t *testing.T) {
	var hash gitrepo.BlobHash
	text := bytes.Repeat([]byte("0123456789abcdef\n"), 8192)
	for _, size := range []int{0, 1, 9, 10, 54, 55, 56, 63, 64, 65, 999, 1000, 65536, len(text)} {
		for _, piece := range []int{1, 7, 64, 4096, len(text)} {
			hash.Begin(int64(size + 1)) // a file that changed while it was read: begun again
			hash.Add([]byte("other bytes"))
			hash.Begin(int64(size))
			for at := 0; at < size; at += piece {
				hash.Add(text[at:min(at+piece, size)])
			}
			if got, want := hash.ID(), plumbing.ComputeHash(plumbing.BlobObject, text[:size]); got != want {
				t.Errorf("%d bytes in pieces of %d: %s, want %s", size, piece, got, want)
			}
		}
	}
}

func TestBlobHashAllocates(t *testing.T) {
	var hash gitrepo.BlobHash
	hash.Begin(3)
	piece := []byte("abc")
	if n := testing.AllocsPerRun(100, func() { hash.Begin(3); hash.Add(piece) }); n > 1 {
		t.Errorf("%v allocations a file", n)
	}
}
