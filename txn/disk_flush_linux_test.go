package txn

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestReportsWrites(t *testing.T) {
	for release, want := range map[string]bool{
		"5.7.19": false, "5.8.0-rc1": true, "5.8": true, "5.10.0-8-amd64": true, "6.1.0": true, "10.0": true,
		"4.19.0-25-cloud-amd64": false, "3.10.0-1160.el7.x86_64": false, "": false, "next": false, "5": false,
	} {
		if got := reportsWrites(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

func TestLocalKind(t *testing.T) {
	for kind, want := range map[int64]bool{
		unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
		unix.NFS_SUPER_MAGIC: false, unix.OVERLAYFS_SUPER_MAGIC: false, unix.FUSE_SUPER_MAGIC: false, unix.MSDOS_SUPER_MAGIC: false, 0: false,
	} {
		if got := localKind(kind); got != want {
			t.Errorf("%#x: %v", kind, got)
		}
	}
}
