package gitrepo_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"fmt"
	"io"
	"math/bits"
	"math/rand"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
)

// deflated is what compress/zlib makes of content.
func deflated(tb testing.TB, content []byte, level int) []byte {
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, level)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// source is size bytes that look like source text.
func source(size int) []byte {
	words := strings.Fields("func return if err nil the of and to in is for range string int byte error package import struct interface " +
		"compose digest revision destination catalog component recipe material marker conflict planner resolver")
	rng := rand.New(rand.NewSource(1))
	var text bytes.Buffer
	for text.Len() < size {
		for range 1 + rng.Intn(9) {
			fmt.Fprintf(&text, "%s ", words[rng.Intn(len(words))])
		}
		fmt.Fprintf(&text, "%x\n%s", rng.Intn(1000), strings.Repeat("\t", rng.Intn(3)))
	}
	return text.Bytes()[:size]
}

func BenchmarkInflate(b *testing.B) {
	for _, size := range []int{300, 7 << 10, 100 << 10, 1 << 20} {
		content := source(size)
		stream := deflated(b, content, zlib.DefaultCompression)
		name := fmt.Sprintf("size=%d", size)
		b.Run("inflater/"+name, func(b *testing.B) {
			var f gitrepo.RawInflater
			b.SetBytes(int64(size))
			b.ReportAllocs()
			dst := make([]byte, size, size+gitrepo.InflateSlack)
			for b.Loop() {
				if _, ok := f.Inflate(dst, stream); !ok {
					b.Fatal("refused")
				}
			}
			if !bytes.Equal(dst, content) {
				b.Error("other bytes")
			}
		})
		b.Run("compress-flate/"+name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			dst := make([]byte, size)
			var in bytes.Reader
			r := flate.NewReader(&in)
			for b.Loop() {
				in.Reset(stream[2:])
				r.(flate.Resetter).Reset(&in, nil)
				if _, err := io.ReadFull(r, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzInflater holds the inflater against compress/zlib: it makes the same bytes, or refuses.
func FuzzInflater(f *testing.F) {
	for _, content := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("ab"), 500), source(3000), randomBytes(700)} {
		for _, level := range []int{zlib.HuffmanOnly, zlib.NoCompression, zlib.BestSpeed, zlib.BestCompression} {
			f.Add(deflated(f, content, level), uint16(len(content)), uint16(0))
		}
	}
	f.Add([]byte("\x78\x9c\x05\xe0\x81\x08\x00\x00\x00\x00\x20\x7f\xeb\x0b"), uint16(0), uint16(300))
	f.Fuzz(func(t *testing.T, stream []byte, size, slack uint16) {
		var in gitrepo.RawInflater
		whole, err := io.ReadAll(io.LimitReader(raw(stream), 1<<20))
		dst := make([]byte, size, int(size)+int(slack))
		used, ok := in.Inflate(dst, stream)
		switch {
		case !ok:
		case err != nil:
			t.Fatalf("takes what compress/flate refuses: %v", err)
		case !bytes.Equal(dst, whole) || used > len(stream):
			t.Fatalf("%d bytes of %d, other than the %d of compress/flate", len(dst), used, len(whole))
		}
		filled, ok := in.InflateHead(dst, stream)
		begun, err := io.ReadAll(io.LimitReader(raw(stream), int64(size)))
		// What compress/flate made last before it met a fault, it keeps.
		if ok && !bytes.Equal(dst[:filled], begun) && (err == nil || !bytes.HasPrefix(dst[:filled], begun)) {
			t.Fatalf("it begins with %q, not %q", dst[:filled], begun)
		}
	})
}

// raw is compress/flate on a zlib stream, whose checksum it does not look at.
func raw(stream []byte) io.Reader {
	if len(stream) < 2 {
		return strings.NewReader("")
	}
	return flate.NewReader(bytes.NewReader(stream[2:]))
}

func randomBytes(size int) []byte {
	b := make([]byte, size)
	rand.New(rand.NewSource(int64(size))).Read(b)
	return b
}

// What compress/zlib writes is never refused: at no level, of no kind of content, at no size, with slack or without. A byte that is
// missing, on either side, is.
func TestInflater(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(n int) []byte{
		"text":   source,
		"random": randomBytes,
		"zeros":  func(n int) []byte { return make([]byte, n) },
		"pairs":  func(n int) []byte { return bytes.Repeat([]byte("ab"), n)[:n] },
		"near":   func(n int) []byte { return bytes.Repeat([]byte("1234567"), n)[:n] },
		"skewed": func(n int) []byte { // codes of all lengths
			b := randomBytes(n)
			for i := range b {
				b[i] = byte(bits.TrailingZeros64(uint64(b[i])<<8|1<<20|uint64(i)*7)) * b[i] / 3
			}
			return b
		},
		"far": func(n int) []byte { // matches at the largest distance
			block := randomBytes(32<<10 - 1)
			return bytes.Repeat(append(block, 'x'), n/(32<<10)+1)[:n]
		},
	}
	sizes := []int{0, 1, 2, 7, 8, 9, 257, 258, 259, 300, 5000, 70_000}
	var f gitrepo.RawInflater
	for name, kind := range kinds {
		for _, size := range sizes {
			content := kind(size)
			for _, level := range []int{zlib.HuffmanOnly, zlib.NoCompression, zlib.BestSpeed, zlib.DefaultCompression, zlib.BestCompression} {
				stream := deflated(t, content, level)
				for _, slack := range []int{0, 1, gitrepo.InflateSlack, gitrepo.InflateSlack + 1} {
					dst := make([]byte, size, size+slack)
					if used, ok := f.Inflate(dst, stream); !ok || used != len(stream)-4 || !bytes.Equal(dst, content) {
						t.Fatalf("%s, %d bytes, level %d, slack %d: refused, or other bytes (%d of %d used)", name, size, level, slack, used, len(stream))
					}
					// What follows is another's.
					if used, ok := f.Inflate(dst, append(stream[:len(stream):len(stream)], content...)); !ok || used != len(stream)-4 || !bytes.Equal(dst, content) {
						t.Fatalf("%s, %d bytes, level %d, slack %d: refused, or other bytes, with more behind it", name, size, level, slack)
					}
					if _, ok := f.Inflate(dst[:size:size], stream[:len(stream)-5]); ok {
						t.Fatalf("%s, %d bytes, level %d: takes a stream that is cut off", name, size, level)
					}
					if _, ok := f.Inflate(make([]byte, size+1, size+1+slack), stream); ok {
						t.Fatalf("%s, %d bytes, level %d: takes a stream that is too short", name, size, level)
					}
					if size == 0 {
						continue
					}
					if _, ok := f.Inflate(make([]byte, size-1, size+slack), stream); ok {
						t.Fatalf("%s, %d bytes, level %d: takes a stream that is too long", name, size, level)
					}
					head := make([]byte, min(20, size-1), size+slack)
					if filled, ok := f.InflateHead(head, stream); !ok || filled != len(head) || !bytes.HasPrefix(content, head) {
						t.Fatalf("%s, %d bytes, level %d: it begins with %q", name, size, level, head[:filled])
					}
				}
			}
		}
	}
}

// Not t.Parallel: it counts.
func TestInflaterAllocations(t *testing.T) {
	content := source(9000)
	stream := deflated(t, content, zlib.DefaultCompression)
	dst := make([]byte, len(content), len(content)+gitrepo.InflateSlack)
	var f gitrepo.RawInflater
	if n := testing.AllocsPerRun(20, func() { f.Inflate(dst, stream) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
