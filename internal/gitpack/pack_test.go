package gitpack_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/gitpack"
	"github.com/go-git/go-git/v5/plumbing"
)

// builder makes packs by hand, right ones and others.
type builder struct {
	body  []byte
	count uint32
}

// header appends the header of an entry.
func header(kind plumbing.ObjectType, length uint64) []byte {
	c := byte(kind)<<4 | byte(length&15)
	var b []byte
	for length >>= 4; length > 0; length >>= 7 {
		b = append(b, c|0x80)
		c = byte(length & 0x7f)
	}
	return append(b, c)
}

func deflate(content []byte) []byte {
	var b bytes.Buffer
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// deflaters are costly to make.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// raw appends an entry of which each part is given, and returns where it begins.
func (b *builder) raw(parts ...[]byte) int {
	at := 12 + len(b.body)
	for _, part := range parts {
		b.body = append(b.body, part...)
	}
	b.count++
	return at
}

func (b *builder) whole(kind plumbing.ObjectType, content []byte) int {
	return b.raw(header(kind, uint64(len(content))), deflate(content))
}

// on appends a delta against the entry at base.
func (b *builder) on(base int, delta []byte) int {
	return b.raw(header(plumbing.OFSDeltaObject, uint64(len(delta))), distance(12+len(b.body)-base), deflate(delta))
}

// onID appends a delta against an object by its id.
func (b *builder) onID(base plumbing.Hash, delta []byte) int {
	return b.raw(header(plumbing.REFDeltaObject, uint64(len(delta))), base[:], deflate(delta))
}

func distance(back int) []byte {
	b := []byte{byte(back & 0x7f)}
	for back >>= 7; back > 0; back >>= 7 {
		back--
		b = append([]byte{0x80 | byte(back&0x7f)}, b...)
	}
	return b
}

// pack returns the whole pack.
func (b *builder) pack() []byte { return packOf(b.count, b.body) }

func packOf(count uint32, body []byte) []byte {
	p := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, count)...)
	p = append(p, body...)
	sum := sha1.Sum(p)
	return append(p, sum[:]...)
}

// delta makes a delta that copies the first keep bytes of base and inserts text.
func delta(base []byte, keep int, text string) (d, result []byte) {
	result = append(append([]byte{}, base[:keep]...), text...)
	d = deltaSizes(len(base), len(result))
	for at := 0; at < keep; {
		n := min(keep-at, 0xffff)
		d = append(d, copyOf(at, n)...)
		at += n
	}
	for len(text) > 0 {
		n := min(len(text), 127)
		d = append(append(d, byte(n)), text[:n]...)
		text = text[n:]
	}
	return d, result
}

func deltaSizes(base, result int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(base)), uint64(result))
}

// copyOf is the instruction that copies n bytes of the base, at most 0xffff.
func copyOf(at, n int) []byte {
	return []byte{0xbf, byte(at), byte(at >> 8), byte(at >> 16), byte(at >> 24), byte(n), byte(n >> 8)}
}

func blobID(content []byte) plumbing.Hash { return plumbing.ComputeHash(plumbing.BlobObject, content) }

// receive receives a pack into a new folder.
func receive(t testing.TB, pack []byte, limits gitpack.Limits) (folder string, result gitpack.Result, err error) {
	t.Helper()
	folder = t.TempDir()
	result, err = gitpack.Receive(context.Background(), folder, bytes.NewReader(pack), limits, nil)
	if err != nil {
		wantEmpty(t, folder)
	}
	return folder, result, err
}

// mustReceive returns the folder and what both files have in common.
func mustReceive(t testing.TB, pack []byte, limits gitpack.Limits) (base string) {
	t.Helper()
	folder, result, err := receive(t, pack, limits)
	if err != nil {
		t.Fatal(err)
	}
	if name := "pack-" + hex.EncodeToString(pack[len(pack)-20:]); result.Name != name || result.Bytes != int64(len(pack)) {
		t.Fatalf("got %+v, want %s of %d bytes", result, name, len(pack))
	}
	wantFiles(t, folder, result.Name+".idx", result.Name+".pack")
	return filepath.Join(folder, result.Name)
}

func wantEmpty(t testing.TB, folder string) { t.Helper(); wantFiles(t, folder) }

func wantFiles(t testing.TB, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != strings.Join(want, " ") {
		t.Fatalf("the folder has %q, want %q", got, want)
	}
}

// wantCode fails unless err is an *Error with the code, and its text has says in it.
func wantCode(t testing.TB, err error, code, says string) {
	t.Helper()
	var e *gitpack.Error
	if !errors.As(err, &e) || e.Code() != code || !strings.Contains(e.Error(), says) {
		t.Errorf("got error %v, want %s with %q", err, code, says)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
