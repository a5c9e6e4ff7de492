package txn

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// MaxMarker is the most bytes that a marker may have (256 MiB).
const MaxMarker = 256 << 20

// Marker is an update or upgrade that is not finished: everything that its recovery needs but for the
// bytes of the materials. Its form is in docs/transaction.md.
type Marker struct {
	Operation        planner.Operation
	Source           lockv2.Source        // of the new lock
	OldLockDigest    fingerprint.LockFile // of the exact bytes that stood in the target
	NewLockDigest    fingerprint.LockFile // of the new lock's canonical bytes
	OldLock, NewLock *lockv2.Lock
	Actions          []planner.ManagedAction // what leads from the one lock to the other, by destination; Material is nil

	text []byte // of the whole
	lock []byte // of NewLock; like text nil in a marker that was read
}

// ReadMarker reads the marker of the target in root; nil, nil where there is none. It looks at nothing else: whether
// the target is in a state that the marker can be carried on from, Recover finds out.
//
// Errors: INVALID_JSON; INVALID_TRANSACTION for all that is no marker which compose would write, a symlink or folder in its
// place included; READ_FAILED.
func ReadMarker(root *rootfs.Root) (*Marker, error) {
	b, err := root.ReadFile(lockv2.MarkerPath, MaxMarker)
	var fault *rootfs.Error
	switch {
	case err == nil:
		return ParseMarker(b)
	case !errors.As(err, &fault):
		return nil, err
	}
	switch fault.Reason {
	case rootfs.Missing:
		return nil, nil
	case rootfs.ParentNotDirectory:
		return nil, nil // what is wrong with the composer's folder, whoever reads the lock says
	case rootfs.Unreadable, rootfs.Changed:
		return nil, &Error{Base: diag.New(CodeReadFailed, fault.At, fault.Message())}
	}
	return nil, invalidMarker("", fault.Message())
}

// ParseMarker reads the bytes of a marker and holds them against every rule that needs no target: the form, both locks, the digest
// of the new one, and that the actions are exactly those that lead from the one to the other.
func ParseMarker(b []byte) (*Marker, error) {
	if len(b) > MaxMarker {
		return nil, invalidMarker("", fmt.Sprintf("has %d bytes; a marker has at most %d (256 MiB)", len(b), MaxMarker))
	}
	doc, err := strictjson.Scan(b, 0)
	var form *strictjson.Error
	if errors.As(err, &form) {
		return nil, &Error{Base: diag.New(form.Code(), lockv2.MarkerPath, form.Error()+noMarker).WithHint(markerHint)}
	}
	if err != nil {
		return nil, err
	}
	m := &Marker{}
	fault := doc.Decode(func(root strictjson.Node) {
		var old, new strictjson.Node
		root.Object(func(f *strictjson.Fields) { old, new = m.read(f) })
		if !root.Sound() {
			return
		}
		if m.OldLock, err = readLock("/old_lock", old); err == nil {
			m.NewLock, err = readLock("/new_lock", new)
		}
	})
	if fault != nil {
		return nil, invalidMarker(fault.Pointer, fault.Reason)
	}
	if err != nil {
		return nil, err
	}
	return m, m.check()
}

// read reads the fields in their order, and returns the two locks as they stand.
func (m *Marker) read(f *strictjson.Fields) (old, new strictjson.Node) {
	version := f.Get("schema_version")
	if n := version.Int(); n != 1 {
		version.Fail("is %d; want 1", n)
	}
	operation := f.Get("operation")
	m.Operation = planner.Operation(operation.Text())
	if m.Operation != planner.Update && m.Operation != planner.Upgrade {
		operation.Fail("is %.40q; want update or upgrade", m.Operation)
	}
	f.Get("source").Object(func(f *strictjson.Fields) {
		m.Source.Repository = f.Get("repository").Text()
		m.Source.Revision = lockv2.Revision(f.Get("revision").Text())
	})
	readDigest(f.Get("old_lock_file_sha256"), &m.OldLockDigest)
	readDigest(f.Get("new_lock_file_sha256"), &m.NewLockDigest)
	old, new = f.Get("old_lock"), f.Get("new_lock")
	actions := f.Get("actions")
	m.Actions = slices.Grow(m.Actions, actions.Len())
	actions.Items(func(_ int, item strictjson.Node) {
		item.Object(func(f *strictjson.Fields) { m.Actions = append(m.Actions, readAction(f)) })
	})
	return old, new
}

func readAction(f *strictjson.Fields) planner.ManagedAction {
	kind := f.Get("action")
	a := planner.ManagedAction{
		Kind:        planner.ActionKind(kind.Word()),
		Destination: lockv2.Destination(f.Get("destination").Text()),
		Component:   lockv2.ComponentID(f.Get("component").Word()),
		Ownership:   lockv2.Ownership(f.Get("ownership").Word()),
	}
	switch a.Kind {
	case planner.Create, planner.Replace, planner.Remove:
	default:
		kind.Fail("is %.40q; want create, replace or remove", a.Kind)
	}
	if a.Kind != planner.Create {
		readDigest(f.Get("from_sha256"), &a.From)
	}
	if a.Kind != planner.Remove {
		readDigest(f.Get("to_sha256"), &a.To)
	}
	return a
}

func readDigest[D any](n strictjson.Node, into *fingerprint.Digest[D]) {
	text := n.Bytes()
	d, err := fingerprint.Parse[fingerprint.Digest[D]](text)
	if err != nil {
		n.Fail("is %.80q; want 64 lower-case hexadecimal digits", text)
		return
	}
	*into = d
}

// readLock reads one of the two locks in a marker.
func readLock(pointer string, n strictjson.Node) (*lockv2.Lock, error) {
	lock, err := lockv2.FromNode(n)
	var fault *lockv2.Error
	if errors.As(err, &fault) {
		return nil, invalidMarker(pointer+fault.Pointer, fault.Message())
	}
	return lock, err
}

// check holds the parts of a marker against each other.
func (m *Marker) check() error {
	digest, err := lockv2.Digest(m.NewLock)
	if err != nil {
		return err
	}
	sameChoice := m.OldLock.ConfigurationDigest == m.NewLock.ConfigurationDigest &&
		bytes.Equal(strictjson.Encode(m.OldLock.Intent.Value()), strictjson.Encode(m.NewLock.Intent.Value()))
	switch {
	case m.Source != m.NewLock.Source:
		return invalidMarker("/source", "is not the source of the new lock")
	case m.OldLock.Source.Repository != m.NewLock.Source.Repository:
		return invalidMarker("/old_lock/source/repository", "is another catalog than the new lock's")
	case m.Operation == planner.Update && !sameChoice:
		return invalidMarker("/new_lock/intent", "is another choice than the old lock's, which no update makes")
	case m.NewLockDigest != digest:
		return invalidMarker("/new_lock_file_sha256", "is not the digest of the new lock")
	}
	implied, err := planner.Implied(m.OldLock, m.NewLock)
	if err != nil {
		return invalidMarker("/new_lock", err.Error())
	}
	for i := range max(len(implied), len(m.Actions)) {
		switch {
		case i >= len(m.Actions):
			return invalidMarker("/actions", fmt.Sprintf("lacks the %s of %q, to which the two locks lead", implied[i].Kind, implied[i].Destination))
		case i >= len(implied) || m.Actions[i] != implied[i]:
			return invalidMarker(fmt.Sprintf("/actions/%d", i), fmt.Sprintf("(%s of %.200q) is not what the two locks lead to",
				m.Actions[i].Kind, m.Actions[i].Destination))
		}
	}
	return nil
}

// Encode returns the bytes of m as they stand in a target.
func (m *Marker) Encode() []byte {
	size := 300 * (8 + len(m.Actions) + len(m.OldLock.Files) + len(m.NewLock.Files)) // most of them need less
	return strictjson.Append(make([]byte, 0, size), strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("operation", strictjson.Str(m.Operation)),
		strictjson.F("source", m.Source.Value()),
		strictjson.F("old_lock_file_sha256", strictjson.Str(m.OldLockDigest.String())),
		strictjson.F("new_lock_file_sha256", strictjson.Str(m.NewLockDigest.String())),
		strictjson.F("old_lock", m.OldLock.Value()),
		strictjson.F("new_lock", m.NewLock.Value()),
		strictjson.F("actions", strictjson.Rows(m.Actions, actionRow)),
	))
}

func actionRow(members []strictjson.Member, a *planner.ManagedAction) []strictjson.Member {
	members = append(members,
		strictjson.F("action", strictjson.Str(a.Kind)),
		strictjson.F("destination", strictjson.Str(a.Destination)),
		strictjson.F("component", strictjson.Str(a.Component)),
		strictjson.F("ownership", strictjson.Str(a.Ownership)),
	)
	if a.Kind != planner.Create {
		members = append(members, strictjson.F("from_sha256", strictjson.Str(a.From.String())))
	}
	if a.Kind != planner.Remove {
		members = append(members, strictjson.F("to_sha256", strictjson.Str(a.To.String())))
	}
	return members
}

const (
	noMarker   = "; compose did not write this, and touched nothing"
	markerHint = "restore the marker from a backup; or, if there is none, restore the target from version control and then remove " + lockv2.MarkerPath
)

// invalidMarker is INVALID_TRANSACTION at a place in the marker.
func invalidMarker(pointer, what string) error {
	path := lockv2.MarkerPath
	if pointer != "" {
		path += "#" + pointer
	}
	return &Error{Base: diag.New(CodeInvalidTransaction, path, cmp.Or(what, "is no marker")+noMarker).WithHint(markerHint)}
}
