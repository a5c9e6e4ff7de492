package txn

import (
	"context"
	"errors"
	"sync"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// faultDisk passes every call on and counts it. At the call that fails it returns err instead; with stop every
// later one fails too, as if the process had ended there.
type faultDisk struct {
	disk
	fail int // the call to fail, from 1; 0 for none
	err  error
	stop bool

	diskKind

	before func(n int, op, path string) // called before each call; may be nil

	mu    sync.Mutex
	calls []string // "operation path"
}

// diskKind says what a disk does otherwise than a real one.
type diskKind struct {
	dry        bool // does not wait for the real disk
	noExchange bool // knows no exchange
	noUnnamed  bool // knows no files without a name
}

// call counts a call and returns the error that it is to fail with.
func (d *faultDisk) call(op, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, op+" "+path)
	n := len(d.calls)
	if d.before != nil {
		d.before(n, op, path)
	}
	if d.fail != 0 && (n == d.fail || d.stop && n > d.fail) {
		return d.err
	}
	return nil
}

func (d *faultDisk) Mkdir(path string) error {
	if err := d.call("mkdir", path); err != nil {
		return err
	}
	return d.disk.Mkdir(path)
}

func (d *faultDisk) Create(path string, executable bool) (file, error) {
	if err := d.call("create", path); err != nil {
		return nil, err
	}
	f, err := d.disk.Create(path, executable)
	if err != nil {
		return nil, err
	}
	return &faultFile{file: f, disk: d, path: path}, nil
}

func (d *faultDisk) Install(from, to string) error {
	if err := d.call("install", to); err != nil {
		return err
	}
	return d.disk.Install(from, to)
}

func (d *faultDisk) Exchange(a, b string) error {
	if err := d.call("exchange", b); err != nil {
		return err
	}
	if d.noExchange {
		return errors.ErrUnsupported
	}
	return d.disk.Exchange(a, b)
}

func (d *faultDisk) Replace(from, to string) error {
	if err := d.call("replace", to); err != nil {
		return err
	}
	return d.disk.Replace(from, to)
}

func (d *faultDisk) Unnamed(folder string) (file, error) {
	if err := d.call("unnamed", folder); err != nil {
		return nil, err
	}
	if d.noUnnamed {
		return nil, errors.ErrUnsupported
	}
	f, err := d.disk.Unnamed(folder)
	if err != nil {
		return nil, err
	}
	return &faultDraft{faultFile{file: f, disk: d, path: folder}}, nil
}

func (d *faultDisk) Link(f file, path string) error {
	if err := d.call("link", path); err != nil {
		return err
	}
	return d.disk.Link(f.(*faultDraft).file, path)
}

// faultDraft is a file whose closing means nothing any more.
type faultDraft struct{ faultFile }

func (f *faultDraft) Close() error { return f.file.Close() }

func (d *faultDisk) Unlink(path string) error {
	if err := d.call("unlink", path); err != nil {
		return err
	}
	return d.disk.Unlink(path)
}

func (d *faultDisk) Rmdir(path string) error {
	if err := d.call("rmdir", path); err != nil {
		return err
	}
	return d.disk.Rmdir(path)
}

func (d *faultDisk) SyncFile(path string) error {
	if err := d.call("sync", path); err != nil {
		return err
	}
	if d.dry {
		return nil
	}
	return d.disk.SyncFile(path)
}

func (d *faultDisk) SyncFolder(path string) error {
	if err := d.call("syncfolder", path); err != nil {
		return err
	}
	if d.dry {
		return nil
	}
	return d.disk.SyncFolder(path)
}

func (d *faultDisk) SyncAll() error {
	if err := d.call("syncall", ""); err != nil {
		return err
	}
	if d.dry {
		return nil
	}
	return d.disk.SyncAll()
}

func (d *faultDisk) List(path string, most int) ([]string, error) {
	if err := d.call("list", path); err != nil {
		return nil, err
	}
	return d.disk.List(path, most)
}

func (d *faultDisk) Digest(ctx context.Context, path lockv2.Destination, buf []byte) (rootfs.Sum, error) {
	if err := d.call("digest", string(path)); err != nil {
		return rootfs.Sum{}, err
	}
	return d.disk.Digest(ctx, path, buf)
}

func (d *faultDisk) Look(ctx context.Context, path lockv2.Destination, buf []byte) (rootfs.Sum, attributes, error) {
	if err := d.call("digest", string(path)); err != nil {
		return rootfs.Sum{}, attributes{}, err
	}
	return d.disk.Look(ctx, path, buf)
}

func (d *faultDisk) ReadFile(path lockv2.Destination, limit int64) ([]byte, error) {
	if err := d.call("read", string(path)); err != nil {
		return nil, err
	}
	return d.disk.ReadFile(path, limit)
}

func (d *faultDisk) Attributes(path lockv2.Destination) (attributes, error) {
	if err := d.call("attributes", string(path)); err != nil {
		return attributes{}, err
	}
	return d.disk.Attributes(path)
}

func (d *faultDisk) SetAttributes(path string, a attributes) error {
	if err := d.call("take", path); err != nil {
		return err
	}
	return d.disk.SetAttributes(path, a)
}

func (d *faultDisk) Changeable(path string) error {
	if err := d.call("changeable", path); err != nil {
		return err
	}
	return d.disk.Changeable(path)
}

func (d *faultDisk) Writable(path string) error {
	if err := d.call("writable", path); err != nil {
		return err
	}
	return d.disk.Writable(path)
}

type faultFile struct {
	file
	disk *faultDisk
	path string
}

// Write writes half of b where it is to fail: a torn write.
func (f *faultFile) Write(b []byte) (int, error) {
	if err := f.disk.call("write", f.path); err != nil {
		n, _ := f.file.Write(b[:len(b)/2])
		return n, err
	}
	return f.file.Write(b)
}

func (f *faultFile) Take(a attributes) error {
	if err := f.disk.call("take", f.path); err != nil {
		return err
	}
	return f.file.Take(a)
}

func (f *faultFile) Sync() error {
	if err := f.disk.call("fsync", f.path); err != nil {
		return err
	}
	if f.disk.dry {
		return nil
	}
	return f.file.Sync()
}

func (f *faultFile) Close() error {
	err := f.file.Close()
	if injected := f.disk.call("close", f.path); injected != nil {
		return injected
	}
	return err
}
