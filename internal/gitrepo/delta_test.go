package gitrepo_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// FuzzDelta holds what is made of a delta against go-git.
func FuzzDelta(f *testing.F) {
	base := []byte("0123456789abcdefghij")
	f.Add(base, []byte("\x14\x06\x90\x03\x03xyz"), uint16(0))
	f.Add(base, []byte("\x14\x19\x91\x05\x0a\x0fxxxxxxxxxxxxxxx"), uint16(2))
	f.Add(base, []byte("\x14\x80\x02"), uint16(9))
	f.Add(base, []byte("\x14\x05\x80"), uint16(9))
	f.Add([]byte{}, []byte("\x00\x00"), uint16(0))
	f.Fuzz(func(t *testing.T, base, delta []byte, window uint16) {
		got, err := gitrepo.ApplyDelta(base, delta, gitrepo.MinDeltaWindow+int(window))
		// go-git takes sizes that have no end, and no empty base.
		rest := delta
		for range 2 {
			n, used := binary.Uvarint(rest)
			if used <= 0 || n > 1<<20 || len(base) == 0 {
				return
			}
			rest = rest[used:]
		}
		want, wantErr := packfile.PatchDelta(base, delta)
		if (err != nil) != (wantErr != nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("got %q, %v; go-git %q, %v", got, err, want, wantErr)
		}
	})
}

// deltaOf makes the delta from base bytes to a result of size bytes, of copies of [offset, offset+length) and texts.
func deltaOf(base, size int, parts ...any) string {
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(base)), uint64(size))
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			delta = append(append(delta, byte(len(part))), part...)
		case [2]int:
			for offset, left := part[0], part[1]; left > 0; {
				n := min(left, 0xffffff)
				delta = append(delta, 0xff)
				delta = binary.LittleEndian.AppendUint32(delta, uint32(offset))
				delta = append(delta, byte(n), byte(n>>8), byte(n>>16))
				offset, left = offset+n, left-n
			}
		}
	}
	return string(delta)
}

// entry returns the header and content of a pack entry; base is the id of a delta's base.
func entry(kind plumbing.ObjectType, content, base string) [2]string {
	head := entryHead(kind, len(content))
	if base != "" {
		id := plumbing.NewHash(base)
		head = append(head, id[:]...)
	}
	return [2]string{string(head), content}
}

func entryHead(kind plumbing.ObjectType, length int) []byte {
	head := []byte{byte(kind)<<4 | byte(length&15)}
	for length >>= 4; length > 0; length >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(length&0x7f))
	}
	return head
}

// randomText does not compress.
func randomText(size int) string {
	text := make([]byte, size)
	rand.New(rand.NewSource(1)).Read(text)
	return string(text)
}

// chain is a pack with one chain of deltas: whole, then as many blobs as deltas. Only the last one has its true id.
func (g *gitRepo) chain(whole string, deltas []string, last string) {
	ids := []string{fmt.Sprintf("%x", sha1.Sum([]byte("base")))}
	entries := [][2]string{entry(plumbing.BlobObject, whole, "")}
	for i, delta := range deltas {
		entries = append(entries, entry(plumbing.REFDeltaObject, delta, ids[i]))
		ids = append(ids, fmt.Sprintf("%x", sha1.Sum([]byte(delta))))
	}
	ids[len(ids)-1] = last
	g.packOf(ids, entries)
}

// allocated returns how many bytes run asks for.
func allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// doubling is a chain whose objects double from 64 KiB up to size bytes; the last one has 5.
func doubling(size int) (whole string, deltas []string) {
	const first = 64 << 10
	for n := first; n < size; n *= 2 {
		deltas = append(deltas, deltaOf(n, 2*n, [2]int{0, n}, [2]int{0, n}))
	}
	return strings.Repeat("A", first), append(deltas, deltaOf(size, 5, [2]int{0, 5}))
}

func blobID(content string) string {
	return plumbing.ComputeHash(plumbing.BlobObject, []byte(content)).String()
}

// Not t.Parallel: it measures.
func TestDeltaChainBombs(t *testing.T) {
	ctx := context.Background()
	const KiB, MiB = 1 << 10, 1 << 20
	var long []string
	for i := range 3000 { // ids are made of deltas, so each is another one
		long = append(long, deltaOf(2*MiB, 2*MiB, [2]int{1 + i, 2*MiB - 1 - i}, [2]int{0, 1 + i}))
	}
	tests := []struct {
		name  string
		build func(g *gitRepo)
		most  uint64 // bytes that may be allocated
		says  string
	}{
		{"objects that double to 512 MiB", func(g *gitRepo) {
			whole, deltas := doubling(512 * MiB)
			g.chain(whole, deltas, blobID("AAAAA"))
		}, 32 * MiB, "an object of 536870912 bytes"},
		{"objects that double to 1 GiB", func(g *gitRepo) {
			whole, deltas := doubling(1024 * MiB)
			g.chain(whole, deltas, blobID("AAAAA"))
		}, 32 * MiB, "an object of 536870912 bytes"},
		{"a large base", func(g *gitRepo) {
			// Its bytes are not there: they are not looked at.
			base := fmt.Sprintf("%040x", 1)
			whole := entry(plumbing.BlobObject, randomText(300*KiB), "")
			whole[0] = string(entryHead(plumbing.BlobObject, 257*MiB))
			g.packOf([]string{base, blobID("AAAAA")}, [][2]string{whole, entry(plumbing.REFDeltaObject, deltaOf(257*MiB, 5, [2]int{0, 5}), base)})
		}, 1 * MiB, "an object of 269484032 bytes"},
		{"many objects", func(g *gitRepo) {
			whole, deltas := doubling(2 * MiB)
			deltas = append(append(deltas[:len(deltas)-1:len(deltas)-1], long...), deltas[len(deltas)-1])
			g.chain(whole, deltas, blobID("AAAAA"))
		}, 5 << 30, "together"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.most > 1<<30 && !*full {
				t.Skip("slow; -git.full")
			}
			g := newGit(t)
			tt.build(g)
			r := mustOpen(t, g.path)
			var err error
			n := allocated(func() { _, err = r.Blob(ctx, plumbing.NewHash(blobID("AAAAA")), 1*MiB) })
			if text := wantCode(t, err, gitrepo.CodeSourceTooLarge); !strings.Contains(text, tt.says) || !strings.Contains(text, "repack") {
				t.Errorf("the message lacks %q or what to do: %s", tt.says, text)
			}
			if n > tt.most {
				t.Errorf("%d KiB were allocated, want at most %d", n/KiB, tt.most/KiB)
			}
			if used := r.Memory(); used != 0 {
				t.Errorf("%d bytes of the budget are not released", used)
			}
		})
	}
}

// Large objects are right, and what is held to build them is two objects of their chain, and one for a single delta.
func TestLargeDeltas(t *testing.T) {
	ctx := context.Background()
	const MiB = 1 << 20
	const size = 9 * MiB
	whole := randomText(size)
	turn := func(n int) string { return deltaOf(size, size, [2]int{n, size - n}, [2]int{0, n}) } // rotates
	tests := []struct {
		name   string
		deltas []string
		last   string
		most   uint64
	}{
		{"one delta", []string{deltaOf(size, size, "edited", [2]int{6, size - 6})}, "edited" + whole[6:], size + 2*MiB},
		{"a delta that is large itself", []string{deltaOf(size, size, append(inserts(whole[:size/2]), [2]int{0, size / 2})...)},
			whole[:size/2] + whole[:size/2], size + 2*MiB},
		{"a chain", []string{turn(1), turn(2), turn(3), turn(4)}, whole[10:] + whole[:10], 2*size + 2*MiB},
		{"a chain that grows and shrinks", []string{
			deltaOf(size, 2*size, [2]int{0, size}, [2]int{0, size}), deltaOf(2*size, size, [2]int{size, size}), turn(7), deltaOf(size, 5, [2]int{0, 5})},
			whole[7:12], 3*size + 2*MiB},
	}
	if testing.Short() {
		tests = tests[2:]
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGit(t)
			g.chain(whole, tt.deltas, blobID(tt.last))
			r, id := mustOpen(t, g.path), plumbing.NewHash(blobID(tt.last))
			h := plumbing.NewHasher(plumbing.BlobObject, int64(len(tt.last)))
			n := allocated(func() {
				stream, err := r.OpenBlob(ctx, id, size)
				g.must(err)
				defer stream.Close()
				if _, err := io.Copy(h, stream); err != nil {
					t.Error(err)
				}
			})
			if h.Sum() != id {
				t.Error("other bytes")
			}
			if n > tt.most {
				t.Errorf("%d KiB were allocated, want at most %d", n>>10, tt.most>>10)
			}
			if blob, err := r.Blob(ctx, id, size); err != nil || string(blob) != tt.last {
				t.Errorf("%d bytes, %v", len(blob), err)
			}
		})
	}
}

// inserts is a text as insertions.
func inserts(text string) (parts []any) {
	for len(text) > 0 {
		n := min(len(text), 127)
		parts = append(parts, text[:n])
		text = text[n:]
	}
	return parts
}

// Readers of large deltas wait for one another, until their context ends.
func TestLargeDeltasShareMemory(t *testing.T) {
	t.Parallel()
	const size = 9 << 20
	g := newGit(t)
	whole := strings.Repeat("0123456789abcdef", size/16)
	id := plumbing.NewHash(blobID("edited" + whole[6:]))
	g.chain(whole, []string{deltaOf(size, size, "edited", [2]int{6, size - 6})}, id.String())
	r := mustOpen(t, g.path)
	r.SetMemory(size + size/2)
	ctx := context.Background()
	read := func(ctx context.Context, n int64) (io.Closer, error) {
		stream, err := r.OpenBlob(ctx, id, size)
		if err != nil {
			return nil, err
		}
		_, err = io.CopyN(io.Discard, stream, n)
		return stream, err
	}
	first, err := read(ctx, 1)
	g.must(err)
	ended, cancel := context.WithCancel(ctx)
	defer cancel()
	second := make(chan error, 1)
	go func() {
		stream, err := read(ended, 1)
		if stream != nil {
			stream.Close()
		}
		second <- err
	}()
	for r.MemoryWaiters() == 0 {
		select {
		case err := <-second:
			t.Fatalf("got %v, want that it waits", err)
		default:
			runtime.Gosched()
		}
	}
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it ends", err)
	}
	g.must(first.Close())
	// Read to its end a stream holds nothing, open or not.
	for range 2 {
		stream, err := read(ctx, size+1)
		if err != io.EOF {
			t.Fatal(err)
		}
		defer stream.Close()
	}
	var readers sync.WaitGroup
	for range 6 {
		readers.Go(func() {
			if _, err := r.Blob(ctx, id, size); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	if used := r.Memory(); used != 0 {
		t.Errorf("%d bytes are not released", used)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	const size = 100
	b := gitrepo.NewBudget(size)
	rng := rand.New(rand.NewSource(1))
	var used atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		wants := rng.Perm(50)
		workers.Go(func() {
			for i, n := range wants {
				ctx, cancel := context.WithCancel(context.Background())
				if i%5 == 0 {
					go cancel()
				}
				share, err := b.Acquire(ctx, int64(n*3)) // some more than there is
				if err == nil {
					if now := used.Add(share); now > size {
						t.Errorf("%d are used", now)
					}
					runtime.Gosched()
					used.Add(-share)
					b.Release(share)
				}
				cancel()
			}
		})
	}
	workers.Wait()
	if !b.Idle() {
		t.Error("something is left")
	}
}

// Who waits is served in turn, and who does not wait any longer is passed over, wherever they stand in the line, also where
// their turn comes as they leave.
func TestBudgetInLine(t *testing.T) {
	t.Parallel()
	const size, line = 100, 5
	for leaves := range line {
		for _, served := range []bool{false, true} { // the share is released before the context ends
			b := gitrepo.NewBudget(size)
			first, err := b.Acquire(context.Background(), size)
			if err != nil || first != size {
				t.Fatal(first, err)
			}
			type outcome struct {
				who   int
				share int64
				err   error
			}
			outcomes := make(chan outcome)
			ctx, cancel := context.WithCancel(context.Background())
			for who := range line {
				own := context.Background()
				if who == leaves {
					own = ctx
				}
				go func() {
					share, err := b.Acquire(own, size-10)
					outcomes <- outcome{who, share, err}
				}()
				for b.Waiting() != who+1 {
					runtime.Gosched()
				}
			}
			left := line
			if served {
				b.Release(first)
				cancel()
			} else {
				cancel()
				if got := <-outcomes; got.who != leaves || !errors.Is(got.err, context.Canceled) {
					t.Errorf("%d leaves: got %+v", leaves, got)
				}
				left--
				b.Release(first)
			}
			for next := 0; left > 0; left-- {
				got := <-outcomes
				if got.who == leaves { // whether its turn or its end comes first, the system decides
					if got.err == nil {
						b.Release(got.share)
					} else if !served || !errors.Is(got.err, context.Canceled) {
						t.Errorf("%d leaves: got %+v", leaves, got)
					}
					continue
				}
				if next == leaves {
					next++
				}
				if got.who != next || got.err != nil || got.share != size-10 {
					t.Errorf("%d leaves: %d has its turn, got %+v", leaves, next, got)
				}
				next++
				b.Release(got.share)
			}
			cancel()
			if !b.Idle() {
				t.Errorf("%d leaves: something is left", leaves)
			}
		}
	}
}
