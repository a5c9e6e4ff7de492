package txn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/validator"
)

// transaction is an update or upgrade on its way into a target. docs/transaction.md argues why its steps stand in this order.
type transaction struct {
	composer
	marker   *Marker
	text     []byte                                           // the marker as it stands, or will stand, in the target
	lock     []byte                                           // the new lock
	places   []place                                          // the actions by destination, then the lock
	validate func(context.Context) ([]validator.Fault, error) // looks at the finished target

	draft  *draft          // the marker that is to appear
	inBulk bool            // what was staged is to be flushed in bulk
	marked bool            // the marker stands
	found  []bool          // by place: done before this run came to it, so perhaps not durable
	gone   map[string]bool // folders that removals left empty
}

// errStale says that the target is not any more what the plan was made for, and that nothing was changed.
var errStale = errors.New("the target changed after the plan was made")

// newTransaction puts a transaction together. It fails where comp does not supply what m asks for.
func newTransaction(d disk, m *Marker, comp *planner.Composition, opt Options, validate func(context.Context) ([]validator.Fault, error)) (*transaction, error) {
	t := &transaction{composer: composer{disk: d, source: comp, opt: opt}, marker: m, text: m.text, lock: m.lock, places: placesOf(m), validate: validate}
	if t.text == nil {
		t.text = m.Encode()
	}
	if t.lock == nil {
		var err error
		if t.lock, err = lockv2.Encode(m.NewLock); err != nil {
			return nil, err
		}
	}
	for i := range t.actions() {
		s := &t.places[i]
		if s.kind == planner.Remove {
			continue
		}
		k, there := slices.BinarySearchFunc(comp.Materials, s.destination, func(m planner.Material, d lockv2.Destination) int {
			return strings.Compare(string(m.Destination), string(d))
		})
		if !there || comp.Materials[k].Digest != s.to {
			return nil, invalidMarker(fmt.Sprintf("/actions/%d", i), fmt.Sprintf("needs bytes for %q that the source does not supply", s.destination))
		}
		s.material = &comp.Materials[k]
	}
	t.found, t.gone = make([]bool, len(t.places)), map[string]bool{}
	t.begin(t.materials())
	return t, nil
}

// actions returns the places without the lock's.
func (t *transaction) actions() []place { return t.places[:len(t.places)-1] }

// lockPlace returns the index of the lock's place.
func (t *transaction) lockPlace() int { return len(t.places) - 1 }

func (t *transaction) materials() int {
	n := 0
	for i := range t.places {
		if t.places[i].material != nil {
			n++
		}
	}
	return n
}

// run carries a new transaction out. Before the marker stands an error leaves nothing behind; errStale is one of them.
func (t *transaction) run(ctx context.Context) error {
	defer func() { t.draft.close() }()
	err := t.steps(ctx, t.prepare, t.stage, t.ready, t.mark)
	if err != nil && !t.marked {
		t.undo()
		return t.explain(ctx, err)
	}
	if err == nil {
		err = t.finish(ctx)
	}
	return t.explain(ctx, err)
}

// finish does everything from the durable marker on.
func (t *transaction) finish(ctx context.Context) error {
	return t.steps(ctx, t.install, t.prune, t.settle, t.replaceLock, t.judge, t.sweep, t.unmark)
}

// steps stops at the first error, and between two steps where ctx ended.
func (t *transaction) steps(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// explain says what an error means for what the target is now.
func (t *transaction) explain(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errStale) {
		return err
	}
	var fault *Error
	if !errors.As(err, &fault) {
		if !t.marked {
			return err
		}
		var other diag.Coded // of the source, or of rootfs
		if !errors.As(err, &other) {
			return err
		}
		fault = &Error{cause: err, Base: diag.New(other.Code(), "", err.Error())}
	}
	switch {
	case fault.Code() == CodeInterrupted && t.marked:
		fault = &Error{cause: ctx.Err(), Base: diag.New(CodeInterrupted, "", fmt.Sprintf("stopped in the middle of the %s; run the same command again to finish it", t.marker.Operation))}
	case fault.Code() == CodeInterrupted:
		fault = &Error{cause: ctx.Err(), Base: diag.New(CodeInterrupted, "", "stopped before the first change; run the same command again")}
	}
	if t.marked {
		fault.Unfinished = true
		fault.Base = fault.Base.WithHint(finish(t.marker.Operation))
	}
	return fault
}

// stage writes all new bytes, those of the lock and the marker too: a disk that is full is met before anything is changed.
func (t *transaction) stage(ctx context.Context) error {
	files, err := t.toStage(ctx, func(i int) (string, bool) { return t.places[i].staging, true })
	if err != nil {
		return err
	}
	keep, err := t.disk.Attributes(lockv2.LockPath)
	if err != nil {
		return stale(ctx, lockv2.LockPath, err)
	}
	t.inBulk = t.bulk(len(files) + 4) // the lock, the marker, and two folders
	if err := t.writeStaged(stagedLock, t.lock, &keep, !t.inBulk); err != nil {
		return entryFault(lockv2.LockPath, "writing the new lock", err)
	}
	if t.draft, err = t.composer.draft(lockv2.MarkerPath, t.text); err != nil {
		return entryFault(lockv2.MarkerPath, "writing the marker", err)
	}
	return t.writeAll(ctx, files, t.inBulk)
}

// ready makes durable what was staged, so that a marker means that everything it needs is there. While the disk is at work it reads the marker as
// a recovery would, and looks at every precondition once more.
func (t *transaction) ready(ctx context.Context) error {
	return both(t.flushReady, func() error {
		return both(t.readBack, func() error { return t.recheck(ctx) })
	})
}

// flushReady flushes what stage has not flushed.
func (t *transaction) flushReady() error {
	if t.inBulk {
		return t.flushStaged()
	}
	// The state folder too: else the marker may survive with the staging folder of an earlier run, torn files in it.
	return t.flush(context.Background(), nil, []string{lockv2.StagingFolder, lockv2.StateFolder}, t.draft)
}

// readBack reads the marker that is to stand: what could not be read back could not be recovered from.
func (t *transaction) readBack() error {
	if _, err := ParseMarker(t.text); err != nil {
		return fmt.Errorf("internal: the marker of this plan can't be read: %w", err)
	}
	return nil
}

// toStage returns what is to be staged of the actions that where has a path for, with what each keeps of the file that it replaces.
func (t *transaction) toStage(ctx context.Context, where func(i int) (path string, wanted bool)) ([]staged, error) {
	var files []staged
	for i := range t.actions() {
		s := &t.places[i]
		path, wanted := where(i)
		if s.material == nil || !wanted {
			continue
		}
		f := staged{material: s.material, path: path}
		if s.kind == planner.Replace {
			keep, err := t.disk.Attributes(s.destination)
			if err != nil {
				return nil, stale(ctx, string(s.destination), err)
			}
			f.keep = &keep
		}
		files = append(files, f)
	}
	return files, nil
}

// stale tells a file that went away from one that can't be looked at.
func stale(ctx context.Context, path string, err error) error {
	var fault *rootfs.Error
	if errors.As(err, &fault) && fault.Reason != rootfs.Unreadable {
		return errStale
	}
	return readFault(ctx, path, err)
}

// recheck looks at every precondition once more, the exact bytes of the lock included.
func (t *transaction) recheck(ctx context.Context) error {
	t.disk.Forget()
	faults := make([]error, len(t.places))
	err := rootfs.Each(ctx, len(t.places), func(i int, buf []byte) {
		s := &t.places[i]
		at, err := s.look(ctx, t.disk, string(s.destination), buf)
		switch {
		case err != nil:
		case at.condition == unreadable:
			faults[i] = readFault(ctx, string(s.destination), at.err)
		case s.judge(at) != pending:
			faults[i] = errStale
		}
	})
	if err != nil {
		return interrupted(ctx)
	}
	return first(faults)
}

// mark makes the marker durable. It does not replace one. A marker that may not be on the disk is withdrawn, so that the error leaves
// the target as it was.
func (t *transaction) mark(context.Context) error {
	_, err := t.publishDraft(t.draft, stagedMarker)
	switch {
	case errors.Is(err, fs.ErrExist):
		return changed(lockv2.MarkerPath, "a marker came to stand there")
	case err != nil:
		return entryFault(lockv2.MarkerPath, "writing the marker", err)
	}
	t.marked = true
	err = t.flushFolders(lockv2.StateFolder)
	if err == nil {
		return nil
	}
	if t.disk.Unlink(lockv2.MarkerPath) == nil {
		t.marked = false
		_ = t.disk.SyncFolder(lockv2.StateFolder) // where it fails again, and the marker comes back, it is finished
	}
	return err
}

// install carries out every action, in order. It stops between two where ctx ended.
func (t *transaction) install(ctx context.Context) error {
	t.disk.Forget()
	buf := make([]byte, rootfs.BufferSize)
	for i := range t.actions() {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		if t.found[i] {
			continue
		}
		if err := t.carry(ctx, i, buf); err != nil {
			return err
		}
	}
	return nil
}

// prune removes the folders that removals left empty, those of an interrupted run too, upward and never the root.
func (t *transaction) prune(context.Context) error {
	kept := map[string]bool{} // those that hold something
	for i := range t.actions() {
		if t.places[i].kind != planner.Remove {
			continue
		}
		for folder, _ := split(string(t.places[i].destination)); folder != "" && folder != lockv2.StateFolder; folder, _ = split(folder) {
			if t.gone[folder] {
				continue
			}
			if kept[folder] {
				break
			}
			// A folder that may not lose its entry says so before it says that something is in this one.
			if names, err := t.disk.List(folder, 1); err == nil && len(names) > 0 {
				kept[folder] = true
				break
			}
			err := t.disk.Rmdir(folder)
			if errors.Is(err, fs.ErrExist) || inTheWay(err) {
				break // something is in it, or it is no folder of this file system any more
			}
			if errors.Is(err, fs.ErrPermission) {
				t.warnings.warn(fmt.Sprintf("the folder %q is empty now, and may not be removed: %v; remove it", folder, plainfile.Cause(err)))
				break
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return entryFault(folder, "removing the empty folder", err)
			}
			t.gone[folder] = true
			delete(t.folders, folder)
		}
	}
	return nil
}

// settle makes durable what is in place: the folders of every action with those above them, up to the root, and the files
// that were done before this run came to them.
func (t *transaction) settle(ctx context.Context) error {
	folders := []string{"", lockv2.StagingFolder} // what came out of staging may need a flush of both folders
	seen := map[string]bool{"": true}
	var files []lockv2.Destination
	for i := range t.actions() {
		s := &t.places[i]
		if t.found[i] && s.kind != planner.Remove {
			files = append(files, s.destination)
		}
		for folder, _ := split(string(s.destination)); !seen[folder]; folder, _ = split(folder) {
			seen[folder] = true
			if !t.gone[folder] {
				folders = append(folders, folder)
			}
		}
	}
	if t.bulk(len(folders) + len(files)) {
		if err := t.disk.SyncAll(); err != nil {
			return t.renewed(ctx, writeFault("", "flushing the files to the disk", err))
		}
		return nil
	}
	return t.renewed(ctx, t.flush(context.WithoutCancel(ctx), files, folders, nil))
}

// replaceLock puts the new lock in the place of the old one.
func (t *transaction) replaceLock(ctx context.Context) error {
	i := t.lockPlace()
	if err := t.carry(ctx, i, make([]byte, rootfs.BufferSize)); err != nil || !t.found[i] {
		return err
	}
	return t.renewed(ctx, t.flush(context.WithoutCancel(ctx), []lockv2.Destination{lockv2.LockPath}, nil, nil))
}

// judge makes the exchange of the lock durable, and meanwhile validates the finished target. The marker stands.
func (t *transaction) judge(ctx context.Context) error {
	return both(func() error { return t.flushFolders(lockv2.StateFolder) }, func() error { return t.check(ctx) })
}

func (t *transaction) check(ctx context.Context) error {
	faults, err := t.validate(ctx)
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx)
	case err != nil:
		return &Error{Base: diag.Wrap(CodeValidationFailed, "", "the finished target could not be validated", err)}
	case len(faults) > 0:
		return &Error{Faults: faults, Base: unfinished(CodeValidationFailed, "", fmt.Sprintf(
			"the %s is in place, but something changed other files: %s; put them right", t.marker.Operation, describe(faults)), t.marker.Operation)}
	}
	return nil
}

// unmark removes the marker, if it is still the one that this run wrote or read.
func (t *transaction) unmark(ctx context.Context) error {
	sum, err := t.disk.Digest(context.WithoutCancel(ctx), lockv2.MarkerPath, make([]byte, rootfs.BufferSize))
	var fault *rootfs.Error
	switch {
	case err != nil && (!errors.As(err, &fault) || fault.Reason == rootfs.Unreadable):
		return readFault(context.Background(), lockv2.MarkerPath, err)
	case err != nil, sum.Digest != fingerprint.Of[fingerprint.Material](t.text):
		return changed(lockv2.MarkerPath, "the marker was changed")
	}
	if err := t.disk.Unlink(lockv2.MarkerPath); err != nil {
		return writeFault(lockv2.MarkerPath, "removing the marker", err)
	}
	t.marked = false
	return t.flushFolders(lockv2.StateFolder)
}

// result is what a finished transaction did.
func (t *transaction) result(status string) *Result {
	r := &Result{Status: status, Operation: string(t.marker.Operation), Lock: t.marker.NewLock, Preserved: seeds(t.marker.OldLock)}
	for _, s := range t.actions() {
		switch s.kind {
		case planner.Create:
			r.Created = append(r.Created, s.destination)
		case planner.Replace:
			r.Replaced = append(r.Replaced, s.destination)
		case planner.Remove:
			r.Removed = append(r.Removed, s.destination)
		}
	}
	return r
}

// seeds returns the files of a lock that no update or upgrade touches.
func seeds(l *lockv2.Lock) []lockv2.Destination {
	var list []lockv2.Destination
	for i := range l.Files {
		if l.Files[i].Ownership == lockv2.Seed {
			list = append(list, l.Files[i].Destination)
		}
	}
	return list
}

// newMarker is the marker of a plan.
func newMarker(p *planner.ManagedPlan) *Marker {
	m := &Marker{
		Operation: p.Operation, Source: p.Lock.Source,
		OldLockDigest: p.Old.Digest, NewLockDigest: p.LockDigest(),
		OldLock: p.Old.Lock, NewLock: &p.Lock, Actions: p.Actions(),
	}
	for i := range m.Actions {
		m.Actions[i].Material = nil
	}
	m.text, m.lock = m.Encode(), p.LockBytes()
	return m
}
