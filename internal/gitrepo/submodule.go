package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/compose/internal/gitconfig"
	"github.com/go-git/go-git/v5/plumbing"
)

const modulesFile = ".gitmodules"

// submoduleRules is what the configuration says to ignore about submodules (submodule.NAME.ignore,
// diff.ignoreSubmodules): read when the first submodule asks.
type submoduleRules struct {
	loaded bool
	byPath map[string]string // "all", "dirty", "untracked", "none"
}

// submodule says how a submodule differs: its HEAD is not the recorded one, or it has changes of its own. One that
// is not checked out does not differ.
func (w *workTree) submodule(ctx context.Context, e *indexEntry, found *fileStat) (string, error) {
	if found.kind() != kindFolder {
		return "replaced by another kind of file", nil
	}
	ignore, err := w.submoduleIgnore(ctx, e.name)
	if err != nil {
		return "", err
	}
	path := w.path(e.name)
	if _, err := os.Stat(filepath.Join(path, ".git")); err != nil {
		return "", nil
	}
	if w.repo.depth == maxSubmoduleDepth {
		return "it can't be told whether the submodule is modified: submodules nest too deep", nil
	}
	sub, err := OpenWith(path, w.repo.opts)
	if err != nil {
		if ignore == "dirty" {
			return "", nil // git looks at its HEAD alone, and takes what has none for not checked out
		}
		return "it can't be told whether the submodule is modified: " + err.Error(), nil
	}
	defer sub.Close()
	sub.depth = w.repo.depth + 1
	sub.openFile = w.repo.openFile
	head, err := headOf(sub)
	if err != nil {
		return "", err
	}
	if head != "" && string(head) != e.id.String() {
		return "the submodule is at another commit", nil
	}
	if ignore == "dirty" {
		return "", nil
	}
	changes, err := sub.Changes(ctx, 1)
	if err != nil {
		return "", err
	}
	if len(changes) > 0 {
		return "the submodule has changes: " + changes[0].Path, nil
	}
	return "", nil
}

// submoduleIgnore returns what to ignore about the submodule at a path; "" for nothing.
func (w *workTree) submoduleIgnore(ctx context.Context, path string) (string, error) {
	if !w.ignoring.loaded {
		if err := w.loadSubmodules(ctx); err != nil {
			return "", err
		}
	}
	if ignore, ok := w.ignoring.byPath[path]; ok {
		return ignore, nil
	}
	ignore, _ := w.cfg.Last("diff.ignoresubmodules")
	return ignore, nil
}

// loadSubmodules reads the rules. As in git, the last submodule of a path is the one that counts, and the
// configuration is stronger than .gitmodules.
func (w *workTree) loadSubmodules(ctx context.Context) error {
	modules, err := w.modules(ctx)
	if err != nil {
		return err
	}
	w.ignoring = submoduleRules{loaded: true, byPath: map[string]string{}}
	names := map[string]string{} // of submodules, by path
	ignores := map[string]string{}
	for _, e := range modules.Entries() {
		rest, ok := strings.CutPrefix(e.Name, "submodule.")
		dot := strings.LastIndexByte(rest, '.')
		if !ok || dot < 0 || e.Bare {
			continue
		}
		switch name := rest[:dot]; rest[dot+1:] {
		case "path":
			names[e.Value] = name
		case "ignore":
			if slices.Contains([]string{"all", "dirty", "untracked", "none"}, e.Value) {
				ignores[name] = e.Value
			}
		}
	}
	for path, name := range names {
		ignore, ok := w.cfg.Last("submodule." + name + ".ignore")
		if !ok {
			ignore, ok = ignores[name]
		}
		if ok {
			w.ignoring.byPath[path] = ignore
		}
	}
	return nil
}

// modules is .gitmodules: the file, else the one of the index, else that of HEAD; none where it is in conflict.
func (w *workTree) modules(ctx context.Context) (*gitconfig.Config, error) {
	modules := &gitconfig.Config{}
	i, found := slices.BinarySearchFunc(w.ix.entries, modulesFile, func(e indexEntry, name string) int {
		return strings.Compare(e.name, name)
	})
	if found && w.ix.entries[i].stage != 0 {
		return modules, nil
	}
	path := w.path(modulesFile)
	if _, err := os.Lstat(path); err == nil {
		return modules, modules.AddFile(path, gitconfig.Includes{})
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var id ID
	if found {
		id = w.ix.entries[i].id
	} else {
		var err error
		if id, err = w.modulesOfHead(ctx); err != nil || id.IsZero() {
			return modules, err
		}
	}
	text, err := w.repo.read(ctx, id, plumbing.BlobObject, gitconfig.MaxBytes)
	if err != nil {
		return nil, err
	}
	entries, err := gitconfig.Parse(string(text))
	return gitconfig.Of(entries), err
}

// modulesOfHead returns the id of HEAD's .gitmodules; zero where there is none.
func (w *workTree) modulesOfHead(ctx context.Context) (ID, error) {
	tree, err := w.repo.headTree(ctx)
	if err != nil || tree.IsZero() {
		return ID{}, err
	}
	entries, err := w.repo.ReadTree(ctx, tree)
	if err != nil {
		return ID{}, err
	}
	for _, e := range entries {
		if e.Name == modulesFile && (e.Mode == Regular || e.Mode == Executable) {
			return e.ID, nil
		}
	}
	return ID{}, nil
}
