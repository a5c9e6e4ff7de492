package txn

import (
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// unixFile is a file that Create or Unnamed made.
type unixFile struct{ fd int }

func (f *unixFile) Write(b []byte) (n int, err error) {
	for n < len(b) {
		m, err := unix.Write(f.fd, b[n:])
		n += max(m, 0)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return n, err
		case m == 0:
			return n, io.ErrUnexpectedEOF
		}
	}
	return n, nil
}

func (f *unixFile) Take(a attributes) error {
	var stat unix.Stat_t
	if err := unix.Fstat(f.fd, &stat); err != nil {
		return err
	}
	return attributesIn(&stat).become(a,
		func(uid, gid int) error { return unix.Fchown(f.fd, uid, gid) },
		func(mode fs.FileMode) error { return unix.Fchmod(f.fd, systemMode(mode)) })
}

func (f *unixFile) Sync() error  { return again(func() error { return unix.Fsync(f.fd) }) }
func (f *unixFile) Close() error { return unix.Close(f.fd) }
