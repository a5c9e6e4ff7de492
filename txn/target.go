package txn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
)

// errHeld says that another composer has the target.
var errHeld = errors.New("held by another composer")

// poll is how often a composer that waits asks again: often enough for a person, and no load.
const poll = 50 * time.Millisecond

// restarts bounds how often a target is opened anew because its path came to name another folder.
const restarts = 100

// Target is a target that this process holds, or the place of one that is absent: then it holds nothing yet.
//
// The hold goes away with Close, and with the process. A Target is not for use by several goroutines at once.
type Target struct {
	path    string
	wait    time.Duration
	root    *rootfs.Root
	folder  *os.File // the root folder itself
	disk    closingDisk
	release func()
	made    []string // the root and folders above it, where this run made them and nothing came into them yet
}

// Hold opens the target at path and takes its lock, waiting so long for another composer. Everything that is read through
// Root from then on stays as it is, as far as composers go.
//
// Errors: INVALID_TARGET; TARGET_BUSY; TARGET_LOCK_UNSUPPORTED; INTERRUPTED for a ctx that ended; READ_FAILED. A path at which nothing
// is gives a Target without a root, for Initial to make.
func Hold(ctx context.Context, path string, wait time.Duration) (*Target, error) {
	t := &Target{path: path, wait: wait}
	if err := t.acquire(ctx); err != nil && !missing(err) {
		return nil, err
	}
	return t, nil
}

// Root returns the folder that is held; nil where the target is absent. It is t's to close.
func (t *Target) Root() *rootfs.Root { return t.root }

// Close releases the target. What a run made that came to nothing goes, while the lock is still held, so that nobody else
// has begun to use it.
func (t *Target) Close() error {
	removeRoot(t.made)
	t.made = nil
	return t.let()
}

// acquire opens the folder at the path and holds it. On an error t holds nothing; missing says that nothing is there.
//
// The lock is on the open folder, not on its name: so afterwards the name is looked at again, and where it
// names another folder by now everything starts over.
func (t *Target) acquire(ctx context.Context) error {
	deadline := time.Now().Add(t.wait)
	for range restarts {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		if err := t.open(); err != nil {
			return t.openFault(err)
		}
		if err := t.hold(ctx, deadline); err != nil {
			_ = t.let()
			return err
		}
		named, err := t.named()
		if err == nil && named {
			if err = t.prepare(); err == nil {
				return nil
			}
		}
		_ = t.let()
		if err != nil {
			return t.openFault(err)
		}
	}
	return &Error{Base: diag.New(CodeInvalidTarget, t.path, "is replaced by another folder again and again; run the same command again when nothing does that")}
}

func (t *Target) open() error {
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

// openFault tells a want of this process from a fault of the target.
func (t *Target) openFault(err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return &Error{cause: err, Base: diag.New(CodeReadFailed, t.path, fmt.Sprintf(
			"can't be opened: %v; raise the limit of open files (ulimit -n), then run the same command again", plainfile.Cause(err)))}
	}
	var coded diag.Coded
	if !errors.As(err, &coded) && !missing(err) {
		return &Error{Base: diag.Wrap(CodeReadFailed, t.path, "can't be looked at", plainfile.Cause(err))}
	}
	return err
}

// prepare makes the disk of a folder that is held.
func (t *Target) prepare() error {
	disk, err := newDisk(t.root, t.folder, t.path)
	if err != nil {
		return &Error{Base: diag.Wrap(CodeInvalidTarget, t.path, "can't be used", plainfile.Cause(err))}
	}
	t.disk = disk
	return nil
}

// make makes the root and what is missing above it, and holds it. What somebody else made meanwhile is held as it is.
func (t *Target) make(ctx context.Context) error {
	for range restarts {
		made, err := makeRoot(t.path)
		t.made = append(t.made, made...)
		if err != nil {
			return writeFault(t.path, "making the target", err)
		}
		if err := t.acquire(ctx); !missing(err) {
			return err
		}
	}
	return &Error{Base: diag.New(CodeInvalidTarget, t.path, "is removed again and again; run the same command again when nothing does that")}
}

// hold takes the lock, and asks again until the deadline where another composer has it.
func (t *Target) hold(ctx context.Context, deadline time.Time) error {
	for {
		release, err := hold(t.folder)
		switch {
		case err == nil:
			t.release = release
			return nil
		case !errors.Is(err, errHeld):
			return &Error{Base: diag.Wrap(CodeTargetLockUnsupported, t.path,
				"this file system can't lock a folder, so two composers could not be kept apart; compose into a folder on a local disk and copy it", plainfile.Cause(err))}
		}
		t.made = nil // whoever holds the folder uses it, so it stays even if this run made it
		if !time.Now().Before(deadline) {
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
func (t *Target) named() (bool, error) {
	now, err := rootfs.Open(t.path)
	var fault *rootfs.Error
	if errors.As(err, &fault) && fault.Reason != rootfs.Unreadable {
		return false, nil // what is there now, the next attempt says
	}
	if err != nil {
		return false, err
	}
	defer now.Close()
	folder, err := now.Folder()
	if err != nil {
		return false, err
	}
	defer folder.Close()
	got, err := folder.Stat()
	if err != nil {
		return false, err
	}
	want, err := t.folder.Stat()
	return err == nil && os.SameFile(got, want), err
}

// let gives up the hold.
func (t *Target) let() error {
	var errs []error
	if t.disk != nil {
		t.disk.Close()
	}
	if t.root != nil {
		errs = append(errs, t.root.Close())
	}
	if t.release != nil {
		t.release()
	}
	if t.folder != nil {
		errs = append(errs, t.folder.Close())
	}
	t.root, t.folder, t.disk, t.release = nil, nil, nil, nil
	return errors.Join(errs...)
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
