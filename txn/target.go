package txn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
)

// errHeld says that another composer has the target.
var errHeld = errors.New("held by another composer")

// poll is how often a composer that waits asks again: often enough for a person, and no load.
const poll = 50 * time.Millisecond

// target is a root folder that this process holds.
type target struct {
	path    string
	root    *rootfs.Root
	folder  *os.File // the root folder itself
	disk    closingDisk
	release func()
	made    []string // the root and folders above it, where this run made them
}

// acquire opens the folder at path, makes it where it is absent, and holds it. Before anything is made it
// calls absent, whose error ends the attempt with nothing done.
//
// The lock is on the open folder, not on its name: so afterwards the name is looked at again, and where it
// names another folder by now everything starts over.
func acquire(ctx context.Context, path string, wait time.Duration, absent func() error) (*target, error) {
	t := &target{path: path}
	deadline := time.Now().Add(wait)
	planned := false
	for {
		if ctx.Err() != nil {
			t.abandon()
			return nil, interrupted(ctx)
		}
		err := t.open()
		if missing(err) {
			if !planned {
				if err := absent(); err != nil {
					return nil, err
				}
				planned = true
			}
			if err := t.make(); err != nil {
				t.abandon()
				return nil, err
			}
			continue
		}
		if err != nil {
			t.abandon()
			return nil, err
		}
		if err := t.hold(ctx, deadline); err != nil {
			if err.Code() == CodeTargetLockUnsupported {
				t.abandon()
			} else {
				t.close() // whoever holds the folder uses it, so it stays even if this run made it
			}
			return nil, err
		}
		if t.named() {
			break
		}
		t.close()
	}
	disk, err := newDisk(t.root, t.folder, path)
	if err != nil {
		t.abandon()
		return nil, &Error{Base: diag.Wrap(CodeInvalidTarget, path, "can't be used", cause(err))}
	}
	t.disk = disk
	return t, nil
}

func (t *target) open() error {
	root, err := rootfs.Open(t.path)
	if err != nil {
		return err
	}
	folder, err := root.Folder()
	if err != nil {
		root.Close()
		return err
	}
	t.root, t.folder = root, folder
	return nil
}

// make makes the root and what is missing above it.
func (t *target) make() error {
	made, err := makeRoot(t.path)
	t.made = append(t.made, made...)
	if err != nil {
		return writeFault(t.path, "making the target", err)
	}
	return nil
}

// hold takes the lock, and asks again until the deadline where another composer has it.
func (t *target) hold(ctx context.Context, deadline time.Time) *Error {
	for {
		release, err := hold(t.folder)
		switch {
		case err == nil:
			t.release = release
			return nil
		case !errors.Is(err, errHeld):
			return &Error{Base: diag.Wrap(CodeTargetLockUnsupported, t.path,
				"this file system can't lock a folder, so two composers could not be kept apart; compose into a folder on a local disk and copy it", cause(err))}
		case !time.Now().Before(deadline):
			return &Error{Base: diag.New(CodeTargetBusy, t.path, "another compose is working on this target; run the command again when it is done").
				WithHint("add --wait 1m to wait for it")}
		}
		select {
		case <-ctx.Done():
			return interrupted(ctx)
		case <-time.After(min(poll, time.Until(deadline))):
		}
	}
}

// named reports whether the path still names the open folder.
func (t *target) named() bool {
	now, err := rootfs.Open(t.path)
	if err != nil {
		return false
	}
	defer now.Close()
	folder, err := now.Folder()
	if err != nil {
		return false
	}
	defer folder.Close()
	got, err := folder.Stat()
	if err != nil {
		return false
	}
	want, err := t.folder.Stat()
	return err == nil && os.SameFile(got, want)
}

// close releases the target.
func (t *target) close() {
	if t.disk != nil {
		t.disk.Close()
	}
	if t.root != nil {
		t.root.Close()
	}
	if t.release != nil {
		t.release()
	}
	if t.folder != nil {
		t.folder.Close()
	}
	t.root, t.folder, t.disk, t.release = nil, nil, nil, nil
}

// abandon is close for a run that came to nothing: the folders that it made go, as far as they are empty. It removes
// them while it holds the lock, so that nobody else has begun to use them.
func (t *target) abandon() {
	removeRoot(t.made)
	t.close()
}

// nearest returns the deepest folder on the way to path that is there.
func nearest(path string) string {
	for path = trimSeparators(path); path != ""; {
		_, err := os.Lstat(path)
		if err == nil {
			return path
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return path
		}
		above := parentOf(path)
		if above == path {
			return path
		}
		path = above
	}
	return "."
}

// missing reports whether opening a root found nothing there. An empty path is no place for one.
func missing(err error) bool {
	var fault *rootfs.Error
	return errors.As(err, &fault) && fault.Reason == rootfs.Missing && fault.At != ""
}
