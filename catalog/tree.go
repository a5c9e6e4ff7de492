package catalog

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.org/compose/internal/gitrepo"
)

// trees reads the folders of a revision, each once.
type trees struct {
	repo *gitrepo.Repository
	root gitrepo.ID

	mu   sync.Mutex
	read map[gitrepo.ID]*reading
}

// reading is a folder that is read by whoever asks first; others wait.
type reading struct {
	mu     sync.Mutex
	done   bool
	folder folder
}

func newTrees(s *Source) *trees {
	return &trees{repo: s.repo, root: s.tree, read: map[gitrepo.ID]*reading{}}
}

// folder is what a folder holds, by name.
type folder []gitrepo.Entry

func (f folder) entry(name string) (entry gitrepo.Entry, found bool) {
	i, found := slices.BinarySearchFunc(f, name, func(e gitrepo.Entry, name string) int { return strings.Compare(e.Name, name) })
	if found {
		entry = f[i]
	}
	return entry, found
}

func (t *trees) folder(ctx context.Context, id gitrepo.ID) (folder, error) {
	t.mu.Lock()
	r := t.read[id]
	if r == nil {
		r = &reading{}
		t.read[id] = r
	}
	t.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return r.folder, nil
	}
	// An error is not kept: it may be that of one caller's context.
	entries, err := t.repo.ReadTree(ctx, id)
	if err != nil {
		return nil, err
	}
	// In git's order a folder stands where its name with "/" would.
	slices.SortFunc(entries, func(a, b gitrepo.Entry) int { return strings.Compare(a.Name, b.Name) })
	r.folder, r.done = entries, true
	return r.folder, nil
}

// parent returns the folder in which the last name of a path stands. Where there is none, problem says so with the part
// of the path that it is about; symlinks are not followed.
func (t *trees) parent(ctx context.Context, path string) (f folder, problem string, err error) {
	id, done := t.root, 0
	for {
		f, err := t.folder(ctx, id)
		if err != nil {
			return nil, "", unreadable(path, err)
		}
		name, rest, more := strings.Cut(path[done:], "/")
		if !more {
			return f, "", nil
		}
		entry, found := f.entry(name)
		done += len(name)
		switch {
		case !found:
			return nil, notInRevision, nil
		case entry.Mode != gitrepo.Tree:
			return nil, notInRevision + ": " + quote(path[:done]) + " is " + kindOf(entry.Mode) + ", not a folder", nil
		}
		done, id = len(path)-len(rest), entry.ID
	}
}

const notInRevision = "is not in the revision"

// find returns the entry at path, which is relative to the root; problem is that of parent.
func (t *trees) find(ctx context.Context, path string) (entry gitrepo.Entry, problem string, err error) {
	return (&lookup{trees: t}).find(ctx, path)
}

// regular returns the entry of a file that may be used as a source; see lookup.
func (t *trees) regular(ctx context.Context, path string) (gitrepo.Entry, error) {
	return (&lookup{trees: t}).regular(ctx, path)
}

// lookup finds one path after another, for one goroutine: most of them stand in the folder of the one before.
type lookup struct {
	trees *trees
	place string // of the folder, with "/" at its end; "" for the root, and for none
	last  folder
}

// find is that of trees.
func (l *lookup) find(ctx context.Context, path string) (entry gitrepo.Entry, problem string, err error) {
	cut := strings.LastIndexByte(path, '/') + 1
	if cut == 0 || path[:cut] != l.place {
		f, problem, err := l.trees.parent(ctx, path)
		if err != nil || problem != "" {
			return entry, problem, err
		}
		l.place, l.last = path[:cut], f
	}
	entry, found := l.last.entry(path[cut:])
	if !found {
		return entry, notInRevision, nil
	}
	return entry, "", nil
}

// regular returns the entry of a file that may be used as a source: a regular one, executable or not. Anything else
// is INVALID_SOURCE_AUTHORITY.
func (l *lookup) regular(ctx context.Context, path string) (gitrepo.Entry, error) {
	entry, problem, err := l.find(ctx, path)
	switch {
	case err != nil:
		return entry, err
	case problem != "":
		return entry, fault(CodeInvalidSourceAuthority, path, "", "%s; commit the file, or take out what names it", problem)
	case entry.Mode == gitrepo.Regular, entry.Mode == gitrepo.Executable:
		return entry, nil
	}
	return entry, fault(CodeInvalidSourceAuthority, path, "", "is %s; only regular files are sources: commit the file itself in its place", kindOf(entry.Mode))
}

func kindOf(m gitrepo.Mode) string {
	switch m {
	case gitrepo.Tree:
		return "a folder"
	case gitrepo.Symlink:
		return "a symlink, which is never followed"
	case gitrepo.Submodule:
		return "a submodule"
	}
	return "a file"
}
