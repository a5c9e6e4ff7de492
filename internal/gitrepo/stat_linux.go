package gitrepo

import (
	"io/fs"
	"syscall"
)

// statOf returns what an index would keep of info. full is false where the system does not tell all of it.
func statOf(info fs.FileInfo) (d statData, full bool) {
	d = basicStat(info)
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return d, false
	}
	d.ctimeSec, d.ctimeNsec = uint32(sys.Ctim.Sec), uint32(sys.Ctim.Nsec)
	d.ino, d.uid, d.gid = uint32(sys.Ino), sys.Uid, sys.Gid
	return d, true
}
