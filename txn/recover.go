package txn

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Recover finishes the transaction m, as it was read from the target; comp is what the choice of its new lock
// gives at its revision.
//
// It looks at everything before it touches anything, writes anew what is missing in staging, and does what
// is still to do. What it finds done is made durable. A consumer's bytes that an interrupted run caught in staging are put back.
// Errors: INVALID_TRANSACTION where comp or the lock in the target are not those of m; and those of Reconcile. After each the
// same call goes on.
func (t *Target) Recover(ctx context.Context, m *Marker, comp *planner.Composition, opt Options) (*Result, error) {
	if t.root == nil {
		return nil, gone(t.path)
	}
	d := t.wrapped(opt)
	if err := checkFlush(d, opt.Flush); err != nil {
		return nil, err
	}
	work, err := newTransaction(d, m, comp, opt, t.validator(m.NewLock))
	if err != nil {
		return nil, err
	}
	if err := m.supplied(comp); err != nil {
		return nil, err
	}
	room := func(wanted func(int) bool) error { return work.checkRoom(t.path, wanted) }
	if err := work.recover(ctx, room); err != nil {
		return nil, err
	}
	return work.result(StatusRecovered), nil
}

// Recover is Hold and then Target.Recover.
func Recover(ctx context.Context, path string, m *Marker, comp *planner.Composition, opt Options) (*Result, error) {
	return holding(ctx, path, opt, func(t *Target) (*Result, error) { return t.Recover(ctx, m, comp, opt) })
}

// supplied returns nil where comp leads from the marker's old lock to its new one.
func (m *Marker) supplied(comp *planner.Composition) error {
	next := planner.NextLock(m.OldLock, comp)
	b, err := lockv2.Encode(&next)
	if err != nil {
		return err
	}
	if fingerprint.Of[fingerprint.LockFile](b) != m.NewLockDigest {
		return invalidMarker("/new_lock", "is not what the source gives at its revision")
	}
	return nil
}

// recover is run for a transaction that was begun. room is asked before anything is written.
func (t *transaction) recover(ctx context.Context, room func(wanted func(i int) bool) error) error {
	t.marked = true
	t.disk.Forget()
	missing, err := t.resume(ctx)
	if err == nil {
		err = room(func(i int) bool { return missing[i] })
	}
	if err == nil {
		err = t.steps(ctx, func(ctx context.Context) error { return t.restage(ctx, missing) }, t.finish)
	}
	return t.explain(ctx, err)
}

// resume looks at everything, and returns which places are to be staged again. It changes nothing but what hides a consumer's
// bytes or a name that staging needs.
func (t *transaction) resume(ctx context.Context) (missing map[int]bool, err error) {
	if err := t.readMarker(); err != nil {
		return nil, err
	}
	if err := t.readLock(); err != nil {
		return nil, err
	}
	names, err := t.disk.List(lockv2.StagingFolder, -1)
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return nil, t.stop(noStaging())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, entryFault(lockv2.StagingFolder, "listing what is staged", err)
	}
	slices.Sort(names)
	found, err := survey(ctx, t.disk, t.places, names)
	if err != nil {
		return nil, interrupted(ctx)
	}
	torn, err := t.foreignParts(ctx, names)
	if err != nil {
		return nil, err
	}
	if stops := append(t.giveBack(found), torn...); len(stops) > 0 {
		return nil, t.stop(stops...)
	}
	return t.clean(names, found)
}

// readMarker holds the marker in the target against the one that the caller read.
func (t *transaction) readMarker() error {
	b, err := t.disk.ReadFile(lockv2.MarkerPath, MaxMarker)
	var fault *rootfs.Error
	switch {
	case errors.As(err, &fault) && fault.Reason == rootfs.Missing:
		return changed(lockv2.MarkerPath, "the marker went away: another compose has finished the work, or it was removed")
	case err != nil:
		return readFault(context.Background(), lockv2.MarkerPath, err)
	}
	m, err := ParseMarker(b)
	if err != nil {
		return err
	}
	if !bytes.Equal(m.Encode(), t.text) {
		return changed(lockv2.MarkerPath, "the marker was replaced by another")
	}
	t.text = b
	return nil
}

// readLock refuses a lock that has the recorded digest but is not the marker's old lock. A third digest is met like that of
// any other file.
func (t *transaction) readLock() error {
	b, err := t.disk.ReadFile(lockv2.LockPath, lockv2.MaxSize)
	if err != nil || fingerprint.Of[fingerprint.LockFile](b) != t.marker.OldLockDigest {
		return nil
	}
	lock, err := lockv2.Parse(b)
	if err != nil {
		return invalidMarker("/old_lock_file_sha256", "is the digest of a lock that can't be read")
	}
	got, err := lockv2.Encode(lock)
	if err != nil {
		return err
	}
	want, err := lockv2.Encode(t.marker.OldLock)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return invalidMarker("/old_lock", "is not the lock that stands in the target")
	}
	return nil
}

// giveBack returns what stands in the way, after it has given a consumer's bytes back to where they belong.
func (t *transaction) giveBack(found []situation) []Blocked {
	var stops []Blocked
	buf := make([]byte, rootfs.BufferSize)
	for i := range found {
		f := &found[i]
		if f.giveBack {
			var stop *Error
			if err := t.putBack(context.Background(), f.place, f.staged, buf); errors.As(err, &stop) && len(stop.Blocked) > 0 {
				stops = append(stops, stop.Blocked...)
				continue
			}
		}
		stops = append(stops, f.stops...)
	}
	return stops
}

// clean removes from staging what is in nobody's way but has a name that is needed, and returns the places that lack their
// staged file.
func (t *transaction) clean(names []string, found []situation) (map[int]bool, error) {
	own := t.byStaging()
	for _, name := range names {
		if path := lockv2.StagingFolder + "/" + name; isPart(path, own) {
			if err := t.disk.Unlink(path); err != nil {
				return nil, writeFault(lockv2.StagingFolder, "removing what an earlier run left", err)
			}
		}
	}
	missing := map[int]bool{}
	for i := range t.places {
		f := &found[i]
		t.found[i] = f.verdict == done
		if f.verdict != pending {
			continue
		}
		// Both names may be those of one file, for which a rename does nothing.
		if f.place.kind == planner.Remove && f.staged.condition == holdOld {
			if err := t.disk.Unlink(f.place.staging); err != nil {
				return nil, writeFault(lockv2.StagingFolder, "removing what an earlier run left", err)
			}
		}
		missing[i] = f.place.kind != planner.Remove && f.staged.condition != holdNew
	}
	return missing, nil
}

// restage writes what is missing in staging under names that recovery knows to be torn, flushes it, and gives it its names.
func (t *transaction) restage(ctx context.Context, missing map[int]bool) error {
	if err := t.folder(lockv2.StagingFolder); err != nil {
		return err
	}
	files, err := t.toStage(ctx, func(i int) (string, bool) { return t.places[i].staging + part, missing[i] })
	if err != nil {
		if err == errStale {
			err = changed("", "a file went away")
		}
		return err
	}
	if missing[t.lockPlace()] {
		keep, err := t.disk.Attributes(lockv2.LockPath)
		if err != nil {
			return readFault(ctx, lockv2.LockPath, err)
		}
		if err := t.writeStaged(stagedLock+part, t.lock, &keep, true); err != nil {
			return entryFault(lockv2.LockPath, "writing the new lock", err)
		}
	}
	if err := t.stageAll(ctx, files, t.bulk(len(files))); err != nil {
		return err
	}
	for i := range t.places {
		if !missing[i] {
			continue
		}
		s := &t.places[i]
		if err := t.disk.Replace(s.staging+part, s.staging); err != nil {
			return entryFault(string(s.destination), "staging the new file", err)
		}
	}
	return t.flushFolders(lockv2.StagingFolder, lockv2.StateFolder)
}
