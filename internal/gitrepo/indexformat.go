package gitrepo

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	minIndexEntry     = 62      // its fixed part
	maxIndexNameBytes = 1 << 30 // of all names: those of version 4 are packed
)

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
	body, sum := content[:len(content)-trailer], ID(content[len(content)-trailer:])
	fits := make(chan bool, 1)
	go func() { fits <- sum.IsZero() || sha1.Sum(body) == sum }() // index.skipHash leaves zeros
	ix, err := parseIndexBody(body[header:], version, binary.BigEndian.Uint32(content[8:]))
	if !<-fits {
		return nil, damaged("the checksum of the index does not fit")
	}
	return ix, err
}

func parseIndexBody(rest []byte, version, count uint32) (*index, error) {
	if int64(count)*minIndexEntry > int64(len(rest)) {
		return nil, damaged("an index that claims %d entries", count)
	}
	ix := &index{entries: make([]indexEntry, count)}
	var names indexNames
	names.text.Grow(len(rest) - int(count)*minIndexEntry)
	for i := range ix.entries {
		size, err := ix.entries[i].parse(rest, version, &names)
		if err != nil {
			return nil, err
		}
		rest = rest[size:]
	}
	return ix, ix.readExtensions(rest)
}

// indexNames holds the names of an index one after another, so that an entry costs no allocation.
type indexNames struct {
	text strings.Builder
	last string
}

// add adds a name: the first bytes of the one before it, as many as keep says, and what follows them.
func (n *indexNames) add(keep int, rest []byte) (string, error) {
	from := n.text.Len()
	if from+keep+len(rest) > maxIndexNameBytes {
		return "", damaged("an index whose names have more than %d bytes", maxIndexNameBytes)
	}
	n.text.WriteString(n.last[:keep])
	n.text.Write(rest)
	n.last = n.text.String()[from:]
	return n.last, nil
}

// parse decodes the entry at the start of b and returns its length there.
func (e *indexEntry) parse(b []byte, version uint32, names *indexNames) (size int, err error) {
	if len(b) < minIndexEntry {
		return 0, errShortIndex
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
			return 0, errShortIndex
		}
		extended := binary.BigEndian.Uint16(b[at:])
		e.skipWorktree = extended&0x4000 != 0
		e.intentToAdd = extended&0x2000 != 0
		if extended&^0x6000 != 0 {
			return 0, damaged("an index entry with unknown flags")
		}
		at += 2
	}
	keep := 0
	if version == 4 {
		strip, n := indexVarint(b[at:])
		if n == 0 || strip > uint64(len(names.last)) {
			return 0, damaged("an index entry without a name")
		}
		at += n
		keep = len(names.last) - int(strip)
	}
	end := bytes.IndexByte(b[at:], 0)
	if end < 0 {
		return 0, errShortIndex
	}
	if size = at + end + 1; version != 4 {
		size = (size + 7) &^ 7
	}
	if size > len(b) {
		return 0, errShortIndex
	}
	e.name, err = names.add(keep, b[at:at+end])
	return size, err
}

var errShortIndex error = &storedError{kind: errDamaged, text: "the index ends inside an entry"}

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
