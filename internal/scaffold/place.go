package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
)

// Place is where a catalog is to begin.
type Place struct {
	Git   bool   // it is the top of a git work tree
	Guide string // where the page for maintainers goes: beside a README.md that is somebody else's
}

// CheckPlace looks at the folder in which a catalog is to begin: one that is not there, an empty one, one that an interrupted run
// left, or the top of a git work tree without a catalog.
//
// Errors, *Error: FILE_EXISTS where there is a catalog, or other files and no git; INVALID_TARGET for what is no folder;
// READ_FAILED.
func CheckPlace(dir string) (Place, error) {
	const readme, beside = "README.md", "catalog/README.md"
	place := Place{Guide: readme}
	names, err := namesIn(dir)
	if err != nil {
		return place, err
	}
	if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(catalog.IndexPath))); err == nil {
		return place, fault(CodeFileExists, dir, "there is a catalog already; add to it with compose catalog new, or name another folder").
			withHint("compose catalog new component ID --dir " + diag.Quote(dir))
	}
	place.Git = slices.Contains(names, ".git")
	ours := []string{staging, readme, "catalog", "components", "recipes"}
	for _, name := range names {
		if !place.Git && !slices.Contains(ours, name) {
			return place, fault(CodeFileExists, dir, "is neither empty nor the top of a git work tree: it holds %q; name a new folder, or run git init there first", name)
		}
	}
	if place.Git && slices.Contains(names, readme) {
		place.Guide = beside
	}
	return place, nil
}

// namesIn returns what a folder holds, sorted; nothing where there is none.
func namesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() || plainfile.IsMissing(err) {
			return nil, fault(CodeInvalidTarget, dir, "is no folder; name another place")
		}
		return nil, &Error{diag.Wrap(CodeReadFailed, dir, "the folder can't be read", plainfile.Cause(err))}
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}
