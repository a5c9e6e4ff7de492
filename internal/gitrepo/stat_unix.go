//go:build linux || darwin || freebsd || netbsd

package gitrepo

import (
	"errors"

	"golang.org/x/sys/unix"
)

// folderHandle is an open folder: a look-up from there does not walk the path to it again.
type folderHandle struct {
	fd   int
	from string // what goes before names: the path of a folder that could not be opened
}

// openWorkFolder opens the top of a work tree. One that can't be opened has its files looked at by their whole paths.
func openWorkFolder(path string) *workFolder {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &workFolder{path, folderHandle{unix.AT_FDCWD, path + "/"}}
	}
	return &workFolder{path, folderHandle{fd: fd}}
}

// lstat does not follow name itself; its parents it does.
func (f *workFolder) lstat(name string) (s fileStat, err error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(f.open.fd, f.open.from+name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EINTR) {
			return s, err
		}
	}
	return fileStat{
		mode: uint32(st.Mode),
		size: st.Size,
		data: statData{
			mtimeSec: uint32(st.Mtim.Sec), mtimeNsec: uint32(st.Mtim.Nsec),
			ctimeSec: uint32(st.Ctim.Sec), ctimeNsec: uint32(st.Ctim.Nsec),
			ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: uint32(st.Size),
		},
		full: true,
	}, nil
}

func (f *workFolder) close() {
	if f.open.fd != unix.AT_FDCWD {
		unix.Close(f.open.fd)
	}
}
