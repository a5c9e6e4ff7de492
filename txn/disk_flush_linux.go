package txn

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func (d *linuxDisk) SyncAll() error {
	return again(func() error { return unix.Syncfs(int(d.top.Fd())) })
}

// Bulk says whether syncfs is as good as an fsync of each file: the kernel tells of failed writes, and the file system keeps its data
// on a disk of this machine.
func (d *linuxDisk) Bulk() error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return err
	}
	release := unix.ByteSliceToString(name.Release[:])
	if !reportsWrites(release) {
		return fmt.Errorf("this kernel, Linux %s, reports no failed writes through it, as 5.8 and later do", release)
	}
	var stat unix.Statfs_t
	if err := unix.Fstatfs(int(d.top.Fd()), &stat); err != nil {
		return err
	}
	if !localKind(int64(stat.Type)) {
		return fmt.Errorf("what it does on a file system of this kind (%#x) is not known; it is on ext4, XFS, Btrfs, F2FS and tmpfs", uint32(stat.Type))
	}
	return nil
}

// reportsWrites reports whether the syncfs of this kernel tells of writes that failed since it was called last.
func reportsWrites(release string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor)
	return n == 2 && (major > 5 || major == 5 && minor >= 8)
}

// localKind reports whether a file system of this kind keeps its data, and takes its times, on this machine. What a FUSE or network file
// system does is up to a server. overlayfs writes what is above it, but of a write that failed there an fsync tells, and syncfs does not.
func localKind(kind int64) bool {
	switch kind {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true
	}
	return false
}
