package gitpack_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/compose/internal/gitpack"
	"github.com/go-git/go-git/v5/plumbing"
)

func TestReceiveRefuses(t *testing.T) {
	hello := []byte("hello, world\n")
	one := func(parts ...[]byte) []byte {
		var b builder
		b.raw(parts...)
		return b.pack()
	}
	blob := func(content []byte) []byte {
		var b builder
		b.whole(plumbing.BlobObject, content)
		return b.pack()
	}
	onHello := func(d []byte) []byte {
		var b builder
		b.on(b.whole(plumbing.BlobObject, hello), d)
		return b.pack()
	}
	zeros := make([]byte, 1<<20)
	tests := []struct {
		name   string
		pack   []byte
		limits gitpack.Limits
		code   string
		says   string
	}{
		{"nothing", nil, gitpack.Limits{}, gitpack.CodeResponseInvalid, "ends too early"},
		{"half a header", []byte("PACK\x00\x00"), gitpack.Limits{}, gitpack.CodeResponseInvalid, "ends too early"},
		{"no pack", bytes.Repeat([]byte("x"), 64), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no pack of version 2"},
		{"version 3", []byte("PACK\x00\x00\x00\x03\x00\x00\x00\x00"), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no pack of version 2"},
		{"four billion objects", packOf(1<<32-1, nil), gitpack.Limits{}, gitpack.CodeTooLarge, "more objects"},
		{"twenty million objects that are not there", packOf(20_000_000, nil), gitpack.Limits{}, gitpack.CodeResponseInvalid, "object 1 of 20000000"},
		{"more objects than it has", packOf(2, blob(hello)[12:len(blob(hello))-20]), gitpack.Limits{}, gitpack.CodeResponseInvalid, "object 2 of 2"},
		{"fewer objects than it has", packOf(0, blob(hello)[12:len(blob(hello))-20]), gitpack.Limits{}, gitpack.CodeResponseInvalid, "checksum"},
		{"another checksum", append(blob(hello)[:len(blob(hello))-1], 0), gitpack.Limits{}, gitpack.CodeResponseInvalid, "checksum"},
		{"no checksum", blob(hello)[:len(blob(hello))-20], gitpack.Limits{}, gitpack.CodeResponseInvalid, "checksum"},

		{"type 0", one(header(0, 1), deflate([]byte("x"))), gitpack.Limits{}, gitpack.CodeResponseInvalid, "type 0"},
		{"type 5", one(header(5, 1), deflate([]byte("x"))), gitpack.Limits{}, gitpack.CodeResponseInvalid, "type 5"},
		{"a length without end", one(bytes.Repeat([]byte{0xbf}, 40)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no end"},
		{"a length past all bounds", one(header(plumbing.BlobObject, 1<<59), deflate(hello)), gitpack.Limits{}, gitpack.CodeTooLarge, "an object of more bytes"},
		{"no zlib", one(header(plumbing.BlobObject, 5), []byte("hello, world, and all that")), gitpack.Limits{}, gitpack.CodeResponseInvalid, "zlib"},
		{"a preset dictionary", one(header(plumbing.BlobObject, 5), []byte{0x78, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0}), gitpack.Limits{}, gitpack.CodeResponseInvalid, "zlib"},
		{"a damaged stream", one(header(plumbing.BlobObject, 5), []byte{0x78, 0x9c, 0xff, 0xff, 0xff}), gitpack.Limits{}, gitpack.CodeResponseInvalid, "flate"},
		{"another checksum of zlib", one(header(plumbing.BlobObject, 13), append(deflate(hello)[:len(deflate(hello))-1], 0)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "checksum"},
		{"longer than its header", one(header(plumbing.BlobObject, 12), deflate(hello)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "more bytes than its header"},
		{"shorter than its header", one(header(plumbing.BlobObject, 14), deflate(hello)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "fewer bytes than its header"},
		{"a bomb behind a small length", one(header(plumbing.BlobObject, 3), deflate(zeros)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "more bytes than its header"},
		{"a bomb behind no length", one(header(plumbing.BlobObject, 0), deflate(zeros)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "more bytes than its header"},
		{"the same object twice", func() []byte {
			var b builder
			b.whole(plumbing.BlobObject, hello)
			b.whole(plumbing.BlobObject, hello)
			return b.pack()
		}(), gitpack.Limits{}, gitpack.CodeResponseInvalid, blobID(hello).String() + " twice"},
		{"the same object twice, once as a delta", func() []byte {
			var b builder
			d, _ := delta(hello, len(hello), "")
			b.on(b.whole(plumbing.BlobObject, hello), d)
			return b.pack()
		}(), gitpack.Limits{}, gitpack.CodeResponseInvalid, "twice"},

		{"a distance of nothing", one(header(plumbing.OFSDeltaObject, 4), []byte{0}, deflate([]byte("aaaa"))), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no entry before it"},
		{"a distance to before the pack", one(header(plumbing.OFSDeltaObject, 4), distance(1000), deflate([]byte("aaaa"))), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no entry before it"},
		{"a distance to the header", one(header(plumbing.OFSDeltaObject, 4), distance(12), deflate([]byte("aaaa"))), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no entry before it"},
		{"a distance without end", one(header(plumbing.OFSDeltaObject, 4), bytes.Repeat([]byte{0xff}, 40)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no end"},
		{"a distance into an entry", func() []byte {
			var b builder
			d, _ := delta(hello, 4, "x")
			b.on(b.whole(plumbing.BlobObject, hello)+1, d)
			return b.pack()
		}(), gitpack.Limits{}, gitpack.CodeResponseInvalid, "no entry before it"},
		{"a base that is not there", func() []byte {
			var b builder
			d, _ := delta(hello, 4, "x")
			b.onID(blobID(hello), d)
			return b.pack()
		}(), gitpack.Limits{}, gitpack.CodeResponseInvalid, "1 deltas have no base in it, such as " + blobID(hello).String()},
		{"a circle of deltas", func() []byte {
			var b builder
			first, second := append(hello, "first"...), append(hello, "second"...)
			d, _ := delta(second, len(hello), "first")
			b.onID(blobID(second), d)
			d, _ = delta(first, len(hello), "second")
			b.onID(blobID(first), d)
			return b.pack()
		}(), gitpack.Limits{}, gitpack.CodeResponseInvalid, "circle"},
		{"a delta that is its own base", func() []byte {
			var b builder
			d, _ := delta(hello, len(hello), "")
			b.onID(blobID(hello), d)
			return b.pack()
		}(), gitpack.Limits{}, gitpack.CodeResponseInvalid, "circle"},
		{"a delta for another base", onHello(append(deltaSizes(14, 1), 1, 'x')), gitpack.Limits{}, gitpack.CodeResponseInvalid, "a delta on the object at byte 12"},
		{"a delta without sizes", onHello([]byte{0x80}), gitpack.Limits{}, gitpack.CodeResponseInvalid, "without"},
		{"an empty delta", onHello(nil), gitpack.Limits{}, gitpack.CodeResponseInvalid, "without"},
		{"a delta that copies from outside", onHello(append(deltaSizes(13, 10), copyOf(5, 10)...)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "outside its base"},
		{"a delta that makes more", onHello(append(deltaSizes(13, 3), copyOf(0, 10)...)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "more than it says"},
		{"a delta that makes less", onHello(append(deltaSizes(13, 30), copyOf(0, 10)...)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "ends too early"},
		{"a delta with more behind", onHello(append(deltaSizes(13, 10), append(copyOf(0, 10), 1, 'x')...)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "behind its end"},
		{"a delta with instruction 0", onHello(append(deltaSizes(13, 10), 0)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "instruction that is none"},
		{"a delta that claims terabytes", onHello(append(deltaSizes(13, 1<<42), copyOf(0, 10)...)), gitpack.Limits{}, gitpack.CodeTooLarge, "an object of more bytes"},
		{"a delta that claims half a gigabyte", onHello(append(deltaSizes(13, 512<<20), copyOf(0, 10)...)), gitpack.Limits{}, gitpack.CodeResponseInvalid, "ends too early"},

		{"bytes", blob(hello), gitpack.Limits{Bytes: int64(len(blob(hello))) - 1}, gitpack.CodeTooLarge, "more bytes than the bound"},
		{"bytes within an object", blob(random(1 << 20)), gitpack.Limits{Bytes: 100}, gitpack.CodeTooLarge, "more bytes than the bound of 100"},
		{"objects", onHello(append(deltaSizes(13, 10), copyOf(0, 10)...)), gitpack.Limits{Objects: 1}, gitpack.CodeTooLarge, "more objects, 2,"},
		{"an object", blob(hello), gitpack.Limits{Object: 12}, gitpack.CodeTooLarge, "an object of more bytes than the bound of 12"},
		{"an object that a delta makes", onHello(append(deltaSizes(13, 20), append(copyOf(0, 10), copyOf(0, 10)...)...)), gitpack.Limits{Object: 19}, gitpack.CodeTooLarge, "an object of more bytes than the bound of 19"},
		{"all objects", onHello(append(deltaSizes(13, 10), copyOf(0, 10)...)), gitpack.Limits{Total: 31}, gitpack.CodeTooLarge, "in all its objects"},
		{"all deltas", func() []byte {
			var b builder
			for range 16 {
				b.onID(blobID(hello), append(deltaSizes(1, 1), zeros...)) // nothing is ever built of it
			}
			return b.pack()
		}(), gitpack.Limits{Total: 10 << 20}, gitpack.CodeTooLarge, "in all its objects and deltas"},
		{"memory", func() []byte {
			var b builder
			d, next := delta(zeros, len(zeros), "1")
			at := b.on(b.whole(plumbing.BlobObject, zeros), d)
			d, _ = delta(next, len(zeros), "2")
			b.on(at, d)
			return b.pack()
		}(), gitpack.Limits{Memory: 2 << 20}, gitpack.CodeTooLarge, "memory"},
		{"depth", chain(5, false), gitpack.Limits{Depth: 4}, gitpack.CodeTooLarge, "on top of one another than the bound of 4"},
		{"depth of deltas by id", chain(5, true), gitpack.Limits{Depth: 4}, gitpack.CodeTooLarge, "on top of one another than the bound of 4"},
		{"the usual depth", chain(4096, false), gitpack.Limits{}, gitpack.CodeTooLarge, "4095"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, result, err := receive(t, tt.pack, tt.limits)
			if err == nil {
				t.Fatalf("got %+v, want an error", result)
			}
			wantCode(t, err, tt.code, tt.says)
		})
	}
}

// A whole object that is read again and again, since memory is short, is work as well.
func TestReceiveBoundsReading(t *testing.T) {
	const n, size = 20, 1 << 20
	var b builder
	base := random(size)
	at := b.whole(plumbing.BlobObject, base)
	for i := range n { // each has one on it that has one on it, and there is no room for three
		d, first := delta(base, 0, fmt.Sprintf("first %04d", i))
		onFirst := b.on(at, d)
		d, second := delta(first, 0, fmt.Sprintf("second %03d", i))
		onSecond := b.on(onFirst, d)
		d, _ = delta(second, 0, fmt.Sprintf("third %04d", i))
		b.on(onSecond, d)
	}
	mustReceive(t, b.pack(), gitpack.Limits{Memory: size + 15, Total: 30 * size})
	_, _, err := receive(t, b.pack(), gitpack.Limits{Memory: size + 15, Total: 5 * size})
	wantCode(t, err, gitpack.CodeTooLarge, "work")
}

// What a bound allows is taken.
func TestReceiveWithinLimits(t *testing.T) {
	pack := chain(5, false)
	mustReceive(t, pack, gitpack.Limits{Bytes: int64(len(pack)), Objects: 6, Object: 16, Total: 6*11 + 5*16, Depth: 5, Memory: 22})
	mustReceive(t, chain(4095, false), gitpack.Limits{})
	mustReceive(t, chain(4095, true), gitpack.Limits{})
}

// chain is a pack of a blob and n deltas, each on the one before, of 11 bytes each.
func chain(n int, byID bool) []byte {
	var b builder
	content := []byte("base......x")
	at := b.whole(plumbing.BlobObject, content)
	for i := range n {
		d, next := delta(content, 5, fmt.Sprintf("%06d", i))
		if byID {
			b.onID(blobID(content), d)
		} else {
			at = b.on(at, d)
		}
		content = next
	}
	return b.pack()
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.New(rand.NewSource(1)).Read(b)
	return b
}

// Every cut of a pack is refused, wherever it is.
func TestReceiveCut(t *testing.T) {
	pack := chain(3, true)
	for n := range pack {
		_, _, err := receive(t, pack[:n], gitpack.Limits{})
		wantCode(t, err, gitpack.CodeResponseInvalid, "ends too early")
	}
}

// A damaged byte is never taken, wherever it is; with a checksum that fits it may make another pack, which then is one.
func TestReceiveDamagedByte(t *testing.T) {
	pack := chain(3, false)
	step := 1
	if testing.Short() {
		step = 5
	}
	for n := 0; n < len(pack); n += step {
		for _, bit := range []byte{1, 0x80} {
			damaged := bytes.Clone(pack)
			damaged[n] ^= bit
			if _, _, err := receive(t, damaged, gitpack.Limits{}); err == nil {
				t.Errorf("byte %d is taken with bit %x changed", n, bit)
			}
			if n >= len(pack)-20 {
				continue
			}
			sum := sha1.Sum(damaged[:len(pack)-20])
			copy(damaged[len(pack)-20:], sum[:])
			folder, result, err := receive(t, damaged, gitpack.Limits{})
			if err == nil && result.Objects > 0 {
				if err := gitpack.Check(context.Background(), filepath.Join(folder, result.Name), gitpack.Limits{}); err != nil {
					t.Errorf("byte %d: %v", n, err)
				}
			}
		}
	}
}

// What the hash reports ends the pack. No known collision is one of git objects, whose headers come first: that it
// reports is tested where it is from.
func TestReceiveCollision(t *testing.T) {
	if err := gitpack.ReportCollision(); err == nil || !strings.Contains(err.Error(), "SHA-1 of another object") {
		t.Errorf("got %v", err)
	}
}

// What can't be read again is no damage of the pack.
func TestReceiveReadError(t *testing.T) {
	var large builder
	content := random(2 << 20)
	d, _ := delta(content, len(content), "x")
	large.on(large.whole(plumbing.BlobObject, content), d)
	var named builder
	d, _ = delta([]byte("hello"), 5, strings.Repeat("x", 100))
	named.whole(plumbing.BlobObject, []byte("hello"))
	named.onID(blobID([]byte("hello")), d)
	for name, pack := range map[string][]byte{"small": chain(3, false), "large": large.pack(), "by id": named.pack()} {
		for bad := range 4 {
			err := gitpack.ResolveFrom(pack, &broken{bytes.NewReader(pack), bad, errors.New("the disk is dead")})
			if err != nil {
				wantCode(t, err, gitpack.CodeReadFailed, "the disk is dead")
			}
			if bad < 2 && err == nil {
				t.Errorf("%s: no error", name)
			}
			if err := gitpack.ResolveFrom(pack, &broken{bytes.NewReader(pack), bad, io.EOF}); err != nil {
				wantCode(t, err, gitpack.CodeReadFailed, "ends too early")
			}
		}
	}
}

// broken fails after so many reads.
type broken struct {
	io.ReaderAt
	left int
	err  error
}

func (f *broken) ReadAt(p []byte, at int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, at)
}

// Errors of the source come back as they are, at any byte.
func TestReceiveSourceError(t *testing.T) {
	pack := chain(3, true)
	lost := errors.New("the line is dead")
	for n := range pack {
		folder := t.TempDir()
		_, err := gitpack.Receive(context.Background(), folder, io.MultiReader(bytes.NewReader(pack[:n]), iotest.ErrReader(lost)), gitpack.Limits{}, nil)
		if err != lost {
			t.Fatalf("after %d bytes: got %v", n, err)
		}
		wantEmpty(t, folder)
	}
}

func TestReceiveEndsWithContext(t *testing.T) {
	pack := chain(50, false)
	for _, n := range []int{0, 1, 100, len(pack) - 1} {
		ctx, cancel := context.WithCancel(context.Background())
		folder := t.TempDir()
		got := 0
		_, err := gitpack.Receive(ctx, folder, iotest.OneByteReader(bytes.NewReader(pack)), gitpack.Limits{}, func(int64) {
			if got++; got > n {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d bytes: got %v", n, err)
		}
		wantEmpty(t, folder)
	}
}

func TestReceiveCantWrite(t *testing.T) {
	pack := chain(3, false)
	name := "pack-" + hex.EncodeToString(pack[len(pack)-20:])
	receiveInto := func(folder string) error {
		_, err := gitpack.Receive(context.Background(), folder, bytes.NewReader(pack), gitpack.Limits{}, nil)
		return err
	}
	wantCode(t, receiveInto(filepath.Join(t.TempDir(), "nowhere")), gitpack.CodeWriteFailed, "nowhere")

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantCode(t, receiveInto(file), gitpack.CodeWriteFailed, "file")

	// A folder is in the place of the pack, or of the index.
	for extension, left := range map[string][]string{".pack": {name + ".pack"}, ".idx": {name + ".idx", name + ".pack"}} {
		folder := t.TempDir()
		if err := os.MkdirAll(filepath.Join(folder, name+extension, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		wantCode(t, receiveInto(folder), gitpack.CodeWriteFailed, name+extension)
		wantFiles(t, folder, left...)
	}
}
