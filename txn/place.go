package txn

import (
	"context"
	"errors"
	"fmt"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// place is one name that a transaction changes, and the place in staging where what comes or went waits. The lock is
// the last one, a replacement like the others.
type place struct {
	kind        planner.ActionKind
	destination lockv2.Destination
	staging     string
	from, to    fingerprint.Material // zero where the kind has none
	material    *planner.Material    // supplies the new bytes; nil for a removal and for the lock
}

// placesOf returns the places of a marker: one for each action, then the lock's.
func placesOf(m *Marker) []place {
	places := make([]place, 0, len(m.Actions)+1)
	for i, a := range m.Actions {
		places = append(places, place{kind: a.Kind, destination: a.Destination, staging: stagingName(i), from: a.From, to: a.To})
	}
	return append(places, place{kind: planner.Replace, destination: lockv2.LockPath, staging: stagedLock,
		from: fingerprint.Material(m.OldLockDigest), to: fingerprint.Material(m.NewLockDigest)})
}

// condition is what stands at a name, as far as a transaction cares.
type condition uint8

const (
	absent  condition = iota
	holdOld           // the bytes before
	holdNew           // the bytes after
	holdOther
	unreadable
)

// seen is what was found at a name.
type seen struct {
	condition
	digest fingerprint.Material // of a regular file
	err    error                // why there is no digest; nil where there is one
}

// reader reads files: a disk, or a root that nothing is written to.
type reader interface {
	Digest(ctx context.Context, d lockv2.Destination, buf []byte) (rootfs.Sum, error)
}

// look tells what stands at path, which is the place's destination or its place in staging. The error is ctx's.
func (s *place) look(ctx context.Context, from reader, path string, buf []byte) (seen, error) {
	sum, err := from.Digest(ctx, lockv2.Destination(path), buf)
	return s.judgeBytes(ctx, sum, err)
}

// lookClosely is look, and tells the attributes of a regular file too.
func (s *place) lookClosely(ctx context.Context, d disk, path string, buf []byte) (seen, attributes, error) {
	sum, a, err := d.Look(ctx, lockv2.Destination(path), buf)
	at, err := s.judgeBytes(ctx, sum, err)
	return at, a, err
}

// judgeBytes tells what was found by a look.
func (s *place) judgeBytes(ctx context.Context, sum rootfs.Sum, err error) (seen, error) {
	var fault *rootfs.Error
	switch {
	case err == nil && s.kind != planner.Create && sum.Digest == s.from:
		return seen{condition: holdOld, digest: sum.Digest}, nil
	case err == nil && s.kind != planner.Remove && sum.Digest == s.to:
		return seen{condition: holdNew, digest: sum.Digest}, nil
	case err == nil:
		return seen{condition: holdOther, digest: sum.Digest}, nil
	case ctx.Err() != nil:
		return seen{}, ctx.Err()
	case !errors.As(err, &fault) || fault.Reason == rootfs.Unreadable:
		return seen{condition: unreadable, err: err}, nil
	case fault.Reason == rootfs.Missing:
		return seen{condition: absent, err: err}, nil
	}
	return seen{condition: holdOther, err: err}, nil
}

// verdict is what is to be done about a place.
type verdict uint8

const (
	pending verdict = iota // the state before
	done                   // the state after
	blocked                // neither, so that nothing may be done
)

// judge holds what stands at the destination against the precondition of the contract.
func (s *place) judge(at seen) verdict {
	switch {
	case at.condition == holdNew, at.condition == absent && s.kind == planner.Remove:
		return done
	case at.condition == holdOld, at.condition == absent && s.kind == planner.Create:
		return pending
	}
	return blocked
}

// Blocked is a place at which a transaction can't go on, because what is there is neither the state before nor
// the one after. It was left alone.
type Blocked struct {
	Destination lockv2.Destination
	Action      planner.ActionKind
	Before      fingerprint.Material // zero: nothing stood there
	After       fingerprint.Material // zero: nothing is to stand there
	Found       fingerprint.Material // zero where there is no regular file that can be read
	At          string               // where it was found, in staging; "" for the destination
	Message     string               // what is there and what to do

	err error // why it can't be read
}

// value is b as it stands in the details of an error.
func (b Blocked) value() strictjson.Value {
	members := []strictjson.Member{strictjson.F("destination", strictjson.Str(b.Destination))}
	add := func(name, text string) {
		if text != "" {
			members = append(members, strictjson.F(name, strictjson.Str(text)))
		}
	}
	digest := func(name string, d fingerprint.Material) {
		if d != (fingerprint.Material{}) {
			add(name, d.String())
		}
	}
	add("action", string(b.Action))
	digest("from_sha256", b.Before)
	digest("to_sha256", b.After)
	digest("current_sha256", b.Found)
	add("at", b.At)
	add("message", b.Message)
	return strictjson.Obj(members...)
}

// blockedBy describes what stands in the way of s at its destination.
func (s *place) blockedBy(at seen) Blocked {
	b := Blocked{Destination: s.destination, Action: s.kind, Before: s.from, After: s.to, Found: at.digest}
	var fault *rootfs.Error
	found, remedy := "", s.remedy()
	switch {
	case at.condition == unreadable:
		b.err = at.err
		b.Message = fmt.Sprintf("can't be read: %v; see to it", plainfile.Cause(at.err))
		return b
	case at.condition == absent:
		found = "is missing"
		if s.kind == planner.Replace && !s.isLock() {
			remedy = "restore the old file"
		}
	case at.err == nil:
		found = fmt.Sprintf("has other bytes (SHA-256 %s)", at.digest)
	case errors.As(at.err, &fault) && fault.At != string(s.destination) && fault.At != s.staging:
		found = fmt.Sprintf("can't be reached, because %q %s", fault.At, kindOf(fault.Reason))
		remedy = fmt.Sprintf("put the folder itself in the place of %q", fault.At)
		if s.kind == planner.Create && fault.Reason != rootfs.Symlink {
			remedy = fmt.Sprintf("move %q away", fault.At)
		}
	case fault != nil:
		found = kindOf(fault.Reason)
	default:
		found = "is no regular file"
	}
	b.Message = fmt.Sprintf("%s where %s; it was left alone: %s", found, s.expected(), remedy)
	return b
}

// undone describes a place in its old state behind a lock that says otherwise.
func (s *place) undone() Blocked {
	b := Blocked{Destination: s.destination, Action: s.kind, Before: s.from, After: s.to, Found: s.from}
	found, remedy := fmt.Sprintf("is the old file (SHA-256 %s)", s.from), fmt.Sprintf("put the new file (SHA-256 %s) there", s.to)
	switch s.kind {
	case planner.Create:
		found = "is missing"
	case planner.Remove:
		remedy = "keep a copy elsewhere and remove it"
	}
	b.Message = fmt.Sprintf("%s, although the new lock, which is written last, is in place; it was left alone: %s, or restore the old lock to have it done", found, remedy)
	return b
}

// expected says in words what may stand at the destination.
func (s *place) expected() string {
	switch s.kind {
	case planner.Create:
		return fmt.Sprintf("nothing is expected, or the new file (SHA-256 %s)", s.to)
	case planner.Remove:
		return fmt.Sprintf("the old file (SHA-256 %s) is expected, or nothing", s.from)
	}
	return fmt.Sprintf("the old file (SHA-256 %s) is expected, or the new one (%s)", s.from, s.to)
}

func (s *place) remedy() string {
	switch {
	case s.destination == lockv2.LockPath:
		return "restore the lock from version control"
	case s.kind == planner.Create:
		return "move it away"
	case s.kind == planner.Remove:
		return "keep a copy elsewhere and remove it"
	}
	return "keep a copy elsewhere and restore the old file"
}

// strayed describes bytes that are nobody's but a consumer's and lie in staging.
func (s *place) strayed(at seen) Blocked {
	what := "something that is no regular file"
	if at.err == nil {
		what = fmt.Sprintf("bytes (SHA-256 %s)", at.digest)
	}
	return Blocked{Destination: s.destination, Action: s.kind, Before: s.from, After: s.to, Found: at.digest, At: s.staging,
		Message: fmt.Sprintf("%s that another program wrote to it while it was changed lie in %s; look at them, and move them away from there", what, s.staging)}
}

// kindOf says, after a name, what stands there instead of a regular file.
func kindOf(r rootfs.Reason) string {
	switch r {
	case rootfs.Symlink:
		return "is a symlink"
	case rootfs.ParentNotDirectory:
		return "is no folder"
	case rootfs.IsDirectory:
		return "is a folder"
	case rootfs.Changed:
		return "changes all the time"
	}
	return "is no regular file"
}
