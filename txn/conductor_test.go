package txn

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// conductor is a disk on a memory that makes the calls of all goroutines one at a time, in an order that is the
// same in every run: when everybody waits, order chooses who is next. It works inside a synctest bubble.
type conductor struct {
	*memory

	order  func(waiting []*call) int       // sorted by name; nil: see eager
	before func(n int, c *call)            // before the n-th call, from 0; may be nil
	fault  func(n int, c *call) error      // the error that the call is to fail with; may be nil
	after  func(n int, c *call, err error) // may be nil

	mu      sync.Mutex
	waiting []*call
	times   map[string]int
	n       int
}

// call is one call of disk.
type call struct {
	op, path string
	nth      int  // so many calls of this kind and path were before
	reads    bool // it changes nothing
	work     func() error
	fail     func() // what a call that fails does all the same; nil for nothing
	done     chan error
}

// name is the same in every run, in whatever order the calls came.
func (c *call) name() string { return c.op + " " + c.path + " " + strconv.Itoa(c.nth) }

// run calls work, which uses d, and makes its calls.
func (d *conductor) run(work func(d disk) error) error {
	d.times = map[string]int{}
	result := make(chan error, 1)
	go func() { result <- work(d) }()
	for {
		synctest.Wait()
		if len(d.waiting) == 0 {
			return <-result
		}
		slices.SortFunc(d.waiting, func(a, b *call) int { return compareNames(a, b) })
		i := eager(d.waiting)
		if d.order != nil {
			i = d.order(d.waiting)
		}
		c := d.waiting[i]
		d.waiting = slices.Delete(d.waiting, i, i+1)
		d.make(c)
	}
}

func compareNames(a, b *call) int {
	switch x, y := a.name(), b.name(); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (d *conductor) make(c *call) {
	d.looks.Lock()
	defer d.looks.Unlock()
	if d.before != nil {
		d.before(d.n, c)
	}
	var err error
	if d.fault != nil {
		err = d.fault(d.n, c)
	}
	if err == nil {
		err = c.work()
	} else if c.fail != nil {
		c.fail()
	}
	if d.after != nil {
		d.after(d.n, c, err)
	}
	d.n++
	c.done <- err
}

// eager leaves as much as can be unflushed: flushes come last.
func eager(waiting []*call) int {
	for i, c := range waiting {
		if !c.flushes() {
			return i
		}
	}
	return 0
}

func (c *call) flushes() bool {
	return slices.Contains([]string{"fsync", "sync", "syncfolder", "syncall"}, c.op)
}

// do waits for its turn.
func (d *conductor) do(c call) error {
	c.done = make(chan error, 1)
	d.mu.Lock()
	key := c.op + " " + c.path
	c.nth = d.times[key]
	d.times[key]++
	d.waiting = append(d.waiting, &c)
	d.mu.Unlock()
	return <-c.done
}

func (d *conductor) change(op, path string, work func() error) error {
	return d.do(call{op: op, path: path, work: work})
}

func (d *conductor) Mkdir(path string) error {
	return d.change("mkdir", path, func() error { return d.mkdir(path) })
}

func (d *conductor) Create(path string, executable bool) (f file, err error) {
	err = d.change("create", path, func() error {
		made, err := d.create(path, executable)
		f = &conductedFile{d, path, made}
		return err
	})
	return f, err
}

func (d *conductor) Install(from, to string) error {
	return d.change("install", from+" "+to, func() error { return d.install(from, to) })
}

func (d *conductor) Exchange(a, b string) error {
	return d.change("exchange", a+" "+b, func() error { return d.exchange(a, b) })
}

func (d *conductor) Replace(from, to string) error {
	return d.change("replace", from+" "+to, func() error { return d.replace(from, to) })
}

func (d *conductor) Unnamed(folder string) (f file, err error) {
	err = d.change("unnamed", folder, func() error {
		made, err := d.nameless(folder)
		f = &conductedFile{d, folder, made}
		return err
	})
	return f, err
}

func (d *conductor) Link(f file, path string) error {
	return d.change("link", path, func() error { return d.link(f.(*conductedFile).inode, path) })
}

func (d *conductor) Unlink(path string) error {
	return d.change("unlink", path, func() error { return d.unlink(path) })
}

func (d *conductor) Rmdir(path string) error {
	return d.change("rmdir", path, func() error { return d.rmdir(path) })
}

func (d *conductor) SyncFile(path string) error {
	return d.do(call{op: "sync", path: path, work: func() error { return d.syncFile(path) }, fail: func() {
		if f, err := d.lookup(path); err == nil {
			f.lose()
		}
	}})
}

func (d *conductor) SyncFolder(path string) error {
	return d.do(call{op: "syncfolder", path: path, work: func() error { return d.syncFolder(path) }, fail: func() {
		if f, err := d.folder(path); err == nil {
			d.drop(f)
		}
	}})
}

func (d *conductor) SyncAll() error {
	return d.do(call{op: "syncall", work: d.syncAll, fail: func() { d.files((*inode).lose) }})
}

func (d *conductor) Forget() {}

// Bulk does not wait for its turn: it looks at nothing that changes.
func (d *conductor) Bulk() error { return bulkIf(d.bulk) }

func (d *conductor) read(op, path string, work func() error) error {
	return d.do(call{op: op, path: path, reads: true, work: work})
}

func (d *conductor) Digest(ctx context.Context, at lockv2.Destination, _ []byte) (sum rootfs.Sum, err error) {
	err = d.read("digest", string(at), func() (err error) {
		sum, err = d.digest(at)
		return err
	})
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return sum, err
}

func (d *conductor) Look(ctx context.Context, at lockv2.Destination, _ []byte) (sum rootfs.Sum, a attributes, err error) {
	err = d.read("digest", string(at), func() (err error) {
		if sum, err = d.digest(at); err == nil {
			a, err = d.memory.attributes(at)
		}
		return err
	})
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return sum, a, err
}

func (d *conductor) ReadFile(at lockv2.Destination, limit int64) (b []byte, err error) {
	err = d.read("read", string(at), func() (err error) {
		b, err = d.readFile(at, limit)
		return err
	})
	return b, err
}

func (d *conductor) Attributes(at lockv2.Destination) (a attributes, err error) {
	err = d.read("attributes", string(at), func() (err error) {
		a, err = d.memory.attributes(at)
		return err
	})
	return a, err
}

// SetAttributes makes a mode that is durable at once: it is no part of what a flush of the file writes.
func (d *conductor) SetAttributes(path string, a attributes) error {
	return d.change("take", path, func() error {
		f, err := d.look(lockv2.Destination(path))
		if err != nil {
			return err
		}
		f.now.mode, f.kept.mode = a.mode, a.mode
		return nil
	})
}

func (d *conductor) Changeable(path string) error { return nil }

func (d *conductor) List(path string, most int) (names []string, err error) {
	err = d.read("list", path, func() (err error) {
		names, err = d.list(path, most)
		return err
	})
	return names, err
}

func (d *conductor) Writable(path string) error {
	return d.read("writable", path, func() error { return d.writable(path) })
}

// conductedFile is a file that is being written.
type conductedFile struct {
	disk *conductor
	path string
	*inode
}

// Write writes half of b where it is to fail.
func (f *conductedFile) Write(b []byte) (int, error) {
	add := func(b []byte) {
		f.now.text += string(b)
		f.dirty = true
	}
	n := 0
	err := f.disk.do(call{op: "write", path: f.path, work: func() error {
		add(b)
		n = len(b)
		return nil
	}, fail: func() {
		n = len(b) / 2
		add(b[:n])
	}})
	return n, err
}

func (f *conductedFile) Take(a attributes) error {
	return f.disk.change("take", f.path, func() error {
		f.now.mode, f.dirty = a.mode, true
		return nil
	})
}

func (f *conductedFile) Sync() error {
	return f.disk.do(call{op: "fsync", path: f.path, work: func() error {
		f.sync()
		return nil
	}, fail: f.lose})
}

func (f *conductedFile) Close() error {
	return f.disk.do(call{op: "close", path: f.path, reads: true, work: func() error { return nil }})
}

var _ disk = (*conductor)(nil)
