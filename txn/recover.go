package txn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
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
	work, err := newTransaction(t.wrapped(opt), m, comp, opt, t.validator(m.NewLock))
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
	names, err := t.disk.List(lockv2.StagingFolder)
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

// noStaging describes what is no folder where staging is.
func noStaging() Blocked {
	return Blocked{Destination: lockv2.StagingFolder, At: lockv2.StagingFolder,
		Message: "is no folder, but compose keeps files there until an update is done: put the folder itself there, or move what is there away"}
}

// foreignParts returns the files under names of torn stagings that hold something else than a torn staging: other bytes than the new
// ones, as far as they came, or zeros in their place.
func (t *transaction) foreignParts(ctx context.Context, names []string) (stops []Blocked, err error) {
	own := t.byStaging()
	for _, name := range names {
		path := lockv2.StagingFolder + "/" + name
		if !isPart(path, own) {
			continue
		}
		whole, limit, err := t.wholeOf(ctx, own[strings.TrimSuffix(path, part)])
		if err != nil {
			return nil, coded(ctx, path, err)
		}
		b, err := t.disk.ReadFile(lockv2.Destination(path), limit)
		var fault *rootfs.Error
		switch {
		case errors.As(err, &fault) && fault.Reason == rootfs.Unreadable:
			return nil, readFault(ctx, path, err)
		case errors.As(err, &fault) && fault.Reason == rootfs.TooLarge, err == nil && !isTorn(b, whole):
			stops = append(stops, foreign(path))
		}
		if closed := whole.Close(); closed != nil {
			return nil, coded(ctx, path, closed)
		}
	}
	return stops, nil
}

// wholeOf returns what a torn staging of the place is torn from, and how much that is; of no place the marker.
func (t *transaction) wholeOf(ctx context.Context, s *place) (io.ReadCloser, int64, error) {
	switch {
	case s == nil:
		return io.NopCloser(bytes.NewReader(t.text)), int64(len(t.text)), nil
	case s.isLock():
		return io.NopCloser(bytes.NewReader(t.lock)), int64(len(t.lock)), nil
	}
	whole, err := t.open(ctx, s.material)
	return whole, s.material.Size, err
}

// isTorn reports whether each byte of b is that of whole, or zero, as after a power failure.
func isTorn(b []byte, whole io.Reader) bool {
	want := make([]byte, 32<<10)
	for len(b) > 0 {
		n, err := io.ReadFull(whole, want[:min(len(want), len(b))])
		for i := range n {
			if b[i] != 0 && b[i] != want[i] {
				return false
			}
		}
		b = b[n:]
		if err != nil {
			break
		}
	}
	return len(b) == 0
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
	return t.flushFolders([]string{lockv2.StagingFolder, lockv2.StateFolder})
}

// Progress says how far a transaction is.
type Progress struct {
	Done, Pending []lockv2.Destination // by destination
	Blocked       []Blocked            // what stands in the way of going on, by destination, the lock's last
}

// Survey says how far the transaction m is in the target in root. It only reads. While a composer is at work the answer is of an
// instant. The error is ctx's.
func Survey(ctx context.Context, root *rootfs.Root, m *Marker) (*Progress, error) {
	names, err := root.Names(lockv2.StagingFolder)
	var fault *rootfs.Error
	if errors.As(err, &fault) {
		names = nil // what staging lacks is written anew
	}
	found, err := survey(ctx, root, placesOf(m), names)
	if err != nil {
		return nil, err
	}
	p := &Progress{}
	if fault != nil && (fault.Reason == rootfs.ParentNotDirectory || fault.Reason == rootfs.Symlink) {
		p.Blocked = append(p.Blocked, noStaging())
	}
	for i := range found {
		f := &found[i]
		switch {
		case len(f.stops) > 0:
			p.Blocked = append(p.Blocked, f.stops...)
		case f.place == nil || f.place.isLock():
		case f.verdict == done:
			p.Done = append(p.Done, f.place.destination)
		default:
			p.Pending = append(p.Pending, f.place.destination)
		}
	}
	return p, nil
}

// situation is what was found about one place, or in staging about none.
type situation struct {
	place    *place
	verdict  verdict
	staged   seen
	stops    []Blocked // why nobody can go on
	giveBack bool      // what is in staging is a consumer's, and its place is free for it or has compose's bytes
}

// survey looks at every place and at its place in staging, whose names are given. After the places come names that are nobody's.
func survey(ctx context.Context, from reader, places []place, names []string) ([]situation, error) {
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[lockv2.StagingFolder+"/"+name] = true
	}
	found := make([]situation, len(places))
	err := rootfs.Each(ctx, len(places), func(i int, buf []byte) {
		found[i] = places[i].survey(ctx, from, there[places[i].staging], buf)
	})
	if err != nil {
		return nil, err
	}
	if n := len(places) - 1; found[n].verdict == done {
		for i := range found[:n] {
			found[i].afterLock()
		}
	}
	own := make(map[string]*place, len(places))
	for i := range places {
		own[places[i].staging] = &places[i]
	}
	for _, name := range names {
		path := lockv2.StagingFolder + "/" + name
		if own[path] != nil || isPart(path, own) && regular(ctx, from, path) {
			continue
		}
		found = append(found, situation{verdict: blocked, stops: []Blocked{foreign(path)}})
	}
	return found, nil
}

// regular reports whether a torn staging is what it should be at least, as far as can be seen.
func regular(ctx context.Context, from reader, path string) bool {
	_, err := from.Digest(ctx, lockv2.Destination(path), make([]byte, rootfs.BufferSize))
	var fault *rootfs.Error
	return !errors.As(err, &fault) || fault.Reason == rootfs.Missing || fault.Reason == rootfs.Unreadable
}

// survey looks at one place. An error of ctx leaves a situation that nobody reads.
func (s *place) survey(ctx context.Context, from reader, staged bool, buf []byte) situation {
	f := situation{place: s}
	at, err := s.look(ctx, from, string(s.destination), buf)
	if err != nil {
		return f
	}
	if staged {
		if f.staged, err = s.look(ctx, from, s.staging, buf); err != nil {
			return f
		}
	}
	f.verdict = s.judge(at)
	switch {
	case f.staged.condition == unreadable:
		f.stops = append(f.stops, s.blockedBy(f.staged))
	case f.staged.condition != holdOther:
	case at.condition == holdOther && at.err == nil && f.staged.err == nil && at.digest == f.staged.digest:
		// The same bytes are where they belong.
	case s.kind == planner.Replace && at.condition == holdNew, s.kind != planner.Create && at.condition == absent:
		f.giveBack = true
		f.stops = append(f.stops, s.strayed(f.staged))
		return f
	default:
		f.stops = append(f.stops, s.strayed(f.staged))
	}
	if f.verdict == blocked {
		f.stops = append(f.stops, s.blockedBy(at))
	}
	return f
}

// afterLock blocks what is still to do although the new lock, which is written when everything else is durable, is in place: no transaction left
// that behind, so whatever the marker says, another program did, and it is not compose's to change.
func (f *situation) afterLock() {
	if f.verdict == pending {
		f.verdict = blocked
		f.stops = append(f.stops, f.place.undone())
	}
}

// checkRoom looks for space for what is to be staged, and for permission in every folder that gets or loses an entry.
func (t *transaction) checkRoom(path string, wanted func(i int) bool) error {
	var sizes []int64
	if !t.marked {
		sizes = append(sizes, int64(len(t.text)))
	}
	for i := range t.places {
		switch m := t.places[i].material; {
		case !wanted(i):
		case m != nil:
			sizes = append(sizes, m.Size)
		case t.places[i].isLock():
			sizes = append(sizes, int64(len(t.lock)))
		}
	}
	if err := checkSpace(path, sizes); err != nil {
		return err
	}
	var touched, taken []string // those that get or lose an entry, those whose entry goes or is exchanged
	for i := range t.places {
		if s := &t.places[i]; !t.found[i] {
			touched = append(touched, string(s.destination))
			if s.kind != planner.Create {
				taken = append(taken, string(s.destination))
			}
		}
	}
	if !t.marked { // a folder that may not be removed is no reason never to finish
		emptied := t.emptied()
		touched, taken = append(touched, emptied...), append(taken, emptied...)
	}
	if err := checkFolders(t.disk, touched); err != nil {
		return err
	}
	return checkSticky(t.disk, taken)
}

// emptied returns the folders that the removals will leave empty, as far as that can be seen now.
func (t *transaction) emptied() []string {
	left := map[string]map[string]bool{} // by folder: the names in it that stay
	var list []string
	var drop func(path string)
	drop = func(path string) {
		folder, name := split(path)
		if folder == "" || folder == lockv2.StateFolder {
			return
		}
		stay := left[folder]
		if stay == nil {
			names, err := t.disk.List(folder)
			if err != nil {
				return
			}
			stay = make(map[string]bool, len(names))
			for _, n := range names {
				stay[n] = true
			}
			left[folder] = stay
		}
		if delete(stay, name); len(stay) == 0 {
			list = append(list, folder)
			drop(folder)
		}
	}
	for i := range t.actions() {
		if t.places[i].kind == planner.Remove {
			drop(string(t.places[i].destination))
		}
	}
	return list
}
