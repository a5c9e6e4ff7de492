package gitrepo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/hash"
)

const (
	maxIndexFileBytes = 1 << 30
	minIndexEntry     = 62 // its fixed part
)

// indexEntry is one entry of a git index.
type indexEntry struct {
	name string // of a sparse folder with "/" at its end
	stat statData
	mode uint32
	id   ID

	stage        uint8 // 1 to 3 in a conflict
	assumeValid  bool
	skipWorktree bool
	intentToAdd  bool
}

// statData is what an index keeps of a file's lstat, cut to 32 bits as it is there.
type statData struct {
	ctimeSec, ctimeNsec uint32
	mtimeSec, mtimeNsec uint32
	ino, uid, gid, size uint32
}

// The kinds of index entries, as in stat(2).
const (
	kindMask    = 0o170000
	kindFolder  = 0o040000 // a folder of a sparse index
	kindFile    = 0o100000
	kindLink    = 0o120000
	kindGitlink = 0o160000
)

func (e *indexEntry) kind() uint32 { return e.mode & kindMask }

// index is a decoded index file.
type index struct {
	entries []indexEntry // by name, then stage
	root    ID           // the tree that the index equals, where the index says so; else zero
	written time.Time    // when the file was written; zero where there is none

	base     ID     // of a split index
	linkData []byte // its two bitmaps
}

// readIndex reads the index of a git folder; an empty one where there is none.
//
// go-git's index decoder is not used: it drops the assume-unchanged bit and refuses split and sparse indexes.
func readIndex(git string) (*index, error) {
	ix, err := readIndexFile(filepath.Join(git, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return &index{}, nil
	}
	if err != nil {
		return nil, err
	}
	if ix.base.IsZero() {
		return ix, ix.checkOrder()
	}
	shared, err := readIndexFile(filepath.Join(git, "sharedindex."+ix.base.String()))
	if err != nil {
		return nil, fmt.Errorf("the shared part of the split index: %w", err)
	}
	if err := ix.merge(shared); err != nil {
		return nil, err
	}
	return ix, ix.checkOrder()
}

func readIndexFile(path string) (*index, error) {
	content, err := plainfile.Read(path, maxIndexFileBytes)
	if err != nil {
		return nil, err
	}
	ix, err := parseIndex(content)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	ix.written = info.ModTime()
	return ix, nil
}

// parseIndex decodes versions 2, 3 and 4. The order of the entries is not checked yet.
func parseIndex(content []byte) (*index, error) {
	const header, trailer = 12, len(ID{})
	if len(content) < header+trailer || string(content[:4]) != "DIRC" {
		return nil, damaged("no index")
	}
	version := binary.BigEndian.Uint32(content[4:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("an index of version %d, which is not supported", version)
	}
	body, sum := content[:len(content)-trailer], content[len(content)-trailer:]
	// index.skipHash leaves zeros.
	if !bytes.Equal(sum, make([]byte, trailer)) {
		h := hash.New(hash.CryptoType)
		h.Write(body)
		if !bytes.Equal(h.Sum(nil), sum) {
			return nil, damaged("the checksum of the index does not fit")
		}
	}
	count := binary.BigEndian.Uint32(content[8:])
	rest := body[header:]
	if int64(count)*minIndexEntry > int64(len(rest)) {
		return nil, damaged("an index that claims %d entries", count)
	}
	ix := &index{entries: make([]indexEntry, 0, count)}
	previous := ""
	for range count {
		e, size, err := parseIndexEntry(rest, version, previous)
		if err != nil {
			return nil, err
		}
		ix.entries = append(ix.entries, e)
		previous = e.name
		rest = rest[size:]
	}
	return ix, ix.readExtensions(rest)
}

// parseIndexEntry decodes the entry at the start of b and returns its length there.
func parseIndexEntry(b []byte, version uint32, previous string) (e indexEntry, size int, err error) {
	short := damaged("the index ends inside an entry")
	if len(b) < minIndexEntry {
		return e, 0, short
	}
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	e.stat = statData{
		ctimeSec: u32(0), ctimeNsec: u32(4), mtimeSec: u32(8), mtimeNsec: u32(12),
		ino: u32(20), uid: u32(28), gid: u32(32), size: u32(36),
	}
	e.mode = u32(24)
	copy(e.id[:], b[40:])
	flags := binary.BigEndian.Uint16(b[60:])
	e.assumeValid = flags&0x8000 != 0
	e.stage = uint8(flags >> 12 & 3)
	at := minIndexEntry
	if flags&0x4000 != 0 {
		if version < 3 || len(b) < at+2 {
			return e, 0, short
		}
		extended := binary.BigEndian.Uint16(b[at:])
		e.skipWorktree = extended&0x4000 != 0
		e.intentToAdd = extended&0x2000 != 0
		if extended&^0x6000 != 0 {
			return e, 0, damaged("an index entry with unknown flags")
		}
		at += 2
	}
	if version == 4 {
		strip, n := indexVarint(b[at:])
		if n == 0 || strip > uint64(len(previous)) {
			return e, 0, damaged("an index entry without a name")
		}
		at += n
		end := bytes.IndexByte(b[at:], 0)
		if end < 0 {
			return e, 0, short
		}
		e.name = previous[:len(previous)-int(strip)] + string(b[at:at+end])
		return e, at + end + 1, nil
	}
	end := bytes.IndexByte(b[at:], 0)
	if end < 0 {
		return e, 0, short
	}
	e.name = string(b[at : at+end])
	if size = (at + end + 8) &^ 7; size > len(b) {
		return e, 0, short
	}
	return e, size, nil
}

// indexVarint reads the number that version 4 puts before a name; n is 0 where there is none.
func indexVarint(b []byte) (value uint64, n int) {
	for n < len(b) && n < 8 {
		c := b[n]
		if n > 0 {
			value++
		}
		value = value<<7 | uint64(c&0x7f)
		n++
		if c&0x80 == 0 {
			return value, n
		}
	}
	return 0, 0
}

// readExtensions takes what matters and refuses what changes the meaning and is not known.
func (ix *index) readExtensions(rest []byte) error {
	for len(rest) > 0 {
		if len(rest) < 8 {
			return damaged("the index ends inside an extension")
		}
		name, size := string(rest[:4]), binary.BigEndian.Uint32(rest[4:])
		rest = rest[8:]
		if uint64(size) > uint64(len(rest)) {
			return damaged("the index ends inside the extension %q", name)
		}
		data := rest[:size]
		rest = rest[size:]
		switch {
		case name == "TREE":
			ix.root = cachedRoot(data)
		case name == "link":
			if len(data) < len(ID{}) {
				return damaged("a split index without its shared part")
			}
			copy(ix.base[:], data)
			ix.linkData = data[len(ID{}):]
		case name == "sdir", name[0] >= 'A' && name[0] <= 'Z':
		default:
			return fmt.Errorf("an index with the extension %q, which is not supported", name)
		}
	}
	return nil
}

// cachedRoot returns the tree that the cached-tree extension gives for the whole index; zero where it is stale.
func cachedRoot(data []byte) (root ID) {
	// The root comes first: "" NUL COUNT " " SUBTREES LF ID, with a negative count where it is stale.
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	if !ok || len(line) < 2 || line[0] != 0 || line[1] == '-' || len(rest) < len(root) {
		return ID{}
	}
	copy(root[:], rest)
	return root
}

// checkOrder holds the entries to git's order, so that no path is there twice, and to names inside the work tree.
func (ix *index) checkOrder() error {
	for i := range ix.entries {
		e := &ix.entries[i]
		if !insidePath(e.name) || strings.HasSuffix(e.name, "/") != (e.kind() == kindFolder) {
			return damaged("the index has the path %q", e.name)
		}
		switch e.kind() {
		case kindFile, kindLink, kindGitlink, kindFolder:
		default:
			return damaged("the index entry %q has the mode %o", e.name, e.mode)
		}
		if i == 0 {
			continue
		}
		if p := &ix.entries[i-1]; p.name > e.name || p.name == e.name && (p.stage >= e.stage || p.stage == 0) {
			return damaged("the index entry %q is out of order or there twice", e.name)
		}
	}
	return nil
}

// insidePath reports whether a name stays below the work tree and out of the git folder.
func insidePath(name string) bool {
	name = strings.TrimSuffix(name, "/")
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return !strings.ContainsRune(name, 0)
}

// find returns the entry of a path that is in no conflict.
func (ix *index) find(name string) *indexEntry {
	i := sort.Search(len(ix.entries), func(i int) bool { return ix.entries[i].name >= name })
	if i < len(ix.entries) && ix.entries[i].name == name && ix.entries[i].stage == 0 {
		return &ix.entries[i]
	}
	return nil
}

// emptyBlob is the id of an empty file.
func emptyBlob() ID { return plumbing.ComputeHash(plumbing.BlobObject, nil) }
