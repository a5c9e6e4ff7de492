//go:build !linux

package txn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// portableDisk works through os.Root, which confines it to the target. os.Root follows links that stay inside, so each
// folder on the way is looked at before it is used; in the instant between, one that becomes a link is followed.
type portableDisk struct {
	reader *rootfs.Root
	dir    *os.Root
}

func newDisk(reader *rootfs.Root, top *os.File, path string) (closingDisk, error) {
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	want, err := top.Stat()
	if err == nil {
		var got fs.FileInfo
		if got, err = dir.Stat("."); err == nil && !os.SameFile(got, want) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &portableDisk{reader: reader, dir: dir}, nil
}

func (d *portableDisk) Close()  { d.dir.Close() }
func (d *portableDisk) Forget() { d.reader.Forget() }

// in returns path as os.Root takes it, after a look at each folder on the way.
func (d *portableDisk) in(path string) (string, error) {
	for i := range path {
		if path[i] != '/' {
			continue
		}
		if err := d.folder(path[:i]); err != nil {
			return "", err
		}
	}
	return filepath.FromSlash(path), nil
}

func (d *portableDisk) folder(path string) error {
	info, err := d.dir.Lstat(filepath.FromSlash(path))
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return syscall.ELOOP
	case !info.IsDir():
		return syscall.ENOTDIR
	}
	return nil
}

func (d *portableDisk) Mkdir(path string) error {
	name, err := d.in(path)
	if err != nil {
		return err
	}
	return d.dir.Mkdir(name, 0o777)
}

func (d *portableDisk) Create(path string, executable bool) (file, error) {
	name, err := d.in(path)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	created, err := d.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return newFile{created}, nil
}

// Install links, because a rename would overwrite, and then removes the name in staging.
func (d *portableDisk) Install(from, to string) error {
	return d.both(from, to, func(old, name string) error {
		if err := d.dir.Link(old, name); err != nil {
			return err
		}
		return d.dir.Remove(old)
	})
}

func (d *portableDisk) Exchange(a, b string) error {
	return d.both(a, b, func(a, b string) error { return exchange(d.dir, a, b) })
}

func (d *portableDisk) Replace(from, to string) error {
	return d.both(from, to, d.dir.Rename)
}

// both calls work with two paths as os.Root takes them, again and again for a while where another program has one of
// the files open in a way that forbids it, as virus scanners do on Windows for an instant with every new file.
func (d *portableDisk) both(from, to string, work func(from, to string) error) error {
	old, err := d.in(from)
	if err != nil {
		return err
	}
	name, err := d.in(to)
	if err != nil {
		return err
	}
	return patiently(func() error { return work(old, name) })
}

// patience is how long a file that another program has open is waited for.
const patience = 3 * time.Second

func patiently(work func() error) error {
	deadline := time.Now().Add(patience)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		err := work()
		if err == nil || !inUse(err) || time.Now().Add(pause).After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

func (d *portableDisk) Unnamed(string) (file, error) { return nil, errors.ErrUnsupported }
func (d *portableDisk) Link(file, string) error      { return errors.ErrUnsupported }

func (d *portableDisk) Unlink(path string) error {
	name, err := d.in(path)
	if err != nil {
		return err
	}
	if info, err := d.dir.Lstat(name); err == nil && info.IsDir() {
		return syscall.EISDIR
	}
	return patiently(func() error { return d.dir.Remove(name) })
}

func (d *portableDisk) Rmdir(path string) error {
	name, err := d.in(path)
	if err != nil {
		return err
	}
	if err := d.folder(path); err != nil {
		return err
	}
	return d.dir.Remove(name)
}

func (d *portableDisk) SyncFile(path string) error {
	name, err := d.in(path)
	if err != nil {
		return err
	}
	// Windows flushes only what is open for writing.
	flag := os.O_RDONLY
	if runtime.GOOS == "windows" {
		flag = os.O_RDWR
	}
	f, err := d.dir.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func (d *portableDisk) SyncFolder(path string) error {
	name, err := d.in(path)
	if err != nil {
		return err
	}
	if name == "" {
		name = "."
	}
	f, err := d.dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return flushFolder(f)
}

func flushFolder(f *os.File) error {
	if runtime.GOOS == "windows" {
		return nil // NTFS journals its folders; there is no call that flushes one
	}
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return errNoFolderSync
	}
	return err
}

func (d *portableDisk) SyncAll() error { return errors.ErrUnsupported }
func (d *portableDisk) Bulk() error    { return errors.New("this system has no such call") }

func (d *portableDisk) Digest(ctx context.Context, path lockv2.Destination, buf []byte) (rootfs.Sum, error) {
	return d.reader.Digest(ctx, path, buf)
}

func (d *portableDisk) Look(ctx context.Context, path lockv2.Destination, buf []byte) (rootfs.Sum, attributes, error) {
	return lookTwice(ctx, d.reader, path, buf)
}

func (d *portableDisk) ReadFile(path lockv2.Destination, limit int64) ([]byte, error) {
	return d.reader.ReadFile(path, limit)
}

func (d *portableDisk) Attributes(path lockv2.Destination) (attributes, error) {
	return attributesOf(d.reader, path)
}

func (d *portableDisk) SetAttributes(path string, a attributes) error {
	name, err := d.in(path)
	if err != nil || runtime.GOOS == "windows" {
		return err
	}
	info, err := d.dir.Lstat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return syscall.ELOOP
	}
	return attributesFrom(info).become(a,
		func(uid, gid int) error { return d.dir.Lchown(name, uid, gid) },
		func(mode fs.FileMode) error { return d.dir.Chmod(name, mode) })
}

// Changeable can't ask the system here either.
func (d *portableDisk) Changeable(string) error { return nil }

func (d *portableDisk) List(path string, most int) ([]string, error) {
	name, err := d.in(path)
	if err != nil {
		return nil, err
	}
	if err := d.folder(path); err != nil {
		return nil, err
	}
	f, err := d.dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readNames(f, most)
}

// Writable can't ask the system here; what it can't know the first write finds out.
func (d *portableDisk) Writable(path string) error {
	if path == "" {
		return nil
	}
	return d.folder(path)
}

// syncAbove flushes the folder above the open root: an earlier run that was interrupted may have made the root.
func syncAbove(top *os.File) error {
	above, err := os.Open(filepath.Dir(filepath.Clean(top.Name())))
	if err != nil {
		return nil // whoever may not open it can't have made anything in it
	}
	defer above.Close()
	if err := flushFolder(above); !errors.Is(err, errNoFolderSync) {
		return err
	}
	return nil
}
