package txn

import (
	"io"

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

// Take changes the owner first: the system may clear bits of the mode when the owner changes. Who may not give files
// away keeps them; a file system without owners or modes has nothing to keep.
func (f *unixFile) Take(a attributes) error {
	var stat unix.Stat_t
	if err := unix.Fstat(f.fd, &stat); err != nil {
		return err
	}
	if a.uid >= 0 && (int(stat.Uid) != a.uid || int(stat.Gid) != a.gid) {
		err := unix.Fchown(f.fd, a.uid, a.gid)
		if err != nil && !cantKeep(err) {
			return err
		}
		if err != nil {
			a = a.unprivileged()
		}
	} else if fileMode(stat.Mode) == a.mode {
		return nil
	}
	if err := unix.Fchmod(f.fd, systemMode(a.mode)); err != nil && !cantKeep(err) {
		return err
	}
	return nil
}

func (f *unixFile) Sync() error  { return again(func() error { return unix.Fsync(f.fd) }) }
func (f *unixFile) Close() error { return unix.Close(f.fd) }
