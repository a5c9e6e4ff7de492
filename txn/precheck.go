package txn

import (
	"errors"
	"fmt"
	"io/fs"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// room is what a file system has left.
type room struct {
	bytes, block uint64
	files        uint64
	filesKnown   bool
}

// checkSpace refuses new files of these sizes where they need more room than the file system of path has left. What else is
// written meanwhile, and quotas, it can't know: then staging meets the end of the disk, before anything is installed.
func checkSpace(path string, sizes []int64) error {
	if len(sizes) == 0 {
		return nil // also where nothing is left
	}
	left, known := space(path)
	if !known {
		return nil
	}
	need, files := uint64(0), uint64(len(sizes))
	for _, n := range sizes {
		need += (uint64(n) + left.block - 1) / left.block * left.block
	}
	switch {
	case need > left.bytes:
		return &Error{Base: diag.New(CodeWriteFailed, "", fmt.Sprintf(
			"the file system of the target has %d bytes left, and %d are needed; make room and run the same command again", left.bytes, need))}
	case left.filesKnown && files > left.files:
		return &Error{Base: diag.New(CodeWriteFailed, "", fmt.Sprintf(
			"the file system of the target has room for %d more files, and %d are needed; make room and run the same command again", left.files, files))}
	}
	return nil
}

// checkFolders refuses paths that would get or lose their entry in a folder where this process may not change one, or where
// files can't be moved to. Each folder is asked once.
func checkFolders(d disk, paths []string) error {
	asked := map[string]bool{} // whether it is there
	for _, path := range append(paths, lockv2.StagingFolder+"/0") {
		if err := checkFolder(d, path, asked); err != nil {
			return err
		}
	}
	return nil
}

// checkSticky refuses names that this process may not take out of the folder that they are in.
func checkSticky(d disk, paths []string) error {
	for _, path := range paths {
		if err := d.Changeable(path); errors.Is(err, errSticky) {
			return entryFault(path, "replacing or removing it", err)
		}
	}
	return nil
}

// created returns the sizes and the destinations of what a first composition will write, with a lock of so many bytes.
func created(actions []planner.Action, lock int) (sizes []int64, paths []string) {
	sizes = []int64{int64(lock)}
	for i := range actions {
		if actions[i].Kind == planner.Create {
			sizes = append(sizes, actions[i].Material.Size)
			paths = append(paths, string(actions[i].Material.Destination))
		}
	}
	return sizes, paths
}

// checkFolder asks the folder that gets an entry when path is made: the nearest that is there.
func checkFolder(d disk, path string, asked map[string]bool) error {
	for path != "" {
		path, _ = split(path)
		there, known := asked[path]
		if !known {
			err := d.Writable(path)
			there = err == nil
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return entryFault(named(path), "putting files into this folder", err)
			}
			asked[path] = there
		}
		if there {
			return nil
		}
	}
	return nil
}

// named is how messages call a folder.
func named(path string) string {
	if path == "" {
		return "."
	}
	return path
}
