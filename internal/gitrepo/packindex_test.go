package gitrepo_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packIndexOf writes an index of version 2; ids are sorted.
func packIndexOf(ids []gitrepo.ID, offsets []uint64) []byte {
	index := bytes.NewBufferString("\xfftOc\x00\x00\x00\x02")
	for first := range 256 {
		n, _ := slices.BinarySearchFunc(ids, first+1, func(id gitrepo.ID, first int) int { return int(id[0]) - first })
		index.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
	}
	for _, id := range ids {
		index.Write(id[:])
	}
	index.Write(make([]byte, 4*len(ids)))
	var large []byte
	for _, offset := range offsets {
		if offset >= 1<<31 {
			offset, large = 1<<31|uint64(len(large)/8), binary.BigEndian.AppendUint64(large, offset)
		}
		index.Write(binary.BigEndian.AppendUint32(nil, uint32(offset)))
	}
	index.Write(large)
	index.Write(make([]byte, sha1.Size))
	return withSum(index.Bytes())
}

func withSum(index []byte) []byte {
	sum := sha1.Sum(index)
	return append(index[:len(index):len(index)], sum[:]...)
}

// Look-ups find what go-git's index finds, held or in the file, however the ids are spread.
func TestPackIndex(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(1))
	for name, spread := range map[string]func() gitrepo.ID{
		"even":         func() (id gitrepo.ID) { rng.Read(id[:]); return id },
		"one byte":     func() (id gitrepo.ID) { rng.Read(id[1:]); return id },
		"crowded":      func() (id gitrepo.ID) { id[0], id[1] = 7, byte(rng.Intn(2)*255); rng.Read(id[3:5]); return id },
		"at both ends": func() (id gitrepo.ID) { rng.Read(id[18:]); id[0] = byte(rng.Intn(2) * 255); return id },
		"none":         nil,
	} {
		t.Run(name, func(t *testing.T) {
			var ids []gitrepo.ID
			for range 5000 {
				if spread != nil {
					ids = append(ids, spread())
				}
			}
			slices.SortFunc(ids, func(a, b gitrepo.ID) int { return bytes.Compare(a[:], b[:]) })
			ids = slices.Compact(ids)
			offsets := make([]uint64, len(ids))
			for i := range offsets {
				offsets[i] = uint64(12 + i*1000003)
			}
			path := filepath.Join(t.TempDir(), "pack-x.idx")
			if err := os.WriteFile(path, packIndexOf(ids, offsets), 0o644); err != nil {
				t.Fatal(err)
			}
			held, err := gitrepo.PackIndexLookup(path, true, t.Cleanup)
			if err != nil {
				t.Fatal(err)
			}
			inFile, err := gitrepo.PackIndexLookup(path, false, t.Cleanup)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			reference := idxfile.NewMemoryIndex()
			if err := idxfile.NewDecoder(file).Decode(reference); err != nil {
				t.Fatal(err)
			}
			check := func(id gitrepo.ID) {
				t.Helper()
				want, wantErr := reference.FindOffset(id)
				for _, lookup := range []func(gitrepo.ID) (int64, bool, error){held, inFile} {
					got, found, err := lookup(id)
					if err != nil || found != (wantErr == nil) || found && got != want {
						t.Fatalf("%s: got %d, %v, %v; want %d, %v", id, got, found, err, want, wantErr)
					}
				}
			}
			for _, id := range ids {
				check(id)
				id[19]++
				check(id)
				id[19] -= 2
				check(id)
			}
			for range 1000 {
				var id gitrepo.ID
				rng.Read(id[:])
				check(id)
			}
		})
	}
}

// FuzzPackIndex: what go-git accepts is accepted, and look-ups agree. As in git, and not in go-git, the table of large
// offsets may be longer than it has to be.
func FuzzPackIndex(f *testing.F) {
	ids := []gitrepo.ID{plumbing.NewHash("00"), {1}, {1, 2}, {255}}
	whole := packIndexOf(ids, []uint64{12, 1 << 33, 40, 1 << 40})
	f.Add(whole[:len(whole)-sha1.Size])
	none := packIndexOf(nil, nil)
	f.Add(none[:len(none)-sha1.Size])
	f.Fuzz(func(t *testing.T, index []byte) {
		index = withSum(index)
		path := filepath.Join(t.TempDir(), "pack-x.idx")
		if err := os.WriteFile(path, index, 0o644); err != nil {
			t.Fatal(err)
		}
		held, err := gitrepo.PackIndexLookup(path, true, t.Cleanup)
		inFile, fileErr := gitrepo.PackIndexLookup(path, false, t.Cleanup)
		reference := idxfile.NewMemoryIndex()
		refErr := idxfile.NewDecoder(sized{bytes.NewReader(index), path}).Decode(reference)
		if (err != nil) != (fileErr != nil) || err != nil && refErr == nil {
			t.Fatalf("held %v, in the file %v, go-git %v", err, fileErr, refErr)
		}
		if err != nil {
			return
		}
		count := int(binary.BigEndian.Uint32(index[8+1020:]))
		sorted := true
		for at := 8 + 1024 + 20; at < 8+1024+20*count; at += 20 {
			sorted = sorted && bytes.Compare(index[at-20:at], index[at:at+20]) < 0
		}
		for at := 8 + 1024; at+20 <= len(index) && at < 8+1024+20*50; at += 20 {
			var id gitrepo.ID
			copy(id[:], index[at:])
			a, foundA, errA := held(id)
			b, foundB, errB := inFile(id)
			if a != b || foundA != foundB || (errA != nil) != (errB != nil) {
				t.Fatalf("%s: held %d %v %v, in the file %d %v %v", id, a, foundA, errA, b, foundB, errB)
			}
			// Where ids are sorted and each is there once, go-git finds the same.
			if want, err := reference.FindOffset(id); refErr == nil && sorted && err == nil && foundA && a != want {
				t.Fatalf("%s: got %d, go-git %d", id, a, want)
			}
		}
	})
}

// sized is a reader that go-git asks for its size.
type sized struct {
	io.Reader
	path string
}

func (s sized) Stat() (os.FileInfo, error) { return os.Stat(s.path) }
