package txn

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"sync"

	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// composer is what a first composition and a transaction have in common: how they stage files, make folders and flush.
// It uses the target through disk alone.
type composer struct {
	disk   disk
	source source
	opt    Options

	warnings warner
	progress counter
	folders  map[string]bool // that are there, because this run made or met them
	made     []string        // those that this run made, parents first
	staging  bool            // staging was begun
}

// source has the bytes of materials: a *planner.Composition.
type source interface {
	Open(ctx context.Context, m *planner.Material) (io.ReadCloser, error)
	Supply(ctx context.Context, materials []*planner.Material, put func(i int, from io.WriterTo) error) error
}

// begin makes c ready for so many files.
func (c *composer) begin(files int) {
	c.folders = map[string]bool{"": true}
	c.warnings.to = c.opt.Warn
	c.progress = counter{to: c.opt.Progress, total: files}
}

// stagingName is where the new file of the action at index i waits.
func stagingName(i int) string { return lockv2.StagingFolder + "/" + strconv.Itoa(i) }

// The other names in staging.
const (
	stagedLock   = lockv2.StagingFolder + "/lock"
	stagedMarker = lockv2.StagingFolder + "/marker"
)

// prepare makes an empty staging folder. What an interrupted run left there is removed unread: such a file may
// share its bytes with an installed one, so nothing ever opens it for writing.
func (c *composer) prepare(context.Context) error {
	if err := c.folder(lockv2.StateFolder); err != nil {
		return err
	}
	c.staging = true
	if err := c.clear(lockv2.StagingFolder); err != nil {
		return err
	}
	return c.folder(lockv2.StagingFolder)
}

// sweep removes staging.
func (c *composer) sweep(context.Context) error {
	if err := c.clear(lockv2.StagingFolder); err != nil {
		return err
	}
	c.made = slices.DeleteFunc(c.made, func(path string) bool { return path == lockv2.StagingFolder })
	delete(c.folders, lockv2.StagingFolder)
	return nil
}

// undo removes, after a failure, staging and the folders of this run that nothing came into.
func (c *composer) undo() {
	if c.staging {
		_ = c.clear(lockv2.StagingFolder) // what is left the next run clears
	}
	for _, path := range slices.Backward(c.made) {
		_ = c.disk.Rmdir(path) // fails where something is in it
	}
}

// folder makes the folder at path, and those above it, unless they are there.
func (c *composer) folder(path string) error {
	if c.folders[path] {
		return nil
	}
	parent, _ := split(path)
	if err := c.folder(parent); err != nil {
		return err
	}
	err := c.disk.Mkdir(path)
	switch {
	case err == nil:
		c.made = append(c.made, path)
	case !errors.Is(err, fs.ErrExist): // what stands there shows when something is put into it
		return entryFault(path, "making the folder", err)
	}
	c.folders[path] = true
	return nil
}

// clear removes the folder at path and everything in it; nothing where it is not there.
func (c *composer) clear(path string) error {
	names, err := c.disk.List(path, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return entryFault(lockv2.StagingFolder, "listing what an earlier run left", err)
	}
	for _, name := range names {
		entry := path + "/" + name
		err := c.disk.Unlink(entry)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if _, listing := c.disk.List(entry, -1); listing != nil {
			return writeFault(lockv2.StagingFolder, "removing what an earlier run left", err)
		}
		if err := c.clear(entry); err != nil {
			return err
		}
	}
	if err := c.disk.Rmdir(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return writeFault(lockv2.StagingFolder, "removing what an earlier run left", err)
	}
	return nil
}

// writeStaged makes a file of these bytes, with attributes that are not its own where some are given.
func (c *composer) writeStaged(path string, b []byte, keep *attributes, sync bool) error {
	f, err := c.disk.Create(path, false)
	if err != nil {
		return err
	}
	if keep != nil {
		err = f.Take(*keep)
	}
	if err == nil {
		_, err = f.Write(b)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// both calls two functions at once, and returns the error of the first, or else of the second.
func both(one, two func() error) error {
	var group sync.WaitGroup
	var err error
	group.Go(func() { err = one() })
	other := two()
	group.Wait()
	if err != nil {
		return err
	}
	return other
}

// first returns the first error of a list that was filled by index.
func first(faults []error) error {
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}
