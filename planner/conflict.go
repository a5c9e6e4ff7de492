package planner

import (
	"errors"
	"fmt"
	"syscall"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Reasons of a conflict (docs/plans.md).
const (
	ReasonDifferentBytes     = "different-bytes"
	ReasonCaseCollision      = "case-collision"
	ReasonParentNotDirectory = "parent-not-directory"
	ReasonIsDirectory        = "is-directory"
	ReasonSymlink            = "symlink"
	ReasonNotRegular         = "not-regular"
	ReasonReservedMetadata   = "reserved-metadata"
	ReasonUnreadable         = "unreadable"
	ReasonMissing            = "missing" // of OLD_STATE_INVALID
	ReasonExists             = "exists"  // a regular file where an update or upgrade would make a new one
)

// Conflict is one place where the target stands in the way, or a component that may not change so.
type Conflict struct {
	Code        string             // one of the codes of a Conflict
	Destination lockv2.Destination // "" where it is about a component
	Component   lockv2.ComponentID // that supplies the destination; "" for the composer's own places
	Reason      string             // one of the Reason constants, or "" where the code says all
	Message     string
	Details     []strictjson.Member // further members of the document, in order

	fault *rootfs.Error // what was found; nil where that is a regular file, or nothing
}

// Document returns the conflict as plans and results hold it.
func (c *Conflict) Document() strictjson.Value {
	doc := strictjson.Obj(strictjson.F("code", strictjson.Str(c.Code)))
	add := func(name, text string) {
		if text != "" {
			doc.Members = append(doc.Members, strictjson.F(name, strictjson.Str(text)))
		}
	}
	if c.Destination == "" { // what it is about comes first
		add("component", string(c.Component))
	}
	add("destination", string(c.Destination))
	add("reason", c.Reason)
	add("message", c.Message)
	if c.Destination != "" {
		add("component", string(c.Component))
	}
	doc.Members = append(doc.Members, c.Details...)
	return doc
}

// conflictAt is a conflict of destination whose cause stands at the path at: the destination or one of its parents.
func conflictAt(destination lockv2.Destination, component lockv2.ComponentID, reason, at, msg string) *Conflict {
	return &Conflict{
		Code: CodeDestinationConflict, Destination: destination, Component: component, Reason: reason, Message: msg,
		Details: []strictjson.Member{strictjson.F("at", strictjson.Str(at))},
	}
}

// spelled is the conflict with a name that differs from the wanted one in ASCII case alone.
func spelled(destination lockv2.Destination, component lockv2.ComponentID, at, wanted string) *Conflict {
	return conflictAt(destination, component, ReasonCaseCollision, at, fmt.Sprintf(
		"%q is there, which is the same as %q where case is ignored; rename it or move it away", at, wanted))
}

// blocked is the conflict with what rootfs found where a file or one of its folders belongs.
func blocked(destination lockv2.Destination, component lockv2.ComponentID, fault *rootfs.Error) *Conflict {
	at := fmt.Sprintf("%q, a folder on the way,", fault.At)
	if fault.At == string(destination) {
		at = "what is there"
	}
	reason, msg := ReasonUnreadable, at+" "+fault.Message()
	switch fault.Reason {
	case rootfs.Symlink:
		reason, msg = ReasonSymlink, at+" is a symlink, which compose never follows; put the file or folder itself in its place, or move it away"
	case rootfs.ParentNotDirectory:
		reason, msg = ReasonParentNotDirectory, fmt.Sprintf("%q is no folder, but the file belongs below it; move it away", fault.At)
	case rootfs.IsDirectory:
		reason, msg = ReasonIsDirectory, "a folder is there where a file belongs; move it away"
	case rootfs.NotRegular:
		reason, msg = ReasonNotRegular, "a FIFO, socket or device is there where a file belongs; move it away"
	}
	c := conflictAt(destination, component, reason, fault.At, msg)
	c.fault = fault
	return c
}

// exhausted is READ_FAILED where a look at the target failed for a want of this process: that says nothing of the target.
func exhausted(conflicts []Conflict) error {
	for i := range conflicts {
		f := conflicts[i].fault
		if f != nil && (errors.Is(f, syscall.EMFILE) || errors.Is(f, syscall.ENFILE)) {
			return &Error{Base: diag.New(CodeReadFailed, f.At, f.Message()+"; raise the limit of open files (ulimit -n), then run the same command again")}
		}
	}
	return nil
}

// differs is the conflict with a regular file of other bytes.
func differs(m *Material, found *rootfs.Sum) *Conflict {
	c := &Conflict{
		Code: CodeDestinationConflict, Destination: m.Destination, Component: m.Component, Reason: ReasonDifferentBytes,
		Message: "a file with other bytes is there; move it away, or make it the same, then run the same command again",
		Details: []strictjson.Member{strictjson.F("to_sha256", digest(m.Digest))},
	}
	if found == nil {
		return c
	}
	c.Details = append(c.Details, strictjson.F("current_sha256", digest(found.Digest)))
	if found.LF == m.Digest {
		c.Message = "the file there has CRLF line ends where the source has LF, and no other difference; write it with LF (git's core.autocrlf or a .gitattributes may have changed it), then run the same command again"
		c.Details = append(c.Details, strictjson.F("line_endings_only", strictjson.Boolean(true)))
	}
	return c
}

// reserved is the conflict with what stands where the composer keeps its own state.
func reserved(path lockv2.Destination, what string) *Conflict {
	return conflictAt(path, "", ReasonReservedMetadata, string(path), fmt.Sprintf("what is there %s, and compose keeps its own state there; move it away", what))
}

func digest(d fingerprint.Material) strictjson.Value { return strictjson.Str(d.String()) }
