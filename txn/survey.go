package txn

import (
	"context"
	"errors"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

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
