package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.org/compose/lockv2"
)

// Reason says what stands where a regular file was looked for.
type Reason string

// The reasons of an *Error.
const (
	Missing            Reason = "missing"              // nothing there, or a parent is missing
	Symlink            Reason = "symlink"              // the destination or a parent is a symlink
	ParentNotDirectory Reason = "parent-not-directory" // a parent is a file of some kind
	IsDirectory        Reason = "is-directory"         // a folder where a file was looked for
	NotRegular         Reason = "not-regular"          // a FIFO, socket or device
	Unreadable         Reason = "unreadable"           // permission, an I/O error
	Changed            Reason = "changed"              // it changed while it was being read
	TooLarge           Reason = "too-large"            // past the bound that the caller gave
)

// Codes of an *Error.
const (
	CodeReadFailed    = "READ_FAILED"    // of everything below a root
	CodeInvalidTarget = "INVALID_TARGET" // of the root itself
)

// Error says why a regular file, or the root, could not be read.
type Error struct {
	Destination lockv2.Destination // what was looked for; "" for the root
	At          string             // the path at fault: the destination or one of its parents, or the root's path as given
	Reason      Reason

	code string
	err  error // the cause; may be nil
}

func fault(d lockv2.Destination, at string, reason Reason, err error) *Error {
	return &Error{Destination: d, At: at, Reason: reason, code: CodeReadFailed, err: err}
}

func rootError(path string, reason Reason, err error) *Error {
	return &Error{At: path, Reason: reason, code: CodeInvalidTarget, err: err}
}

func (e *Error) Error() string { return strings.TrimPrefix(e.At+": "+e.Message(), ": ") }
func (e *Error) Code() string  { return e.code }
func (e *Error) Path() string  { return e.At }
func (e *Error) Hint() string  { return "" }
func (e *Error) Unwrap() error { return e.err }

// Message returns what is wrong at e.At and what to do, without the path.
func (e *Error) Message() string {
	if e.code == CodeInvalidTarget {
		return e.rootMessage()
	}
	switch e.Reason {
	case Missing:
		return "there is no such file"
	case Symlink:
		return "is a symlink, which compose never follows; put the file or folder itself in its place"
	case ParentNotDirectory:
		return fmt.Sprintf("is no folder, but %q lies below it; move it away", string(e.Destination))
	case IsDirectory:
		return "is a folder where a file belongs; move it away"
	case NotRegular:
		return "is a FIFO, socket or device where a regular file belongs; move it away"
	case Changed:
		return "changed while it was being read; try again when nothing writes to it"
	case TooLarge:
		return "is larger than it may be: " + e.cause()
	}
	return "can't be read: " + e.cause()
}

func (e *Error) rootMessage() string {
	switch e.Reason {
	case Missing:
		if e.At == "" {
			return "is an empty path; name a folder"
		}
		return "is not there; make the folder, or name another"
	case Symlink:
		return "is a symlink; name the folder that it points to"
	case ParentNotDirectory:
		return "is no folder; name a folder"
	case Changed:
		return "was replaced while it was being opened; try again when nothing writes to it"
	}
	return "can't be read: " + e.cause()
}

// cause returns the text of the cause without the paths and calls that os adds.
func (e *Error) cause() string {
	var p *fs.PathError
	switch {
	case e.err == nil:
		return string(e.Reason)
	case errors.As(e.err, &p):
		return p.Err.Error()
	}
	return e.err.Error()
}

// lookReason tells what a failed look at one name means.
func lookReason(err error) Reason {
	if errors.Is(err, fs.ErrNotExist) {
		return Missing
	}
	return Unreadable
}
