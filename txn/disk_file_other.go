//go:build !linux

package txn

import (
	"os"
	"runtime"
)

// newFile is a file that Create made.
type newFile struct{ *os.File }

func (f newFile) Take(a attributes) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return attributesFrom(info).become(a, f.Chown, f.Chmod)
}
