package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
)

const maxIndexFileBytes = 1 << 30

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
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxIndexFileBytes {
		return nil, fmt.Errorf("larger than %d bytes", maxIndexFileBytes)
	}
	// git gives a new index its name when it is whole, so the length of this one stays.
	content := make([]byte, info.Size())
	if _, err := io.ReadFull(file, content); err != nil {
		return nil, damagedBy(err)
	}
	ix, err := parseIndex(content)
	if err != nil {
		return nil, err
	}
	ix.written = info.ModTime()
	return ix, nil
}

// checkOrder holds the entries to git's order, so that no path is there twice, and to names inside the work tree.
func (ix *index) checkOrder() error {
	inside := "" // a folder that was found to be so
	for i := range ix.entries {
		e := &ix.entries[i]
		folder, last := splitPath(strings.TrimSuffix(e.name, "/"))
		ok := insidePart(last) && (folder == "" || folder == inside || insidePath(folder[:len(folder)-1]))
		if !ok || strings.HasSuffix(e.name, "/") != (e.kind() == kindFolder) {
			return damaged("the index has the path %q", e.name)
		}
		inside = folder
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

// splitPath returns the folder of a path, with "/" at its end, and the last part; "" for the folder of one at the top.
func splitPath(name string) (folder, last string) {
	i := strings.LastIndexByte(name, '/') + 1
	return name[:i], name[i:]
}

// insidePath reports whether a path stays below the work tree and out of the git folder.
func insidePath(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if !insidePart(part) {
			return false
		}
	}
	return true
}

func insidePart(part string) bool {
	switch {
	case part == "", part == ".", part == "..", len(part) == 4 && strings.EqualFold(part, ".git"):
		return false
	}
	return strings.IndexByte(part, 0) < 0
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
