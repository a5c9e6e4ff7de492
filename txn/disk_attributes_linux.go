package txn

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"example.org/compose/lockv2"
	"golang.org/x/sys/unix"
)

// Attributes asks for them by name; whatever is no regular file, rootfs explains.
func (d *linuxDisk) Attributes(path lockv2.Destination) (attributes, error) {
	var stat unix.Stat_t
	parent, name := split(string(path))
	err := d.in(parent, func(at int) error { return unix.Fstatat(at, name, &stat, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return attributesOf(d.Root, path)
	}
	return attributesIn(&stat), nil
}

func attributesIn(stat *unix.Stat_t) attributes {
	return attributes{mode: fileMode(stat.Mode), uid: int(stat.Uid), gid: int(stat.Gid)}
}

// SetAttributes works on a descriptor that can do nothing else, so that a file which may not be read is no matter.
func (d *linuxDisk) SetAttributes(path string, a attributes) error {
	parent, name := split(path)
	return d.in(parent, func(at int) error {
		fd, err := openAt(at, name, unix.O_PATH|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			return err
		}
		if stat.Mode&unix.S_IFMT != unix.S_IFREG {
			return unix.ELOOP
		}
		return attributesIn(&stat).become(a,
			func(uid, gid int) error { return unix.Fchownat(fd, "", uid, gid, unix.AT_EMPTY_PATH) },
			func(mode fs.FileMode) error {
				err := unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), systemMode(mode))
				if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) { // no /proc here
					err = unix.Fchmodat(at, name, systemMode(mode), unix.AT_SYMLINK_NOFOLLOW)
				}
				return err
			})
	})
}

// Changeable looks at what a sticky folder asks for: that the user owns the file or the folder.
func (d *linuxDisk) Changeable(path string) error {
	parent, name := split(path)
	return d.in(parent, func(at int) error {
		var folder, entry unix.Stat_t
		if err := unix.Fstat(at, &folder); err != nil {
			return err
		}
		if folder.Mode&unix.S_ISVTX == 0 {
			return nil
		}
		user := uint32(os.Geteuid())
		if folder.Uid == user || ownsAll() {
			return nil
		}
		if err := unix.Fstatat(at, name, &entry, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if entry.Uid != user {
			return errSticky
		}
		return nil
	})
}

// ownsAll reports whether this process may treat every file as its own.
func ownsAll() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) != nil {
		return os.Geteuid() == 0
	}
	return data[0].Effective&(1<<unix.CAP_FOWNER) != 0
}

// The bits of a mode that a file keeps, as Go and as the system has them.
var keptBits = [...]struct {
	file   fs.FileMode
	system uint32
}{{fs.ModeSetuid, unix.S_ISUID}, {fs.ModeSetgid, unix.S_ISGID}, {fs.ModeSticky, unix.S_ISVTX}}

func fileMode(system uint32) fs.FileMode {
	mode := fs.FileMode(system & 0o777)
	for _, bit := range keptBits {
		if system&bit.system != 0 {
			mode |= bit.file
		}
	}
	return mode
}

func systemMode(mode fs.FileMode) uint32 {
	system := uint32(mode.Perm())
	for _, bit := range keptBits {
		if mode&bit.file != 0 {
			system |= bit.system
		}
	}
	return system
}
