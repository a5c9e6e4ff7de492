package gitrepo

import (
	"path/filepath"
	"time"
)

// fileStat is what lstat says of a file, as far as git looks at it.
type fileStat struct {
	mode uint32 // as in stat(2), and in index entries
	size int64
	data statData
	full bool // data has all that the index has; else times of change and size alone
}

func (s *fileStat) kind() uint32 { return s.mode & kindMask }

// workFolder looks at the files below the top of a work tree. Many goroutines may use it at once.
type workFolder struct {
	path string // of the top
	open folderHandle
}

// filePath returns the path of the file of that name.
func (f *workFolder) filePath(name string) string {
	return filepath.Join(f.path, filepath.FromSlash(name))
}

// statRules says which stat data git compares (core.trustctime, core.checkStat).
type statRules struct {
	trustCtime bool
	full       bool // not core.checkStat=minimal
}

// statVerdict is what stat data alone say about a file.
type statVerdict uint8

const (
	statSame    statVerdict = iota // the file need not be read
	statStale                      // the file must be read
	statChanged                    // its length is another: it is not read
)

// compare holds the stat data of a file against the index, as git's match_stat_data and ie_modified do.
//
// Fractions of a second count only where the index has them: git itself may be built without them, and other
// programs write zero.
func (r statRules) compare(recorded statData, found *fileStat, written time.Time) statVerdict {
	now, full := &found.data, found.full && r.full
	ctime := full && r.trustCtime
	switch {
	case recorded.size == 0 && now.size != 0:
		// Never looked at, or smudged by git because it was racy.
		return statStale
	case recorded.size != now.size:
		return statChanged
	case recorded.mtimeSec != now.mtimeSec || recorded.mtimeNsec != 0 && recorded.mtimeNsec != now.mtimeNsec,
		ctime && (recorded.ctimeSec != now.ctimeSec || recorded.ctimeNsec != 0 && recorded.ctimeNsec != now.ctimeNsec),
		full && (recorded.ino != now.ino || recorded.uid != now.uid || recorded.gid != now.gid):
		return statStale
	case recorded.racy(written, ctime):
		return statStale
	}
	return statSame
}

// racy reports whether the file was changed no earlier than the index was written: a later change may have left
// the same stat data. Without fractions, or without the time of the inode's change, seconds decide, as in git.
func (d statData) racy(written time.Time, precise bool) bool {
	changed := time.Unix(int64(d.mtimeSec), int64(d.mtimeNsec))
	if !precise || d.mtimeNsec == 0 {
		return written.Unix() <= changed.Unix()
	}
	return !changed.Before(written)
}
