package txn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
	"example.org/compose/validator"
)

// Codes of an *Error. docs/codes.md says what each means.
const (
	CodeTargetBusy            = "TARGET_BUSY"
	CodeTargetLockUnsupported = "TARGET_LOCK_UNSUPPORTED"
	CodeFlushUnsupported      = "FLUSH_UNSUPPORTED"
	CodeInvalidTarget         = "INVALID_TARGET"
	CodePreconditionChanged   = "PRECONDITION_CHANGED"
	CodeReadFailed            = "READ_FAILED"
	CodeWriteFailed           = "WRITE_FAILED"
	CodeValidationFailed      = "VALIDATION_FAILED"
	CodeInterrupted           = "INTERRUPTED"
	CodeInvalidTransaction    = "INVALID_TRANSACTION"
	CodeInvalidJSON           = "INVALID_JSON"
)

// Error says why a change stopped. After any of them the same command goes on.
type Error struct {
	diag.Base
	Faults     []validator.Fault // of VALIDATION_FAILED: all of them
	Blocked    []Blocked         // of PRECONDITION_CHANGED in a transaction: every place that stands in its way
	Unfinished bool              // the marker of an update or upgrade stands: the same command, without a configuration, goes on

	cause error // in the message already
}

// Unwrap returns the cause, such as the errno of the system.
func (e *Error) Unwrap() error {
	if e.cause != nil {
		return e.cause
	}
	return e.Base.Unwrap()
}

// writeFault is WRITE_FAILED at path, below the target and never a temporary name: what failed, and what to do.
func writeFault(path, doing string, err error) error {
	err = plainfile.Cause(err)
	remedy := "see to it"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		remedy = "make room"
	case errors.Is(err, syscall.EROFS):
		remedy = "mount the file system for writing"
	case errors.Is(err, errSticky):
		remedy = "run compose as that user"
	case errors.Is(err, syscall.EPERM):
		remedy = "lift what protects the file or its folder (an immutable flag, a sticky folder, a security policy)"
	case errors.Is(err, fs.ErrPermission):
		remedy = "let this user write to the folder"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		remedy = "raise the limit of open files (ulimit -n)"
	case errors.Is(err, syscall.EXDEV):
		remedy = "the folder is on another file system than the target's root, and files can't be moved there: unmount it"
	case errors.Is(err, syscall.EIO):
		remedy = "check the disk"
	}
	return &Error{cause: err, Base: diag.New(CodeWriteFailed, path, fmt.Sprintf("%s failed: %v; %s, then run the same command again", doing, err, remedy))}
}

// changed is PRECONDITION_CHANGED at path: the target is not any more what the plan was made for.
func changed(path, what string) error {
	return &Error{Base: diag.New(CodePreconditionChanged, path, what+" after the plan was made; it was left alone: look at it, then run the same command again")}
}

// interrupted is what a context that ended becomes; errors.Is finds the context's own error in it.
func interrupted(ctx context.Context) *Error {
	return &Error{cause: ctx.Err(), Base: diag.New(CodeInterrupted, "", "stopped before the lock was written; run the same command again to go on: files that are in place are adopted")}
}

// entryFault tells a failed attempt to put something into a folder from a folder that changed under it.
func entryFault(path, doing string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return changed(path, "a folder on the way went away")
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return changed(path, "something other than a folder came to stand on the way")
	}
	return writeFault(path, doing, err)
}

// readFault is what a failed look at the target becomes, where the look itself has no code.
func readFault(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return &Error{cause: err, Base: diag.New(CodeReadFailed, path, fmt.Sprintf("can't be read: %v; see to it, then run the same command again", plainfile.Cause(err)))}
}

// coded returns err where it has a code of its own, or else wraps it as READ_FAILED.
func coded(ctx context.Context, path string, err error) error {
	var c diag.Coded
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx)
	case errors.As(err, &c):
		return err
	}
	return &Error{Base: diag.Wrap(CodeReadFailed, path, "can't be read from the source", plainfile.Cause(err))}
}

// describe lists the faults of a validation in one line, the first few in words.
func describe(faults []validator.Fault) string {
	const most = 5
	text := ""
	for i, f := range faults {
		if i == most {
			return text + fmt.Sprintf("; and %d more", len(faults)-most)
		}
		if i > 0 {
			text += "; "
		}
		if f.Destination != "" {
			text += string(f.Destination) + ": "
		}
		text += f.Message
	}
	return text
}

// unfinished is an error of a transaction whose marker stands.
func unfinished(code, path, msg string, op planner.Operation) diag.Base {
	return diag.New(code, path, msg+"; then run the same command again").WithHint(finish(op))
}

// finish is the command that finishes a transaction.
func finish(op planner.Operation) string { return "compose apply --mode " + string(op) }

// inTheWay tells that what was to be removed as an empty folder is something else, or in use.
func inTheWay(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EBUSY)
}

// Details returns what a program may want to know besides; nil for nothing.
func (e *Error) Details() []strictjson.Member {
	var members []strictjson.Member
	if len(e.Blocked) > 0 {
		members = append(members, strictjson.F("blocked", strictjson.List(e.Blocked, Blocked.value)))
	}
	if len(e.Faults) > 0 {
		faults, _ := (&validator.Report{Faults: e.Faults}).Document().Get("errors")
		members = append(members, strictjson.F("errors", faults))
	}
	return members
}
