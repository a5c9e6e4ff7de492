package txn

import (
	"os"

	"golang.org/x/sys/unix"
)

// space returns what is left on the file system of path for this process: in bytes, in units of block bytes,
// and in files; false where the file system does not say. Files is 0 where it sets no limit.
func space(path string) (left room, known bool) {
	var stat unix.Statfs_t
	if unix.Statfs(path, &stat) != nil || stat.Blocks == 0 || stat.Bsize <= 0 {
		return room{}, false
	}
	free := stat.Bavail
	if os.Geteuid() == 0 {
		free = stat.Bfree // the share that is reserved for root
	}
	block := uint64(stat.Bsize)
	if stat.Frsize > 0 {
		block = uint64(stat.Frsize)
	}
	left = room{bytes: free * block, block: block}
	if stat.Files > 0 {
		left.files, left.filesKnown = stat.Ffree, true
	}
	return left, true
}
