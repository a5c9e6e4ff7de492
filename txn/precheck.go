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

// checkSpace refuses actions that need more room than the file system of path has left. What else is written
// meanwhile, and quotas, it can't know: then staging meets the end of the disk, before anything is installed.
func checkSpace(path string, actions []planner.Action, lock []byte) error {
	left, known := space(path)
	if !known {
		return nil
	}
	blocks := func(n int64) uint64 { return (uint64(n) + left.block - 1) / left.block * left.block }
	need, files := blocks(int64(len(lock))), uint64(1)
	for i := range actions {
		if actions[i].Kind == planner.Create {
			need += blocks(actions[i].Material.Size)
			files++
		}
	}
	switch {
	case need > left.bytes:
		return &Error{Base: diag.New(CodeWriteFailed, "", fmt.Sprintf(
			"the file system of the target has %d bytes left, and %d are needed; make room and run the same command again (nothing was written)", left.bytes, need))}
	case left.filesKnown && files > left.files:
		return &Error{Base: diag.New(CodeWriteFailed, "", fmt.Sprintf(
			"the file system of the target has room for %d more files, and %d are needed; make room and run the same command again (nothing was written)", left.files, files))}
	}
	return nil
}

// checkFolders refuses actions that would put entries into a folder where this process may not, or where files
// can't be moved to. Each folder is asked once.
func checkFolders(d disk, actions []planner.Action) error {
	asked := map[string]bool{} // whether it is there
	for i := range actions {
		if actions[i].Kind != planner.Create {
			continue
		}
		if err := checkFolder(d, string(actions[i].Material.Destination), asked); err != nil {
			return err
		}
	}
	return checkFolder(d, lockv2.StagingFolder+"/0", asked)
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
