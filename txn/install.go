package txn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// installation is a first composition on its way into a target. It uses the target through disk alone.
type installation struct {
	disk    disk
	open    func(ctx context.Context, m *planner.Material) (io.ReadCloser, error)
	actions []planner.Action // by destination
	lock    []byte
	above   func() error // flushes the folders above the root
	opt     Options

	warnings warner
	progress counter
	adopted  []bool          // by action: the file was there, from the start or at the moment of its install
	folders  map[string]bool // that are there, because this run made or met them
	made     []string        // those that this run made, parents first
	staged   bool            // staging was begun

	published bool // the lock is durable
}

// run does everything up to the durable lock. On an error it leaves no lock and nothing of its own that is not an
// installed file or a folder that holds one.
func (n *installation) run(ctx context.Context) error {
	n.adopted = make([]bool, len(n.actions))
	n.folders = map[string]bool{"": true}
	n.warnings.to = n.opt.Warn
	n.progress = counter{to: n.opt.Progress, total: len(n.actions)}
	for _, step := range []func(context.Context) error{n.prepare, n.stage, n.install, n.adopt, n.sweep, n.settle, n.publish} {
		err := step(ctx)
		if err == nil && ctx.Err() != nil && !n.published {
			err = interrupted(ctx)
		}
		if err != nil {
			n.undo()
			return err
		}
	}
	return nil
}

// done returns the destinations by what happened to them.
func (n *installation) done() (created, adopted []lockv2.Destination) {
	for i := range n.actions {
		if n.adopted[i] {
			adopted = append(adopted, n.actions[i].Material.Destination)
		} else {
			created = append(created, n.actions[i].Material.Destination)
		}
	}
	return created, adopted
}

// prepare makes an empty staging folder. What an interrupted run left there is removed unread: such a file may
// share its bytes with an installed one, so nothing ever opens it for writing.
func (n *installation) prepare(context.Context) error {
	if err := n.folder(lockv2.StateFolder); err != nil {
		return err
	}
	n.staged = true
	if err := n.clear(lockv2.StagingFolder); err != nil {
		return err
	}
	return n.folder(lockv2.StagingFolder)
}

// install gives every staged file its name, in the order of the plan. A name that is taken by now is looked at:
// the bytes that were to be installed count as adopted, anything else stops the run.
func (n *installation) install(ctx context.Context) error {
	buf := make([]byte, rootfs.BufferSize)
	for i := range n.actions {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		m := n.actions[i].Material
		if n.actions[i].Kind != planner.Create {
			continue
		}
		parent, _ := split(string(m.Destination))
		if err := n.folder(parent); err != nil {
			return err
		}
		err := n.disk.Install(stagingName(i), string(m.Destination))
		switch {
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrExist):
			return entryFault(string(m.Destination), "installing the file", err)
		}
		if err := n.same(ctx, m, buf); err != nil {
			return err
		}
		n.adopted[i] = true
	}
	return nil
}

// same returns nil where a regular file with the bytes of m stands at its destination, else PRECONDITION_CHANGED.
func (n *installation) same(ctx context.Context, m *planner.Material, buf []byte) error {
	sum, err := n.disk.Digest(ctx, m.Destination, buf)
	var fault *rootfs.Error
	switch {
	case err == nil && sum.Digest == m.Digest:
		return nil
	case err == nil:
		return changed(string(m.Destination), fmt.Sprintf("a file with other bytes (SHA-256 %s, wanted %s) came to stand there", sum.Digest, m.Digest))
	case !errors.As(err, &fault):
		return readFault(ctx, string(m.Destination), err)
	case fault.Reason == rootfs.Missing:
		return changed(string(m.Destination), "the file that was there went away")
	case fault.Reason == rootfs.Unreadable:
		return fault
	}
	return changed(string(m.Destination), "something that is no regular file came to stand there")
}

// adopt looks once more at the files that the plan found in place.
func (n *installation) adopt(ctx context.Context) error {
	faults := make([]error, len(n.actions))
	err := rootfs.Each(ctx, len(n.actions), func(i int, buf []byte) {
		if n.actions[i].Kind != planner.AdoptIdentical {
			return
		}
		n.adopted[i] = true
		faults[i] = n.same(ctx, n.actions[i].Material, buf)
		n.progress.add()
	})
	if err != nil {
		return interrupted(ctx)
	}
	return first(faults)
}

// sweep removes staging: before the lock appears, because afterwards nothing may be left to do.
func (n *installation) sweep(context.Context) error {
	if err := n.clear(lockv2.StagingFolder); err != nil {
		return err
	}
	n.made = slices.DeleteFunc(n.made, func(path string) bool { return path == lockv2.StagingFolder })
	delete(n.folders, lockv2.StagingFolder)
	return nil
}

// publish writes the lock. It appears whole, flushed, and as the last change of the run.
func (n *installation) publish(ctx context.Context) error {
	err := n.disk.Publish(lockv2.LockPath, n.lock)
	if errors.Is(err, errors.ErrUnsupported) {
		err = n.publishStaged()
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return changed(lockv2.LockPath, "a lock came to stand there")
	case err != nil:
		return entryFault(lockv2.LockPath, "writing the lock", err)
	}
	// A lock that may not be on the disk is no lock: it goes again, so that the target is what the error says.
	if err := n.flushFolders([]string{lockv2.StateFolder}); err != nil {
		if withdrawn := n.withdraw(); withdrawn != nil {
			return withdrawn
		}
		return err
	}
	n.published = true
	return nil
}

// publishStaged is for systems that have no files without a name. Its one flaw: a crash in the instant between the
// install and the removal of staging leaves an empty staging folder beside the lock, which the next apply clears.
func (n *installation) publishStaged() error {
	if err := n.disk.Mkdir(lockv2.StagingFolder); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	staged := lockv2.StagingFolder + "/lock"
	err := n.writeStaged(staged)
	if err == nil {
		err = n.disk.Install(staged, lockv2.LockPath)
	}
	if swept := n.clear(lockv2.StagingFolder); err == nil {
		return swept
	}
	return err
}

func (n *installation) writeStaged(path string) error {
	f, err := n.disk.Create(path, false)
	if err != nil {
		return err
	}
	_, err = f.Write(n.lock)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// withdraw removes the lock that this run wrote, if it is still that one.
func (n *installation) withdraw() error {
	b, err := n.disk.ReadFile(lockv2.LockPath, int64(len(n.lock)))
	var fault *rootfs.Error
	switch {
	case errors.As(err, &fault) && fault.Reason == rootfs.Missing:
		return nil
	case err != nil, string(b) != string(n.lock):
		return changed(lockv2.LockPath, "the lock that this run wrote was replaced")
	}
	if err := n.disk.Unlink(lockv2.LockPath); err != nil {
		return writeFault(lockv2.LockPath, "taking the lock away again", err)
	}
	return n.flushFolders([]string{lockv2.StateFolder})
}

// folder makes the folder at path, and those above it, unless they are there.
func (n *installation) folder(path string) error {
	if n.folders[path] {
		return nil
	}
	parent, _ := split(path)
	if err := n.folder(parent); err != nil {
		return err
	}
	err := n.disk.Mkdir(path)
	switch {
	case err == nil:
		n.made = append(n.made, path)
	case !errors.Is(err, fs.ErrExist): // what stands there shows when something is put into it
		return entryFault(path, "making the folder", err)
	}
	n.folders[path] = true
	return nil
}

// undo removes, after a failure, staging and the folders of this run that nothing came into.
func (n *installation) undo() {
	if n.staged {
		_ = n.clear(lockv2.StagingFolder) // what is left the next run clears
	}
	for _, path := range slices.Backward(n.made) {
		_ = n.disk.Rmdir(path) // fails where something is in it
	}
}

// clear removes the folder at path and everything in it; nothing where it is not there.
func (n *installation) clear(path string) error {
	names, err := n.disk.List(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return entryFault(lockv2.StagingFolder, "listing what an earlier run left", err)
	}
	for _, name := range names {
		entry := path + "/" + name
		err := n.disk.Unlink(entry)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if _, listing := n.disk.List(entry); listing != nil {
			return writeFault(lockv2.StagingFolder, "removing what an earlier run left", err)
		}
		if err := n.clear(entry); err != nil {
			return err
		}
	}
	if err := n.disk.Rmdir(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return writeFault(lockv2.StagingFolder, "removing what an earlier run left", err)
	}
	return nil
}

// stagingName is where the new file of the action at index i waits.
func stagingName(i int) string { return lockv2.StagingFolder + "/" + strconv.Itoa(i) }

// first returns the first error of a list that was filled by index.
func first(faults []error) error {
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}
