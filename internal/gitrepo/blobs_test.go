package gitrepo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
)

// readBlobs returns what Blobs hands out, by index: the bytes, or "CODE: " and why not.
func readBlobs(t testing.TB, r *gitrepo.Repository, ids []plumbing.Hash, limit int64) []string {
	t.Helper()
	got := make([]string, len(ids))
	visited := make([]int, len(ids))
	if err := r.Blobs(context.Background(), ids, limit, func(i int, b *gitrepo.BlobContent, err error) error {
		visited[i]++
		if err != nil {
			got[i] = err.(*gitrepo.Error).Code() + ": " + err.Error()
			return nil
		}
		var text strings.Builder
		n, err := b.WriteTo(&text)
		if err != nil || n != b.Size || b.Bytes != nil && string(b.Bytes) != text.String() || (b.Bytes == nil) != (n > 512<<10) {
			t.Errorf("%s: %d bytes of %d, %d held, %v", ids[i], n, b.Size, len(b.Bytes), err)
		}
		got[i] = text.String()
		return nil
	}); err != nil {
		t.Error(err)
	}
	for i, n := range visited {
		if n != 1 {
			t.Errorf("%d is visited %d times", i, n)
		}
	}
	return got
}

// readOneByOne is readBlobs by Blob.
func readOneByOne(r *gitrepo.Repository, ids []plumbing.Hash, limit int64) []string {
	var got []string
	for _, id := range ids {
		b, err := r.Blob(context.Background(), id, limit)
		if err != nil {
			got = append(got, err.(*gitrepo.Error).Code()+": "+err.Error())
			continue
		}
		got = append(got, string(b))
	}
	return got
}

// grown is a repository with revisions of some files, so that git makes deltas, and the ids of all blobs.
func grown(t testing.TB, files, revisions, size int) (*gitRepo, []plumbing.Hash) {
	g := newGit(t)
	text := string(source(size * files))
	var ids []plumbing.Hash
	for rev := range revisions {
		for i := range files {
			own := text[i*size : (i+1)*size]
			at := size * rev / revisions
			g.write(fmt.Sprintf("d%d/f%d", i%7, i), own[:at]+fmt.Sprintf("revision %d of %d", rev, i)+own[at:])
		}
		g.commit(fmt.Sprint(rev))
		for _, id := range strings.Fields(g.run("ls-tree", "-r", "--object-only", "HEAD")) {
			ids = append(ids, plumbing.NewHash(id))
		}
	}
	return g, ids
}

// Blobs hands out what Blob returns, whatever the objects are stored as.
func TestBlobs(t *testing.T) {
	t.Parallel()
	g, ids := grown(t, 20, 8, 3000)
	g.write("empty", "")
	g.write("large", strings.Repeat("0123456789abcdef", 100_000))
	g.write("large too", strings.Repeat("0123456789abcdef", 100_000)+"x")
	g.commit("odd")
	more := strings.Fields(g.run("rev-parse", "HEAD:empty", "HEAD:large", "HEAD:large too", "HEAD:d1", "HEAD", "HEAD:empty"))
	for _, id := range append(more, strings.Repeat("ba", 20), g.putObject(plumbing.BlobObject, "loose")) {
		ids = append(ids, plumbing.NewHash(id))
	}
	ids = append(ids, ids[:5]...)
	for _, stored := range []string{"loose", "packed", "a long chain", "two packs"} {
		switch stored {
		case "packed":
			g.run("repack", "-q", "-a", "-d", "-f", "--window=10", "--depth=3")
		case "a long chain":
			g.run("-c", "pack.threads=1", "repack", "-q", "-a", "-d", "-f", "--window=50", "--depth=50")
		case "two packs":
			g.write("new", "new")
			g.commit("new")
			g.run("repack", "-q")
			ids = append(ids, plumbing.NewHash(g.run("rev-parse", "HEAD:new")))
		}
		for _, limit := range []int64{1 << 30, 2000} {
			got, want := readBlobs(t, mustOpen(t, g.path), ids, limit), readOneByOne(mustOpen(t, g.path), ids, limit)
			for i := range ids {
				if got[i] != want[i] {
					t.Errorf("%s, %s: got %.100q, want %.100q", stored, ids[i], got[i], want[i])
				}
			}
		}
	}
	if got := readBlobs(t, mustOpen(t, g.path), nil, 1); len(got) != 0 {
		t.Error(got)
	}
}

func TestBlobsInMemory(t *testing.T) {
	t.Parallel()
	s := memory.NewStorage()
	ids := []plumbing.Hash{put(t, s, plumbing.BlobObject, "one"), {1}, put(t, s, plumbing.BlobObject, "two"), put(t, s, plumbing.TreeObject, "")}
	r := gitrepo.InMemory(s, "")
	if got, want := readBlobs(t, r, ids, 100), readOneByOne(r, ids, 100); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The error is that of the lowest index, whichever is met first, and ends the reading.
func TestBlobsErrors(t *testing.T) {
	t.Parallel()
	g, ids := grown(t, 10, 4, 500)
	g.run("repack", "-q", "-a", "-d", "-f")
	r := mustOpen(t, g.path)
	ctx := context.Background()
	for _, fails := range [][]int{{0}, {39}, {7, 30}, {30, 7, 12, 8}} {
		err := r.Blobs(ctx, ids, 1<<20, func(i int, _ *gitrepo.BlobContent, err error) error {
			if slices.Contains(fails, i) {
				return fmt.Errorf("failed at %d", i)
			}
			return err
		})
		if want := fmt.Sprintf("failed at %d", slices.Min(fails)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	var once sync.Once
	if err := r.Blobs(ended, ids, 1<<20, func(int, *gitrepo.BlobContent, error) error {
		once.Do(cancel)
		return errors.New("no")
	}); err != context.Canceled {
		t.Errorf("got %v, want that it ends", err)
	}
	if err := r.Blobs(ended, ids, 1<<20, nil); err != context.Canceled {
		t.Errorf("got %v, want that it does not begin", err)
	}
}

// What a hostile pack has in the place of blobs is refused as by Blob, and costs no memory.
func TestBlobsOfHostilePacks(t *testing.T) {
	const size = 900 << 10
	a, b := fmt.Sprintf("%040x", 0xa), fmt.Sprintf("%040x", 0xb)
	whole := strings.Repeat("A", size)
	var deep []string // a chain of large objects
	for i := range 40 {
		deep = append(deep, deltaOf(size, size, fmt.Sprintf("%09d", i), [2]int{9, size - 9}))
	}
	last := blobID(fmt.Sprintf("%09d", 39) + whole[9:])
	tests := []struct {
		name  string
		build func(g *gitRepo) []string
		most  uint64
	}{
		{"deltas on one another", func(g *gitRepo) []string {
			ids := []string{a, b}
			g.packOf(ids, [][2]string{entry(plumbing.REFDeltaObject, deltaOf(5, 5, "12345"), b), entry(plumbing.REFDeltaObject, deltaOf(5, 5, "12345"), a)})
			return ids
		}, 4 << 20},
		{"a delta on itself", func(g *gitRepo) []string {
			g.packOf([]string{a}, [][2]string{entry(plumbing.REFDeltaObject, deltaOf(5, 5, "12345"), a)})
			return []string{a}
		}, 4 << 20},
		{"a delta on nothing", func(g *gitRepo) []string {
			g.packOf([]string{a}, [][2]string{entry(plumbing.REFDeltaObject, deltaOf(5, 5, "12345"), b)})
			return []string{a}
		}, 4 << 20},
		{"other bytes, and a delta on them", func(g *gitRepo) []string {
			ids := []string{a, blobID("12345")}
			g.packOf(ids, [][2]string{entry(plumbing.BlobObject, "hello", ""), entry(plumbing.REFDeltaObject, deltaOf(5, 5, "12345"), a)})
			return ids
		}, 4 << 20},
		{"a tree, and a delta on it", func(g *gitRepo) []string {
			ids := []string{a, blobID("12345")}
			g.packOf(ids, [][2]string{entry(plumbing.TreeObject, "hello", ""), entry(plumbing.REFDeltaObject, deltaOf(5, 5, "12345"), a)})
			return ids
		}, 4 << 20},
		{"a length that is a lie", func(g *gitRepo) []string {
			e := entry(plumbing.BlobObject, "hello", "")
			e[0] = string(entryHead(plumbing.BlobObject, 1<<20))
			g.packOf([]string{a}, [][2]string{e})
			return []string{a}
		}, 5 << 20},
		{"a delta that makes more than it says", func(g *gitRepo) []string {
			ids := []string{blobID("hello"), b}
			g.packOf(ids, [][2]string{entry(plumbing.BlobObject, "hello", ""), entry(plumbing.REFDeltaObject, deltaOf(5, 3, "12345"), ids[0])})
			return ids
		}, 4 << 20},
		{"a chain of large objects", func(g *gitRepo) []string {
			g.chain(whole, deep, last)
			return []string{last, blobID(whole)}
		}, 200 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGit(t)
			var ids []plumbing.Hash
			for _, id := range tt.build(g) {
				ids = append(ids, plumbing.NewHash(id))
			}
			r := mustOpen(t, g.path)
			var got []string
			n := allocated(func() { got = readBlobs(t, r, ids, 1<<30) })
			if want := readOneByOne(mustOpen(t, g.path), ids, 1<<30); !slices.Equal(got, want) {
				t.Errorf("got %.200q, want %.200q", got, want)
			}
			if n > tt.most {
				t.Errorf("%d KiB were allocated, want at most %d", n>>10, tt.most>>10)
			}
		})
	}
}

// Not t.Parallel: it measures. A blob more costs no memory, and trees cost allocations that do not depend on the number of their entries.
func TestBlobsAllocations(t *testing.T) {
	g, ids := grown(t, 100, 10, 5000)
	g.run("repack", "-q", "-a", "-d", "-f", "--depth=50")
	r := mustOpen(t, g.path)
	read := func(ids []plumbing.Hash) {
		if err := r.Blobs(context.Background(), ids, 1<<20, func(_ int, _ *gitrepo.BlobContent, err error) error { return err }); err != nil {
			t.Error(err)
		}
	}
	read(ids)
	// Each worker has a window and buffers, and a blob its place: the bytes of these are 5 MB.
	if n, most := allocated(func() { read(ids) }), uint64(runtime.GOMAXPROCS(0)*(512<<10)+500*len(ids)); n > most {
		t.Errorf("%d bytes for %d blobs, want at most %d", n, len(ids), most)
	}
	var wide bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&wide, "40000 folder with a name that is long, number %04d\x00%020d", i, i)
	}
	if n := testing.AllocsPerRun(10, func() { gitrepo.ParseTree(wide.Bytes()) }); n > 2 {
		t.Errorf("%v allocations for a tree", n)
	}
}

// FuzzPatch holds patch against the reader of deltas that streams.
func FuzzPatch(f *testing.F) {
	base := []byte("0123456789abcdefghij")
	f.Add(base, []byte("\x14\x06\x90\x03\x03xyz"))
	f.Add(base, []byte("\x14\x19\x91\x05\x0a\x0fxxxxxxxxxxxxxxx"))
	f.Add(base, []byte("\x14\x05\x80"))
	f.Add([]byte{}, []byte("\x00\x00"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		want, wantErr := gitrepo.ApplyDelta(base, delta, 1<<16)
		size, err := gitrepo.DeltaSize(delta)
		if err != nil || size > 1<<20 {
			return
		}
		got := make([]byte, size)
		if ok := gitrepo.Patch(got, base, delta); ok != (wantErr == nil) || ok && !bytes.Equal(got, want) {
			t.Errorf("got %v, %q; want %v, %q", ok, got, wantErr, want)
		}
	})
}
