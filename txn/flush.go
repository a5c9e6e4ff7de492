package txn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Flush is a way to make many files and folders durable. Whatever it is, a single folder is fsynced, and the order of
// docs/transaction.md is kept.
type Flush string

// The ways. The zero value is FlushAuto.
const (
	FlushAuto   Flush = "auto"   // FlushSyncfs for many where it is as good, else FlushFsync
	FlushFsync  Flush = "fsync"  // each by itself, many at once
	FlushSyncfs Flush = "syncfs" // all in one call; FLUSH_UNSUPPORTED where that is not as good
)

// From this many files and folders on one syncfs is faster than an fsync of each: docs/performance.md has the figures. It also flushes
// what other programs have written, so a small composition on a busy machine is better off without.
const bulkFrom = 64

// flushWorkers is how many fsyncs wait for the disk at once: a journal commits them together.
const flushWorkers = 32

// bulk reports whether so many flushes are better done by one SyncAll.
func (c *composer) bulk(flushes int) bool {
	switch c.opt.Flush {
	case FlushFsync:
		return false
	case FlushSyncfs:
		return flushes > 0
	}
	return flushes >= bulkFrom && c.disk.Bulk() == nil
}

// checkFlush refuses a way of flushing that promises too little here.
func checkFlush(d disk, way Flush) error {
	if way != FlushSyncfs {
		return nil
	}
	if why := d.Bulk(); why != nil {
		return &Error{cause: why, Base: diag.New(CodeFlushUnsupported, "", fmt.Sprintf("syncfs is not to be relied on here: %v; let compose choose, or flush by fsync", why)).
			WithHint("--flush auto")}
	}
	return nil
}

// flush flushes files that this run did not write, folders, and a draft if there is one, in any order.
func (c *composer) flush(ctx context.Context, files []lockv2.Destination, folders []string, d *draft) error {
	n := len(files) + len(folders)
	tasks := n
	if d != nil {
		tasks++
	}
	return each(ctx, tasks, flushWorkers, 0, func(_ context.Context, i int, _ []byte) error {
		switch {
		case i < len(files):
			return c.flushFile(files[i])
		case i < n:
			return c.flushFolder(folders[i-len(files)])
		}
		if err := d.flush(); err != nil {
			return writeFault(d.path, "flushing the file to the disk", err)
		}
		return nil
	})
}

func (c *composer) flushFile(path lockv2.Destination) error {
	if err := c.disk.SyncFile(string(path)); err != nil {
		return entryFault(string(path), "flushing the file to the disk", err)
	}
	return nil
}

// flushFolder flushes one folder. Where a file system can't, one warning says so.
func (c *composer) flushFolder(path string) error {
	err := c.disk.SyncFolder(path)
	if errors.Is(err, errNoFolderSync) {
		c.warnings.warn("this file system can't flush folders: after a power failure new files may be missing; run compose validate then")
		return nil
	}
	if err != nil {
		return entryFault(named(path), "flushing the folder to the disk", err)
	}
	return nil
}

// flushFolders flushes folders, also where the run is to end.
func (c *composer) flushFolders(folders ...string) error {
	return c.flush(context.Background(), nil, folders, nil)
}

// flushing flushes and closes files while others are being written.
type flushing struct {
	slots  chan struct{}
	group  sync.WaitGroup
	faults []error // by index
	failed atomic.Bool
}

// errFlush stops the writing of files after one could not be flushed; flushing.wait has the error.
var errFlush = errors.New("a file could not be flushed")

func newFlushing(files int) *flushing {
	return &flushing{slots: make(chan struct{}, flushWorkers), faults: make([]error, files)}
}

// add takes a file over, as soon as not too many are being flushed.
func (f *flushing) add(i int, to file, m *planner.Material) {
	f.slots <- struct{}{}
	f.group.Go(func() {
		err := to.Sync()
		if err != nil {
			err = writeFault(string(m.Destination), "flushing the new file to the disk", err)
		}
		if closed := to.Close(); err == nil && closed != nil {
			err = writeFault(string(m.Destination), "writing the new file", closed)
		}
		if err != nil {
			f.faults[i] = err
			f.failed.Store(true)
		}
		<-f.slots
	})
}

// wait returns the error of the file with the lowest index.
func (f *flushing) wait() error {
	f.group.Wait()
	return first(f.faults)
}
