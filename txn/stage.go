package txn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"sync"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// staged is a new file on its way into staging.
type staged struct {
	material *planner.Material
	path     string
	keep     *attributes // of the file that it replaces; nil for none
}

// stage writes and flushes every new file under its temporary name, before any gets another.
func (n *installation) stage(ctx context.Context) error {
	var files []staged
	for i := range n.actions {
		if n.actions[i].Kind == planner.Create {
			files = append(files, staged{material: n.actions[i].Material, path: stagingName(i)})
		}
	}
	return n.stageAll(ctx, files, n.bulk(len(files)))
}

// stageAll writes and flushes files, in bulk or one by one, checking the digest of each on the way.
func (c *composer) stageAll(ctx context.Context, files []staged, bulk bool) error {
	if err := c.writeAll(ctx, files, bulk); err != nil || !bulk {
		return err
	}
	return c.flushStaged()
}

// writeAll writes files, and, but for a flush in bulk that is to follow, flushes each while the next ones are written.
func (c *composer) writeAll(ctx context.Context, files []staged, bulk bool) error {
	flushing := newFlushing(len(files))
	materials := make([]*planner.Material, len(files))
	for i := range files {
		materials[i] = files[i].material
	}
	err := c.source.Supply(ctx, materials, func(i int, from io.WriterTo) error {
		if flushing.failed.Load() {
			return errFlush
		}
		to, err := c.stageOne(ctx, &files[i], from)
		if err != nil {
			return err
		}
		if !bulk {
			flushing.add(i, to, files[i].material)
		} else if err := to.Close(); err != nil {
			return writeFault(string(files[i].material.Destination), "writing the new file", err)
		}
		c.progress.add()
		return nil
	})
	if ctx.Err() != nil {
		err = interrupted(ctx)
	}
	if flushed := flushing.wait(); flushed != nil {
		return flushed
	}
	return err
}

// flushStaged makes durable in bulk what was staged.
func (c *composer) flushStaged() error {
	if err := c.disk.SyncAll(); err != nil {
		return writeFault("", "flushing the new files to the disk", err)
	}
	return nil
}

// stageOne writes one file, which is still to be flushed and closed; nothing of it is open after an error.
func (c *composer) stageOne(ctx context.Context, s *staged, from io.WriterTo) (file, error) {
	m := s.material
	to, err := c.disk.Create(s.path, m.Executable)
	if err != nil {
		return nil, entryFault(string(m.Destination), "writing the new file", err)
	}
	if s.keep != nil {
		if kept := to.Take(s.keep.forMode(m.Executable)); kept != nil {
			err = writeFault(string(m.Destination), "giving the new file the permissions of the old one", kept)
		}
	}
	if err == nil {
		err = copyChecked(ctx, m, to, from)
	}
	if err != nil {
		_ = to.Close()
		return nil, err
	}
	return to, nil
}

// copyChecked copies the bytes of m and compares their digest with the plan's.
func copyChecked(ctx context.Context, m *planner.Material, to io.Writer, from io.WriterTo) error {
	w := checked{ctx: ctx, m: m, to: to, hash: sha256.New()}
	if _, err := from.WriteTo(&w); err != nil {
		return coded(ctx, string(m.Destination), err)
	}
	if sum := fingerprint.From[fingerprint.Material](w.hash); sum != m.Digest {
		return &Error{Base: diag.New(CodeReadFailed, string(m.Destination), fmt.Sprintf(
			"the source gave other bytes (SHA-256 %s) than it did for the plan (%s); check the source repository with git fsck", sum, m.Digest))}
	}
	return nil
}

// checked writes the bytes of a material, and hashes them.
type checked struct {
	ctx  context.Context
	m    *planner.Material
	to   io.Writer
	hash hash.Hash
}

func (c *checked) Write(b []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, interrupted(c.ctx)
	}
	c.hash.Write(b)
	n, err := c.to.Write(b)
	if err != nil {
		err = writeFault(string(c.m.Destination), "writing the new file", err)
	}
	return n, err
}

// settle makes durable what is in place: the folders of every destination with those above them, up to the root and
// beyond, whether this run made them or an earlier one, and the files that were adopted; and the bytes of the lock, which has no name yet.
func (n *installation) settle(ctx context.Context) (err error) {
	if n.draft, err = n.composer.draft(lockv2.LockPath, n.lock); err != nil {
		return entryFault(lockv2.LockPath, "writing the lock", err)
	}
	folders, files := n.touched()
	if n.bulk(len(folders) + len(files) + 1) {
		if err := n.disk.SyncAll(); err != nil {
			return writeFault("", "flushing the files to the disk", err)
		}
		return nil
	}
	if err := n.flush(ctx, files, folders, n.draft); err != nil {
		return err
	}
	if err := n.above(); err != nil {
		return writeFault("", "flushing the folders above the target", err)
	}
	return nil
}

// touched returns the folders that a flush must cover, by path, and the files that this run did not write.
func (n *installation) touched() (folders []string, files []lockv2.Destination) {
	seen := map[string]bool{"": true, lockv2.StateFolder: true}
	folders = []string{"", lockv2.StateFolder}
	for i := range n.actions {
		m := n.actions[i].Material
		if n.adopted[i] {
			files = append(files, m.Destination)
		}
		for folder, _ := split(string(m.Destination)); !seen[folder]; folder, _ = split(folder) {
			seen[folder] = true
			folders = append(folders, folder)
		}
	}
	return folders, files
}

// each calls work for every index below n, on so many goroutines, each with a buffer of its own of so many bytes. After an
// error no further call begins; the error at the lowest index is returned, or INTERRUPTED for a ctx that ended.
func each(ctx context.Context, n, workers, size int, work func(ctx context.Context, i int, buf []byte) error) error {
	var group sync.WaitGroup
	var mu sync.Mutex
	next, failed := 0, error(nil)
	at := n
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || next == n || ctx.Err() != nil {
			return n
		}
		next++
		return next - 1
	}
	for range min(workers, n) {
		group.Go(func() {
			buf := make([]byte, size)
			for i := take(); i < n; i = take() {
				if err := work(ctx, i, buf); err != nil {
					mu.Lock()
					if i < at {
						at, failed = i, err
					}
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	if failed == nil && ctx.Err() != nil {
		return interrupted(ctx)
	}
	return failed
}

// counter reports progress.
type counter struct {
	to    func(done, total int)
	total int
	mu    sync.Mutex
	done  int
}

// step is how many files lie between two reports.
const step = 32

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.to != nil && (c.done%step == 0 || c.done == c.total) {
		c.to(c.done, c.total)
	}
}
