package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// flushAll leaves nobody's writing to the command that is timed next.
func flushAll(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	_ = unix.Syncfs(int(f.Fd())) // what can't be flushed is not measured
}

// topOfFolders is FS_TOPDIR_FL of linux/fs.h.
const topOfFolders = 0x20000

// spread asks ext4 to put each folder of this one far from the others, so that each target finds room of its own. It is a wish: other
// file systems refuse.
func spread(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags|topOfFolders)
	}
}

// fileSystem names the kind that a folder is on.
func fileSystem(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return err.Error()
	}
	switch s.Type {
	case unix.EXT4_SUPER_MAGIC:
		return "ext4"
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs"
	}
	return fmt.Sprintf("file system %#x", s.Type)
}
