package txn

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// makeRoot makes the folder at path and those above it that are missing, each flushed in its parent at once:
// before anything is in it. It returns what it made, the topmost first, also where it failed half-way; somebody
// else's folder that appears meanwhile is taken as it is.
func makeRoot(path string) (made []string, err error) {
	path = trimSeparators(path)
	above := parentOf(path)
	err = os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrNotExist) && above != "" {
		if made, err = makeRoot(above); err == nil {
			err = os.Mkdir(path, 0o777)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return made, nil
	}
	if err != nil {
		return made, err
	}
	made = append(made, path)
	if above == "" {
		above = "."
	}
	return made, syncPath(above)
}

// syncPath flushes the folder at path; nothing where the file system can't, which the run warns of later.
func syncPath(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := flushFolder(folder); !errors.Is(err, errNoFolderSync) {
		return err
	}
	return nil
}

// removeRoot removes the folders that makeRoot made, as far as they are empty. It never removes a file.
func removeRoot(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if syscall.Rmdir(made[i]) != nil {
			return
		}
	}
}

func trimSeparators(path string) string {
	for len(path) > 1 && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

// parentOf returns the text of path up to its last name: "" for a single name, and for a root. It does not
// resolve "..", whose meaning depends on links before it.
func parentOf(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if os.IsPathSeparator(path[i]) {
			if i == 0 {
				return path[:1]
			}
			return trimSeparators(path[:i])
		}
	}
	return ""
}
