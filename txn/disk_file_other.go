//go:build !linux

package txn

import (
	"os"
	"runtime"
)

// newFile is a file that Create made.
type newFile struct{ *os.File }

// Take changes the owner first: the system may clear bits of the mode when the owner changes. Who may not give files
// away keeps them; a file system without owners or modes has nothing to keep.
func (f newFile) Take(a attributes) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	have := attributes{mode: info.Mode() & keptMode}
	have.uid, have.gid = owner(info)
	if a.uid >= 0 && (have.uid != a.uid || have.gid != a.gid) {
		err := f.Chown(a.uid, a.gid)
		if err != nil && !cantKeep(err) {
			return err
		}
		if err != nil {
			a = a.unprivileged()
		}
	} else if have.mode == a.mode {
		return nil
	}
	if err := f.Chmod(a.mode); err != nil && !cantKeep(err) {
		return err
	}
	return nil
}
