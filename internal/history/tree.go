package history

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"example.org/compose/internal/gitrepo"
)

// maxPart bounds a file of which only a part counts, in bytes; a longer one counts whole.
const maxPart = 4 << 20

// folder is what is looked for in one folder: files, and folders that hold others.
type folder struct {
	names []string // sorted
	items map[string]*item
}

type item struct {
	file  *File   // nil for a folder on the way
	below *folder // nil for none
}

// newFolder returns the top of the tree that the paths make.
func newFolder(files []File) *folder {
	top := &folder{items: map[string]*item{}}
	for i := range files {
		at, rest := top, files[i].Path
		for {
			name, after, deeper := strings.Cut(rest, "/")
			next := at.items[name]
			if next == nil {
				next = &item{}
				at.items[name] = next
				at.names = append(at.names, name)
			}
			if !deeper {
				next.file = &files[i]
				break
			}
			if next.below == nil {
				next.below = &folder{items: map[string]*item{}}
			}
			at, rest = next.below, after
		}
	}
	top.sort()
	return top
}

func (f *folder) sort() {
	slices.Sort(f.names)
	for _, it := range f.items {
		if it.below != nil {
			it.below.sort()
		}
	}
}

// same reports whether two trees have the wanted files in common; the zero ID is no tree. Where two folders are the same
// one, nothing below them is read.
func (w *walk) same(ctx context.Context, wanted *folder, a, b gitrepo.ID) (bool, error) {
	if a == b {
		return true, nil
	}
	inA, err := w.tree(ctx, a)
	if err != nil {
		return false, err
	}
	inB, err := w.tree(ctx, b)
	if err != nil {
		return false, err
	}
	for _, name := range wanted.names {
		it := wanted.items[name]
		ea, eb := find(inA, name), find(inB, name)
		if ea == eb {
			continue
		}
		if it.file != nil {
			if same, err := w.sameFile(ctx, it.file, ea, eb); err != nil || !same {
				return false, err
			}
		}
		if it.below != nil {
			if same, err := w.same(ctx, it.below, treeID(ea), treeID(eb)); err != nil || !same {
				return false, err
			}
		}
	}
	return true, nil
}

// treeID is the id of a folder, zero for any other entry.
func treeID(e gitrepo.Entry) gitrepo.ID {
	if e.Mode != gitrepo.Tree {
		return gitrepo.ID{}
	}
	return e.ID
}

// sameFile reports whether what counts of a file is the same, of two entries that differ.
func (w *walk) sameFile(ctx context.Context, f *File, a, b gitrepo.Entry) (bool, error) {
	if f.Part == nil {
		return false, nil
	}
	partA, err := w.part(ctx, f, a)
	if err != nil {
		return false, err
	}
	partB, err := w.part(ctx, f, b)
	if err != nil {
		return false, err
	}
	return bytes.Equal(partA, partB), nil
}

// part returns what counts of a file, nil for no file.
func (w *walk) part(ctx context.Context, f *File, e gitrepo.Entry) ([]byte, error) {
	if e.Mode != gitrepo.Regular && e.Mode != gitrepo.Executable || e.ID.IsZero() {
		return nil, nil
	}
	contents, err := w.repo.Blob(ctx, e.ID, maxPart)
	var fault *gitrepo.Error
	switch {
	case err == nil:
		return f.Part(contents), nil
	case errors.As(err, &fault) && fault.Code() == gitrepo.CodeSourceTooLarge:
		return e.ID[:], nil
	}
	return nil, w.unreadable(ctx, e.ID, err)
}

// emptyTree is the id of a tree without entries, which git knows where no object is stored.
var emptyTree = gitrepo.ID{0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49, 0x04}

// tree reads a tree; the zero ID is an empty one.
func (l *Log) tree(ctx context.Context, id gitrepo.ID) ([]gitrepo.Entry, error) {
	if id.IsZero() || id == emptyTree {
		return nil, nil
	}
	entries, err := l.trees.read(ctx, id)
	if err != nil {
		return nil, l.unreadable(ctx, id, err)
	}
	return entries, nil
}

// maxEntries bounds the entries of the trees that are kept.
const maxEntries = 1 << 17

// trees reads trees and keeps the latest: each is looked at as a parent's and then as a commit's own.
type trees struct {
	repo *gitrepo.Repository
	kept map[gitrepo.ID][]gitrepo.Entry
	size int // entries in all that are kept
}

func (t *trees) read(ctx context.Context, id gitrepo.ID) ([]gitrepo.Entry, error) {
	if entries, found := t.kept[id]; found {
		return entries, nil
	}
	entries, err := t.repo.ReadTree(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.size += len(entries) + 1; t.kept == nil || t.size > maxEntries {
		t.kept, t.size = map[gitrepo.ID][]gitrepo.Entry{}, len(entries)+1
	}
	t.kept[id] = entries
	return entries, nil
}

// find returns the entry of a name, in a list in git's order: a folder stands where its name with a slash would. It is the
// zero Entry where there is none.
func find(entries []gitrepo.Entry, name string) gitrepo.Entry {
	for _, key := range [2]string{name, name + "/"} {
		i := sort.Search(len(entries), func(i int) bool {
			if entries[i].Mode == gitrepo.Tree {
				return entries[i].Name+"/" >= key
			}
			return entries[i].Name >= key
		})
		if i < len(entries) && entries[i].Name == name {
			return entries[i]
		}
	}
	return gitrepo.Entry{}
}
