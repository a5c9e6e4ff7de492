package validator

import (
	"context"
	"errors"
	"fmt"

	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// lookOnce looks at the target at path from its root to its files. changed tells that the marker or the
// lock is no longer what it was before the files were looked at, or can't be caught: then the report means nothing.
func lookOnce(ctx context.Context, path string) (report *Report, changed bool, err error) {
	root, report := openRoot(path)
	if report != nil {
		return report, false, ctx.Err()
	}
	defer root.Close()

	before := look(root)
	if before.moving {
		return nil, true, ctx.Err()
	}
	if !before.settled() {
		report = before.report()
		report.Faults = append(report.Faults, checkPolicy(root, report.Lock)...)
		return report, false, ctx.Err()
	}
	report, err = before.check(ctx, root)
	if err != nil {
		return nil, false, err
	}
	root.Forget()
	return report, !before.still(root), ctx.Err()
}

// openRoot opens the target, or reports why there is nothing to look at.
func openRoot(path string) (*rootfs.Root, *Report) {
	root, err := rootfs.Open(path)
	if err == nil {
		return root, nil
	}
	var e *rootfs.Error
	if !errors.As(err, &e) {
		e = &rootfs.Error{Reason: rootfs.Unreadable}
	}
	state := InvalidRoot
	if e.Reason == rootfs.Missing && path != "" {
		state = Absent
	}
	return nil, &Report{State: state, Faults: []Fault{{
		Code:    CodeInvalidTarget,
		Message: fmt.Sprintf("the target %q %s", path, e.Message()),
	}}}
}

// standing is what stands at the places of the marker and the lock.
type standing struct {
	marker bool   // something is at the marker's place, of whatever kind and content
	lock   []byte // the lock's bytes, where it is a regular file that can be read
	found  bool   // the lock was read
	moving bool   // it was not, because it was replaced each time that it was opened
	fault  *Fault // why it was not, or why nobody can tell whether there is a marker
}

// settled reports that there is a lock to go by, and no marker.
func (s *standing) settled() bool { return s.found && !s.marker && s.fault == nil }

// look looks at the marker, then at the lock: a run installs the one before it touches the other, and takes
// it away after it, so that a run that was seen in neither was not there.
func look(root *rootfs.Root) *standing {
	s := &standing{}
	_, err := root.Stat(lockv2.MarkerPath)
	s.marker = err == nil
	if !s.marker && !missing(err) {
		s.fault = stateFault(err)
		return s
	}
	s.lock, err = root.ReadFile(lockv2.LockPath, lockv2.MaxSize)
	s.found = err == nil
	if err != nil {
		var e *rootfs.Error
		s.moving = errors.As(err, &e) && e.Reason == rootfs.Changed
		s.fault = stateFault(err)
	}
	return s
}

// still looks again, in the same order, and reports whether a target that was settled is what it was.
func (s *standing) still(root *rootfs.Root) bool {
	if _, err := root.Stat(lockv2.MarkerPath); !missing(err) {
		return false
	}
	same, err := root.Equal(lockv2.LockPath, s.lock, make([]byte, rootfs.BufferSize))
	return err == nil && same
}

func missing(err error) bool {
	var e *rootfs.Error
	return errors.As(err, &e) && e.Reason == rootfs.Missing
}

// report tells what a target is whose files are not to be looked at.
func (s *standing) report() *Report {
	r := &Report{State: Invalid}
	if s.marker {
		r.State = Interrupted
		r.Faults = append(r.Faults, Fault{
			Code: CodeRecoveryRequired,
			Message: "an update or upgrade is not finished (" + lockv2.MarkerPath + " stands): wait if one is running, " +
				"else run the same command again without --config, compose apply --mode update or compose apply --mode upgrade",
		})
	} else if s.fault != nil && s.fault.Code == CodeLockMissing {
		r.State = Unmanaged
	}
	fault := s.fault
	if s.found {
		r.Lock, fault = s.parse(nil)
	}
	if fault != nil {
		r.Faults = append(r.Faults, *fault)
	}
	return r
}

// check reads the lock and looks at its files meanwhile. What is found there counts only for a lock that is one.
func (s *standing) check(ctx context.Context, root *rootfs.Root) (*Report, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	files := begin(inner, root)
	lock, fault := s.parse(files.add)
	if fault != nil {
		cancel()
		files.finish()
		return &Report{State: Invalid, Faults: append([]Fault{*fault}, checkPolicy(root, nil)...)}, ctx.Err()
	}
	report := &Report{State: Valid, Lock: lock, Checked: len(lock.Files), composition: lock.Composition(), Faults: checkPolicy(root, lock)}
	if report.Faults = append(report.Faults, files.finish()...); len(report.Faults) > 0 {
		report.State = Invalid
	}
	return report, ctx.Err()
}

// parse reads the lock's bytes. early may be nil (lockv2.ParseEarly).
func (s *standing) parse(early func(*lockv2.File)) (*lockv2.Lock, *Fault) {
	lock, err := lockv2.ParseEarly(s.lock, early)
	if err == nil {
		return lock, nil
	}
	fault := &Fault{Code: CodeInvalidLock}
	text := err.Error()
	var form *strictjson.Error
	var rule *lockv2.Error
	switch {
	case errors.As(err, &form):
		fault.Code = form.Code()
	case errors.As(err, &rule):
		fault.Code, fault.Pointer, text = rule.Code(), rule.Pointer, rule.Message()
		if rule.Pointer != "" {
			text = rule.Pointer + " " + text
		}
	}
	advice := "nothing but compose should write it, so restore it from version control"
	if rule != nil && rule.Hint() != "" {
		advice = rule.Hint()
	}
	fault.Message = fmt.Sprintf("the lock %s can't be used: %s; %s", lockv2.LockPath, text, advice)
	return nil, fault
}

// stateFault says why the marker or the lock could not be looked at.
func stateFault(err error) *Fault {
	var e *rootfs.Error
	if !errors.As(err, &e) {
		e = &rootfs.Error{At: lockv2.LockPath, Reason: rootfs.Unreadable}
	}
	switch e.Reason {
	case rootfs.Missing:
		return &Fault{Code: CodeLockMissing, Message: "there is no lock " + lockv2.LockPath +
			", so nothing says what belongs here: compose the target with compose apply --recipe ID, or restore the lock from version control"}
	case rootfs.Unreadable, rootfs.Changed:
		return &Fault{Code: CodeReadFailed, Message: e.At + " " + e.Message() + ": make it readable, then validate again"}
	}
	message := e.Message()
	if e.Reason == rootfs.ParentNotDirectory {
		message = "is no folder; move it away"
	}
	return &Fault{Code: CodeInvalidLock, Message: e.At + " " + message + ": compose keeps its lock there, so restore it from version control"}
}
