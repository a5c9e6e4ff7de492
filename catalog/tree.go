package catalog

import (
	"context"
	"strings"
	"sync"

	"example.org/compose/internal/gitrepo"
)

// trees reads the folders of a revision, each once.
type trees struct {
	repo *gitrepo.Repository
	root gitrepo.ID

	mu   sync.Mutex
	read map[gitrepo.ID]folder
}

// folder is what a folder holds, by name.
type folder map[string]gitrepo.Entry

func (t *trees) folder(ctx context.Context, id gitrepo.ID) (folder, error) {
	t.mu.Lock()
	f, found := t.read[id]
	t.mu.Unlock()
	if found {
		return f, nil
	}
	entries, err := t.repo.ReadTree(ctx, id)
	if err != nil {
		return nil, err
	}
	f = make(folder, len(entries))
	for _, e := range entries {
		f[e.Name] = e
	}
	t.mu.Lock()
	t.read[id] = f
	t.mu.Unlock()
	return f, nil
}

// find returns the entry at path, which is relative to the root. Where there is none, or what is on the way is no
// folder, problem says so with the part of the path that it is about; symlinks are not followed.
func (t *trees) find(ctx context.Context, path string) (entry gitrepo.Entry, problem string, err error) {
	id, done := t.root, 0
	for {
		f, err := t.folder(ctx, id)
		if err != nil {
			return entry, "", unreadable(path, err)
		}
		name, rest, more := strings.Cut(path[done:], "/")
		entry, found := f[name]
		done += len(name)
		switch {
		case !found:
			return entry, "is not in the revision", nil
		case !more:
			return entry, "", nil
		case entry.Mode != gitrepo.Tree:
			return entry, "is not in the revision: " + quote(path[:done]) + " is " + kindOf(entry.Mode) + ", not a folder", nil
		}
		done, id = len(path)-len(rest), entry.ID
	}
}

// regular returns the entry of a file that may be used as a source: a regular one, executable or not. Anything else
// is INVALID_SOURCE_AUTHORITY.
func (t *trees) regular(ctx context.Context, path string) (gitrepo.Entry, error) {
	entry, problem, err := t.find(ctx, path)
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
