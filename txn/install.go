package txn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// installation is a first composition on its way into a target.
type installation struct {
	composer
	actions []planner.Action // by destination
	lock    []byte
	above   func() error // flushes the folders above the root
	draft   *draft       // the lock that is to appear

	adopted   []bool // by action: the file was there, from the start or at the moment of its install
	published bool   // the lock is durable
}

// run does everything up to the durable lock. On an error it leaves no lock and nothing of its own that is not an
// installed file or a folder that holds one.
func (n *installation) run(ctx context.Context) error {
	n.adopted = make([]bool, len(n.actions))
	n.begin(len(n.actions))
	defer func() { n.draft.close() }()
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

// publish lets the lock appear, whole, flushed, and as the last change of the run.
func (n *installation) publish(ctx context.Context) error {
	err := n.publishLock()
	switch {
	case errors.Is(err, fs.ErrExist):
		return changed(lockv2.LockPath, "a lock came to stand there")
	case err != nil:
		return entryFault(lockv2.LockPath, "writing the lock", err)
	}
	// A lock that may not be on the disk is no lock: it goes again, so that the target is what the error says.
	if err := n.flushFolders(lockv2.StateFolder); err != nil {
		if withdrawn := n.withdraw(); withdrawn != nil {
			return withdrawn
		}
		return err
	}
	n.published = true
	return nil
}

// publishLock has one flaw where the system has no files without a name: a crash in the instant between the
// install and the removal of staging leaves an empty staging folder beside the lock, which the next apply clears.
func (n *installation) publishLock() error {
	waited, err := n.publishDraft(n.draft, stagedLock)
	if !waited {
		return err
	}
	if swept := n.clear(lockv2.StagingFolder); err == nil {
		return swept
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
	return n.flushFolders(lockv2.StateFolder)
}
