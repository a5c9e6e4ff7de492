package gitrepo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// submoduleRules is what the configuration says to ignore about submodules (submodule.NAME.ignore,
// diff.ignoreSubmodules): read when the first submodule asks.
type submoduleRules struct {
	loaded bool
	byPath map[string]string // "all", "dirty", "untracked", "none"
}

// submodule says how a submodule differs: its HEAD is not the recorded one, or it has changes of its own. One that
// is not checked out does not differ.
func (w *workTree) submodule(ctx context.Context, e *indexEntry, info fs.FileInfo) (string, error) {
	if !info.IsDir() {
		return "replaced by another kind of file", nil
	}
	ignore, err := w.submoduleIgnore(e.name)
	if err != nil {
		return "", err
	}
	path := w.path(e.name)
	if _, err := os.Stat(filepath.Join(path, ".git")); err != nil || ignore == "all" {
		return "", nil
	}
	if w.repo.depth == maxSubmoduleDepth {
		return "it can't be told whether the submodule is modified: submodules nest too deep", nil
	}
	sub, err := OpenWith(path, w.repo.opts)
	if err != nil {
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

// submoduleIgnore returns what to ignore about the submodule at a path.
func (w *workTree) submoduleIgnore(path string) (string, error) {
	if !w.ignoring.loaded {
		if err := w.loadSubmodules(); err != nil {
			return "", err
		}
	}
	if ignore, ok := w.ignoring.byPath[path]; ok {
		return ignore, nil
	}
	ignore, _ := w.cfg.last("diff.ignoresubmodules")
	return ignore, nil
}

func (w *workTree) loadSubmodules() error {
	modules := &config{}
	if err := modules.addFile(w.path(".gitmodules"), configIncludes{}); err != nil {
		return err
	}
	w.ignoring = submoduleRules{loaded: true, byPath: map[string]string{}}
	for _, name := range modules.names("submodule.") {
		id, isPath := strings.CutSuffix(name, ".path")
		if !isPath {
			continue
		}
		path, _ := modules.last("submodule." + name)
		for _, from := range [...]*config{modules, w.cfg} {
			if ignore, ok := from.last("submodule." + id + ".ignore"); ok {
				w.ignoring.byPath[path] = ignore
			}
		}
	}
	return nil
}
