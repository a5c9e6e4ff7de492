//go:build unix

package txn

import (
	"io/fs"
	"syscall"
)

// owner returns the owner and the group of a file.
func owner(info fs.FileInfo) (uid, gid int) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid), int(stat.Gid)
	}
	return -1, -1
}
