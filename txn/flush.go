package txn

import (
	"context"
	"errors"
	"fmt"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
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

// flushFiles flushes files that this run did not write.
func (c *composer) flushFiles(ctx context.Context, files []lockv2.Destination) error {
	return each(ctx, len(files), flushWorkers, func(_ context.Context, i int, _ []byte) error {
		if err := c.disk.SyncFile(string(files[i])); err != nil {
			return entryFault(string(files[i]), "flushing the file to the disk", err)
		}
		return nil
	})
}

// flushFolders flushes each folder. Where a file system can't, one warning says so.
func (c *composer) flushFolders(folders []string) error {
	return each(context.Background(), len(folders), flushWorkers, func(_ context.Context, i int, _ []byte) error {
		err := c.disk.SyncFolder(folders[i])
		if errors.Is(err, errNoFolderSync) {
			c.warnings.warn("this file system can't flush folders: after a power failure new files may be missing; run compose validate then")
			return nil
		}
		if err != nil {
			return entryFault(named(folders[i]), "flushing the folder to the disk", err)
		}
		return nil
	})
}
