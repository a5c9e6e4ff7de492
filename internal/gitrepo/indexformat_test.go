package gitrepo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// indexOf is an index file of version 2, 3 or 4 with those names, without a checksum.
func indexOf(version uint32, names ...string) []byte {
	b := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(names)))
	previous := ""
	for i, name := range names {
		entry := make([]byte, minIndexEntry)
		binary.BigEndian.PutUint32(entry[24:], kindFile|0o644)
		entry[40] = byte(i)
		binary.BigEndian.PutUint16(entry[60:], uint16(min(len(name), 0xfff)))
		if version == 4 {
			keep := 0
			for keep < min(len(name), len(previous)) && name[keep] == previous[keep] {
				keep++
			}
			strip := len(previous) - keep
			if strip >= 128 {
				entry = append(entry, byte((strip-128)>>7|0x80))
				strip = (strip - 128) & 0x7f
			}
			entry = append(append(entry, byte(strip)), name[keep:]+"\x00"...)
		} else {
			entry = append(entry, name+"\x00"...)
			entry = append(entry, make([]byte, (8-len(entry)%8)%8)...)
		}
		b = append(b, entry...)
		previous = name
	}
	return append(b, make([]byte, len(ID{}))...)
}

func TestIndexNames(t *testing.T) {
	long := strings.Repeat("long/", 60)
	for _, version := range []uint32{2, 3, 4} {
		for _, names := range [][]string{nil, {"a"}, {"a", "b"}, {"a/b/c", "a/b/d", "a/e", "b"}, {long + "a", long + "b", "z"}} {
			ix, err := parseIndex(indexOf(version, names...))
			if err != nil {
				t.Fatalf("version %d, %q: %v", version, names, err)
			}
			var got []string
			for i := range ix.entries {
				got = append(got, ix.entries[i].name)
			}
			if !slices.Equal(got, names) {
				t.Errorf("version %d: got %q, want %q", version, got, names)
			}
		}
	}
}

// Names are held to the work tree, also where a folder is that of the entry before.
func TestIndexOrder(t *testing.T) {
	tests := []struct {
		name  string
		names []string
		fault string // "" for none
	}{
		{"in order", []string{"a", "b/a", "b/b/c", "b/c", "c"}, ""},
		{"back at the top", []string{"a/b", "b", "c/d"}, ""},
		{"twice", []string{"a", "a"}, `the index entry "a" is out of order or there twice`},
		{"out of order", []string{"b/b", "b/a"}, `the index entry "b/a" is out of order or there twice`},
		{"a parent", []string{"../a"}, `the index has the path "../a"`},
		{"a parent beside a file", []string{"a/.", "a/b"}, `the index has the path "a/."`},
		{"a parent in the folder before", []string{"a/b", "a/.."}, `the index has the path "a/.."`},
		{"the git folder", []string{".Git/config"}, `the index has the path ".Git/config"`},
		{"a git folder below", []string{"a/.b", "a/.gIt"}, `the index has the path "a/.gIt"`},
		{"from the root", []string{"/a"}, `the index has the path "/a"`},
		{"an empty part", []string{"a//b"}, `the index has the path "a//b"`},
		{"no name", []string{""}, `the index has the path ""`},
		{"a folder that is a file", []string{"a/"}, `the index has the path "a/"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ix, err := parseIndex(indexOf(2, tt.names...))
			if err != nil {
				t.Fatal(err)
			}
			if err := ix.checkOrder(); err == nil && tt.fault != "" || err != nil && err.Error() != tt.fault {
				t.Errorf("got %v, want %q", err, tt.fault)
			}
		})
	}
}

// The entries of an index share one string: ten times as many cost no allocation more.
func TestIndexAllocations(t *testing.T) {
	count := func(version uint32, n int) float64 {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("folder%03d/file%06d", i/16, i))
		}
		content := indexOf(version, names...)
		return testing.AllocsPerRun(5, func() {
			if ix, err := parseIndex(content); err != nil || ix.checkOrder() != nil {
				t.Fatal(err)
			}
		})
	}
	for _, version := range []uint32{2, 4} {
		// The names of version 4 are longer than the file says, so their string grows a few times.
		if small, large := count(version, 1_000), count(version, 10_000); large > small+20 {
			t.Errorf("version %d: %v allocations for 1,000 entries, %v for 10,000", version, small, large)
		}
	}
}

// oneByOne decodes the entries of an index in the plain way, a string each; false where it is damaged.
func oneByOne(content []byte) (entries []indexEntry, ok bool) {
	version, rest := binary.BigEndian.Uint32(content[4:]), content[12:len(content)-len(ID{})]
	previous := ""
	for range binary.BigEndian.Uint32(content[8:]) {
		if len(rest) < minIndexEntry {
			return nil, false
		}
		var numbers [10]uint32
		for i := range numbers {
			numbers[i] = binary.BigEndian.Uint32(rest[4*i:])
		}
		e := indexEntry{mode: numbers[6], id: ID(rest[40:60])}
		e.stat = statData{numbers[0], numbers[1], numbers[2], numbers[3], numbers[5], numbers[7], numbers[8], numbers[9]}
		flags, used := binary.BigEndian.Uint16(rest[60:]), minIndexEntry
		e.assumeValid, e.stage = flags>>15 == 1, uint8(flags>>12&3)
		if flags>>14&1 == 1 {
			if version == 2 || len(rest) < 64 || binary.BigEndian.Uint16(rest[62:])&0x9fff != 0 {
				return nil, false
			}
			e.skipWorktree, e.intentToAdd = rest[62]>>6&1 == 1, rest[62]>>5&1 == 1
			used += 2
		}
		if version == 4 {
			strip, n := indexVarint(rest[used:])
			if n == 0 || strip > uint64(len(previous)) {
				return nil, false
			}
			e.name = previous[:uint64(len(previous))-strip]
			used += n
		}
		name, _, found := bytes.Cut(rest[used:], []byte{0})
		if !found {
			return nil, false
		}
		e.name += string(name)
		used += len(name) + 1
		for version != 4 && used%8 != 0 {
			used++
		}
		if used > len(rest) {
			return nil, false
		}
		entries, previous, rest = append(entries, e), e.name, rest[used:]
	}
	return entries, true
}

func FuzzParseIndex(f *testing.F) {
	stored, err := filepath.Glob("testdata/index/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range stored {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:len(b)-20])
	}
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"))
	for version := range uint32(3) {
		b := indexOf(version+2, "a/b", "a/c", "a/d/e", "b")
		f.Add(b[:len(b)-20])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		parseIndex(body)
		// A checksum of zeros stands for none (index.skipHash), so that the body is reached.
		content := append(body[:len(body):len(body)], make([]byte, len(ID{}))...)
		ix, err := parseIndex(content)
		if err != nil {
			return
		}
		want, ok := oneByOne(content)
		if !ok || len(want) != len(ix.entries) || len(want) > 0 && !reflect.DeepEqual(ix.entries, want) {
			t.Errorf("got %+v, want %+v, %v", ix.entries, want, ok)
		}
	})
}
