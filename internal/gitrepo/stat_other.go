//go:build !linux && !darwin && !freebsd && !netbsd

package gitrepo

import (
	"io/fs"
	"os"
)

type folderHandle struct{}

func openWorkFolder(path string) *workFolder { return &workFolder{path: path} }

// lstat does not follow name itself; its parents it does. Of the stat data it has what core.checkStat=minimal compares.
func (f *workFolder) lstat(name string) (s fileStat, err error) {
	info, err := os.Lstat(f.filePath(name))
	if err != nil {
		return s, err
	}
	return statOf(info), nil
}

func (f *workFolder) close() {}

// statOf is what os.Lstat says.
func statOf(info fs.FileInfo) fileStat {
	mtime := info.ModTime()
	s := fileStat{
		mode: uint32(info.Mode().Perm()),
		size: info.Size(),
		data: statData{mtimeSec: uint32(mtime.Unix()), mtimeNsec: uint32(mtime.Nanosecond()), size: uint32(info.Size())},
	}
	switch info.Mode().Type() {
	case 0:
		s.mode |= kindFile
	case fs.ModeDir:
		s.mode |= kindFolder
	case fs.ModeSymlink:
		s.mode |= kindLink
	}
	return s
}
