//go:build !linux && !darwin && !freebsd && !netbsd

package gitrepo

import "io/fs"

// statOf returns what an index would keep of info: here the time of change and the size, which is what
// core.checkStat=minimal compares.
func statOf(info fs.FileInfo) (d statData, full bool) { return basicStat(info), false }
