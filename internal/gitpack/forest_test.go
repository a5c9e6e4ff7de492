package gitpack_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/gitpack"
	"github.com/go-git/go-git/v5/plumbing"
)

// forest is a pack of n blobs of about size bytes that build on one another at random: by place on earlier ones, by id
// also on later ones. damage, which may be nil, changes a delta before it is stored.
func forest(rng *rand.Rand, n, size int, byID bool, damage func(delta []byte)) (pack []byte, ids []plumbing.Hash) {
	type object struct {
		content []byte
		delta   []byte // nil: whole
		base    int    // in objects
	}
	objects := make([]object, n)
	for i := range objects {
		o := &objects[i]
		if i == 0 || rng.Intn(20) == 0 {
			o.content = []byte(fmt.Sprintf("%d ", i))
			for range size {
				o.content = append(o.content, byte('a'+rng.Intn(26)))
			}
			continue
		}
		o.base = rng.Intn(i)
		if rng.Intn(2) == 0 {
			o.base = i - 1 // deep
		}
		base := objects[o.base].content
		o.delta, o.content = delta(base, min(len(base), size-rng.Intn(5)), fmt.Sprintf(" %d", i))
		if damage != nil && rng.Intn(n) == 0 {
			damage(o.delta)
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if byID {
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	var b builder
	at := make([]int, n)
	for _, i := range order {
		o := &objects[i]
		switch {
		case o.delta == nil:
			at[i] = b.whole(plumbing.BlobObject, o.content)
		case at[o.base] == 0 || byID && rng.Intn(2) == 0:
			at[i] = b.onID(blobID(objects[o.base].content), o.delta)
		default:
			at[i] = b.on(at[o.base], o.delta)
		}
		ids = append(ids, blobID(o.content))
	}
	return b.pack(), ids
}

// However objects build on one another, and however little memory there is, the same ids are found.
func TestReceiveForests(t *testing.T) {
	seeds := int64(24)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		rng := rand.New(rand.NewSource(seed))
		pack, ids := forest(rng, 1+rng.Intn(300), 200, seed%2 == 0, nil)
		slices.SortFunc(ids, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
		for _, memory := range []int64{500, 1500, 1 << 30} {
			base := mustReceive(t, pack, gitpack.Limits{Memory: memory})
			index := mustRead(t, base+".idx")
			for i, id := range ids {
				if at := 8 + 4*256 + 20*i; !bytes.Equal(index[at:at+20], id[:]) {
					t.Fatalf("seed %d, memory %d: id %d is %x, want %s", seed, memory, i, index[at:at+20], id)
				}
			}
			if err := gitpack.Check(context.Background(), base, gitpack.Limits{Memory: memory}); err != nil {
				t.Errorf("seed %d, memory %d: %v", seed, memory, err)
			}
		}
	}
}

// Packs of which deltas are damaged are taken and refused as git does, with the same index.
func TestReceiveDamagedAsGit(t *testing.T) {
	var taken, refused int
	folder := t.TempDir()
	for seed := range int64(60) {
		rng := rand.New(rand.NewSource(seed))
		pack, _ := forest(rng, 20, 30, seed%2 == 0, func(delta []byte) { delta[rng.Intn(len(delta))] ^= 1 << rng.Intn(8) })
		if err := os.WriteFile(filepath.Join(folder, "x.pack"), pack, 0o600); err != nil {
			t.Fatal(err)
		}
		os.Remove(filepath.Join(folder, "x.idx"))
		gitErr := gitCommand(t, folder, "index-pack", "-o", "x.idx", "x.pack").Run()
		received, result, err := receive(t, pack, gitpack.Limits{})
		switch {
		case err != nil && strings.Contains(err.Error(), "twice"):
			// git takes objects that are there twice.
		case (err == nil) != (gitErr == nil):
			t.Errorf("seed %d: git says %v, and gitpack %v", seed, gitErr, err)
		case err != nil:
			refused++
		case !bytes.Equal(mustRead(t, filepath.Join(folder, "x.idx")), mustRead(t, filepath.Join(received, result.Name+".idx"))):
			t.Errorf("seed %d: the index is not that of git index-pack", seed)
		default:
			taken++
		}
	}
	if taken == 0 || refused == 0 {
		t.Errorf("%d were taken and %d refused, so that one is not tested", taken, refused)
	}
}

// Of a chain with a branch at each object, three objects are held at most, and none is built twice.
func TestReceiveHoldsLittle(t *testing.T) {
	const n, size = 200, 1 << 12
	for _, leafFirst := range []bool{true, false} {
		var b builder
		content := random(size)
		at := b.whole(plumbing.BlobObject, content)
		total := int64((2*n + 1) * (size + 11))
		for i := range n {
			leaf := func() {
				d, _ := delta(content, size, fmt.Sprintf("leaf %06d", i))
				total += int64(len(d))
				b.on(at, d)
			}
			d, next := delta(content, size, fmt.Sprintf("next %06d", i))
			if leafFirst {
				leaf()
			}
			total += int64(len(d))
			onward := b.on(at, d)
			if !leafFirst {
				leaf()
			}
			at, content = onward, next
		}
		mustReceive(t, b.pack(), gitpack.Limits{Memory: 3 * (size + 11), Total: total})
	}
}

// Work that memory makes necessary is bounded.
func TestReceiveBoundsWork(t *testing.T) {
	const n, size = 60, 1 << 12
	var b builder
	content := random(size)
	b.whole(plumbing.BlobObject, content)
	total := int64((2*n + 1) * (size + 11))
	for i := range n {
		// By id it isn't known beforehand which of the two goes on.
		dNext, next := delta(content, size, fmt.Sprintf("next %06d", i))
		dLeaf, _ := delta(content, size, fmt.Sprintf("leaf %06d", i))
		b.onID(blobID(content), dNext)
		b.onID(blobID(content), dLeaf)
		total += int64(len(dNext) + len(dLeaf))
		content = next
	}
	mustReceive(t, b.pack(), gitpack.Limits{Memory: 3 * (size + 11)})
	_, _, err := receive(t, b.pack(), gitpack.Limits{Memory: 3 * (size + 11), Total: total})
	wantCode(t, err, gitpack.CodeTooLarge, "work")
}

// Many objects that are one, with many deltas on it, take no more time than their number.
func TestReceiveSameObjects(t *testing.T) {
	hello := []byte("hello, world\n")
	d, _ := delta(hello, 1, "x")
	one, onOne := deflate(hello), deflate(d)
	id := blobID(hello)
	var b builder
	for range 50_000 {
		b.raw(header(plumbing.BlobObject, uint64(len(hello))), one)
		b.raw(header(plumbing.REFDeltaObject, uint64(len(d))), id[:], onOne)
	}
	_, _, err := receive(t, b.pack(), gitpack.Limits{})
	wantCode(t, err, gitpack.CodeResponseInvalid, "twice")
}
