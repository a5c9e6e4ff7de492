package txn

import (
	"errors"
	"os"
	"strconv"
	"sync"

	"example.org/compose/internal/rootfs"
	"golang.org/x/sys/unix"
)

// maxOpenFolders is how many folders a disk keeps open: the way to a destination and its neighbours.
const maxOpenFolders = 64

// linuxDisk works with folder descriptors: each segment of a path is opened in its parent and must be a folder,
// so that a name that becomes a symlink in between is an error and never a way out.
type linuxDisk struct {
	*rootfs.Root // reads

	top    *os.File
	device uint64

	mu      sync.Mutex
	open    map[string]*openFolder // by path, without the top
	local   bool                   // digests may be remembered
	now     unix.Timespec          // the time of the last tick
	digests map[string]known       // by path
}

type openFolder struct {
	fd    int
	users int
}

func newDisk(root *rootfs.Root, top *os.File, _ string) (closingDisk, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(top.Fd()), &stat); err != nil {
		return nil, err
	}
	var kind unix.Statfs_t
	local := unix.Fstatfs(int(top.Fd()), &kind) == nil && localKind(int64(kind.Type))
	return &linuxDisk{Root: root, top: top, device: stat.Dev, open: map[string]*openFolder{}, local: local}, nil
}

// Close closes the folders; root and top are the caller's.
func (d *linuxDisk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closeIdle()
}

func (d *linuxDisk) Forget() {
	d.Root.Forget()
	d.Close()
	d.tick()
}

// closeIdle needs mu.
func (d *linuxDisk) closeIdle() {
	for path, f := range d.open {
		if f.users == 0 {
			unix.Close(f.fd)
			delete(d.open, path)
		}
	}
}

// in calls work with the descriptor of the folder at path.
func (d *linuxDisk) in(path string, work func(fd int) error) error {
	if path == "" {
		return work(int(d.top.Fd()))
	}
	f, err := d.acquire(path)
	if err != nil {
		return err
	}
	defer func() {
		d.mu.Lock()
		f.users--
		d.mu.Unlock()
	}()
	return work(f.fd)
}

func (d *linuxDisk) acquire(path string) (*openFolder, error) {
	d.mu.Lock()
	if f := d.open[path]; f != nil {
		f.users++
		d.mu.Unlock()
		return f, nil
	}
	d.mu.Unlock()
	parent, name := split(path)
	f := &openFolder{users: 1}
	err := d.in(parent, func(at int) (err error) {
		f.fd, err = openAt(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if other := d.open[path]; other != nil { // another goroutine was faster
		unix.Close(f.fd)
		other.users++
		return other, nil
	}
	if len(d.open) >= maxOpenFolders {
		d.closeIdle()
	}
	d.open[path] = f
	return f, nil
}

// forget closes the folder at path, which is going away.
func (d *linuxDisk) forget(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.open[path]; f != nil && f.users == 0 {
		unix.Close(f.fd)
		delete(d.open, path)
	}
}

func (d *linuxDisk) Mkdir(path string) error {
	parent, name := split(path)
	return d.in(parent, func(at int) error {
		return again(func() error { return unix.Mkdirat(at, name, 0o777) })
	})
}

func (d *linuxDisk) Create(path string, executable bool) (file, error) {
	mode := uint32(0o644)
	if executable {
		mode = 0o755
	}
	var f *unixFile
	parent, name := split(path)
	err := d.in(parent, func(at int) error {
		fd, err := openAt(at, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, mode)
		f = &unixFile{fd}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Install renames without overwriting. Where the file system knows no such rename the file gets its second name
// first and loses the one in staging then.
func (d *linuxDisk) Install(from, to string) error {
	fromParent, fromName := split(from)
	toParent, toName := split(to)
	return d.in(fromParent, func(fromAt int) error {
		return d.in(toParent, func(toAt int) error {
			err := again(func() error { return unix.Renameat2(fromAt, fromName, toAt, toName, unix.RENAME_NOREPLACE) })
			if !unsupported(err) {
				return err
			}
			if err := again(func() error { return unix.Linkat(fromAt, fromName, toAt, toName, 0) }); err != nil {
				return err
			}
			return again(func() error { return unix.Unlinkat(fromAt, fromName, 0) })
		})
	})
}

func (d *linuxDisk) Exchange(a, b string) error {
	err := d.rename(a, b, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		d.moved(b, a)
	case errors.Is(err, errors.ErrUnsupported):
		d.forgetDigests()
	}
	return err
}

func (d *linuxDisk) Replace(from, to string) error {
	err := d.rename(from, to, 0)
	if err == nil {
		d.moved(from, to)
	}
	return err
}

func (d *linuxDisk) rename(from, to string, flags uint) error {
	fromParent, fromName := split(from)
	toParent, toName := split(to)
	return d.in(fromParent, func(fromAt int) error {
		return d.in(toParent, func(toAt int) error {
			err := again(func() error { return unix.Renameat2(fromAt, fromName, toAt, toName, flags) })
			switch {
			case flags == 0 && errors.Is(err, unix.ENOSYS): // a sandbox that knows only the old call
				return again(func() error { return unix.Renameat(fromAt, fromName, toAt, toName) })
			case flags != 0 && unsupported(err):
				return errors.ErrUnsupported
			}
			return err
		})
	})
}

func (d *linuxDisk) Unlink(path string) error {
	parent, name := split(path)
	return d.in(parent, func(at int) error {
		return again(func() error { return unix.Unlinkat(at, name, 0) })
	})
}

func (d *linuxDisk) Rmdir(path string) error {
	d.forget(path)
	parent, name := split(path)
	return d.in(parent, func(at int) error {
		return again(func() error { return unix.Unlinkat(at, name, unix.AT_REMOVEDIR) })
	})
}

// Unnamed opens the folder itself: a kernel that does not know O_TMPFILE sees an attempt to write to one.
func (d *linuxDisk) Unnamed(folder string) (file, error) {
	var f *unixFile
	err := d.in(folder, func(at int) error {
		fd, err := openAt(at, ".", unix.O_TMPFILE|unix.O_WRONLY, 0o644)
		f = &unixFile{fd}
		return err
	})
	if unsupported(err) || errors.Is(err, unix.EISDIR) {
		return nil, errors.ErrUnsupported
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *linuxDisk) Link(f file, path string) error {
	unnamed, ok := f.(*unixFile)
	if !ok {
		return errors.ErrUnsupported
	}
	folder, name := split(path)
	return d.in(folder, func(at int) error { return linkUnnamed(unnamed.fd, at, name) })
}

// linkUnnamed gives the open file its first name: through /proc, for which no privilege is needed, or else directly.
func linkUnnamed(fd, at int, name string) error {
	err := again(func() error {
		return unix.Linkat(fd, "/proc/self/fd/"+strconv.Itoa(fd), at, name, unix.AT_SYMLINK_FOLLOW)
	})
	if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !unsupported(err) && !errors.Is(err, unix.EXDEV) {
		return err
	}
	err = again(func() error { return unix.Linkat(fd, "", at, name, unix.AT_EMPTY_PATH) })
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EPERM) || unsupported(err) {
		return errors.ErrUnsupported
	}
	return err
}

func (d *linuxDisk) SyncFile(path string) error {
	parent, name := split(path)
	return d.in(parent, func(at int) error {
		fd, err := openAt(at, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return again(func() error { return unix.Fsync(fd) })
	})
}

func (d *linuxDisk) SyncFolder(path string) error {
	return d.in(path, syncFolder)
}

func syncFolder(fd int) error {
	err := again(func() error { return unix.Fsync(fd) })
	if unsupported(err) {
		return errNoFolderSync
	}
	return err
}

func flushFolder(f *os.File) error { return syncFolder(int(f.Fd())) }

func (d *linuxDisk) List(path string, most int) ([]string, error) {
	var names []string
	err := d.in(path, func(at int) error {
		fd, err := unix.Openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		folder := os.NewFile(uintptr(fd), path)
		defer folder.Close()
		names, err = readNames(folder, most)
		return err
	})
	return names, err
}

func (d *linuxDisk) Writable(path string) error {
	return d.in(path, func(at int) error {
		var stat unix.Stat_t
		if err := unix.Fstat(at, &stat); err != nil {
			return err
		}
		if stat.Dev != d.device {
			return unix.EXDEV
		}
		return again(func() error { return unix.Faccessat(at, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS) })
	})
}

// unsupported reports whether a file system or kernel does not know a call.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS)
}

// openAt opens a name in a folder, as a bare descriptor: an os.File would be registered with the poller and have a finalizer.
func openAt(at int, name string, flags int, mode uint32) (fd int, err error) {
	err = again(func() (err error) {
		fd, err = unix.Openat(at, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// again calls f until no signal interrupts it.
func again(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// syncAbove flushes the folders above the open root, up to the root of its file system: an earlier run that was
// interrupted may have made them. Those that this process may not open it can't have made.
func syncAbove(top *os.File) error {
	var at unix.Stat_t
	fd, err := unix.Dup(int(top.Fd()))
	if err != nil {
		return err
	}
	defer func() { unix.Close(fd) }()
	if err := unix.Fstat(fd, &at); err != nil {
		return err
	}
	for {
		above, err := unix.Openat(fd, "..", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return ignorePermission(err)
		}
		unix.Close(fd)
		fd = above
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			return err
		}
		if stat.Dev != at.Dev || stat.Ino == at.Ino {
			return nil
		}
		at = stat
		if err := syncFolder(fd); err != nil && !errors.Is(err, errNoFolderSync) {
			return err
		}
	}
}

func ignorePermission(err error) error {
	if errors.Is(err, os.ErrPermission) {
		return nil
	}
	return err
}
