package lockv2

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"strings"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
)

// MaxSize is the most bytes that a lock file may have (64 MiB).
const MaxSize = 64 << 20

// Codes of an *Error.
const (
	CodeInvalidLock            = "INVALID_LOCK"
	CodeUnsupportedLockVersion = "UNSUPPORTED_LOCK_VERSION"
)

// Error says why bytes are no lock, or a value keeps not the rules of one.
type Error struct {
	Pointer string // JSON pointer into the lock, such as /files/3/destination; "" for the whole

	code string
	file string // the file that was read; "" for a part of another document, or a value
	msg  string // lower case, no final period
	hint string
}

func (e *Error) Error() string { return strings.TrimPrefix(e.Path()+": "+e.msg, ": ") }

// Code returns INVALID_LOCK or UNSUPPORTED_LOCK_VERSION.
func (e *Error) Code() string { return e.code }

// Path returns the lock's file and the pointer, as FILE#/pointer; the pointer alone for a lock that is
// part of another document.
func (e *Error) Path() string {
	if e.file != "" && e.Pointer != "" {
		return e.file + "#" + e.Pointer
	}
	return e.file + e.Pointer
}

// Message returns what is wrong and what to do, without the place.
func (e *Error) Message() string { return e.msg }

// Hint returns a further step; "" for none.
func (e *Error) Hint() string { return e.hint }

func invalid(pointer, format string, args ...any) *Error {
	return &Error{Pointer: pointer, code: CodeInvalidLock, msg: fmt.Sprintf(format, args...)}
}

// Parse reads a lock file: strict JSON in any white space, then every rule of docs/lock.md.
//
// Errors: a *strictjson.Error (INVALID_JSON) for a text that is no strict JSON; else an *Error with
// INVALID_LOCK and a pointer, or UNSUPPORTED_LOCK_VERSION. The first fault counts: the form of each
// field in the order of docs/lock.md, then the rules.
func Parse(b []byte) (*Lock, error) { return ParseEarly(b, nil) }

// ParseEarly is Parse for those who have work to do for each file: it calls early with the files in the
// order of the list, on the calling goroutine, before it is known whether the whole is a lock. What early
// is called with is sound by itself: its fields were read, its destination passes Check, is not
// Reserved and stands in byte order after the one before, and its ownership is one of the three. Whether its component is
// resolved, and whether it collides with another, is not known yet. At the first file of which that can't be said
// the calls end. The file that early gets is good for good: nothing is changed later. early may be nil.
func ParseEarly(b []byte, early func(f *File)) (*Lock, error) {
	if len(b) > MaxSize {
		err := tooLarge(len(b))
		err.file = LockPath
		return nil, err
	}
	doc, err := strictjson.Scan(b, 0)
	if err != nil {
		return nil, err
	}
	var l *Lock
	var fault *Error
	doc.Decode(func(root strictjson.Node) { l, fault = read(root, early) })
	if fault != nil {
		fault.file = LockPath
		return nil, fault
	}
	return l, nil
}

// FromNode is Parse for a lock that is part of another document, such as a marker. Pointers begin at n, and the
// document knows of no fault in it.
func FromNode(n strictjson.Node) (*Lock, error) {
	l, fault := read(n, nil)
	if fault != nil {
		return nil, fault
	}
	return l, nil
}

// FromValue is FromNode for a document that was kept.
func FromValue(v strictjson.Value) (*Lock, error) {
	var l *Lock
	var err error
	if fault := strictjson.Decode(v, func(root strictjson.Node) { l, err = FromNode(root) }); fault != nil {
		return nil, invalid(fault.Pointer, "%s", fault.Reason)
	}
	return l, err
}

// Encode returns the canonical bytes of l. An *Error, INVALID_LOCK, where l breaks a rule.
func Encode(l *Lock) ([]byte, error) {
	if fault := l.checkValue(); fault != nil {
		return nil, fault
	}
	b := strictjson.Append(make([]byte, 0, l.usualSize()), l.Value())
	if len(b) > MaxSize {
		return nil, tooLarge(len(b))
	}
	return b, nil
}

// Digest returns the digest of what Encode returns, without holding it; its errors are those of Encode.
func Digest(l *Lock) (fingerprint.LockFile, error) {
	if fault := l.checkValue(); fault != nil {
		return fingerprint.LockFile{}, fault
	}
	out := counted{Hash: sha256.New()}
	if err := strictjson.Write(&out, l.Value()); err != nil {
		return fingerprint.LockFile{}, err
	}
	if out.size > MaxSize {
		return fingerprint.LockFile{}, tooLarge(out.size)
	}
	return fingerprint.From[fingerprint.LockFile](out.Hash), nil
}

// counted is a hash that knows how much it was given.
type counted struct {
	hash.Hash
	size int
}

func (c *counted) Write(b []byte) (int, error) {
	c.size += len(b)
	return c.Hash.Write(b)
}

// checkValue returns the first rule that a lock breaks which no document vouches for.
func (l *Lock) checkValue() *Error {
	if fault := strictjson.Check(l.Intent.Parameters, strictjson.MaxDepth-2); fault != nil {
		return invalid("/intent/parameters"+fault.Pointer, "%s", fault.Reason)
	}
	return l.check(&fileChecks{})
}

func tooLarge(size int) *Error {
	return invalid("", "has %d bytes; a lock has at most %d (64 MiB)", size, MaxSize)
}

// read takes a document apart and checks it.
func read(doc strictjson.Node, early func(f *File)) (*Lock, *Error) {
	r := reader{early: early}
	var version int64
	fault := doc.Decode(func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			field := f.Get("schema_version")
			if version = field.Int(); version != 2 {
				field.Fail("is %d; want 2", version)
			}
			r.read(f)
		})
	})
	if fault == nil {
		if err := r.lock.check(&r.files); err != nil {
			return nil, err
		}
		return &r.lock, nil
	}
	err := &Error{Pointer: fault.Pointer, code: CodeInvalidLock, msg: fault.Reason}
	switch {
	case version == 1:
		err.code = CodeUnsupportedLockVersion
		err.msg = "is 1, a version that is not supported; want 2"
		err.hint = "compose the target anew with a catalog that writes version 2: move the lock away, then run compose plan"
	case version > 2:
		err.code = CodeUnsupportedLockVersion
		err.msg = fmt.Sprintf("is %d, which a newer compose wrote; this one reads version 2", version)
		err.hint = "use the version of compose that wrote the lock, or a newer one"
	}
	return nil, err
}

// reader makes a lock from a document. Of the rules it checks those of each file by itself.
type reader struct {
	lock  Lock
	files fileChecks
	early func(f *File)
}

// read reads the fields of the root in the order of docs/lock.md.
func (r *reader) read(root *strictjson.Fields) {
	l := &r.lock
	root.Get("source").Object(func(f *strictjson.Fields) {
		l.Source.Repository = f.Get("repository").Text()
		l.Source.Revision = Revision(f.Get("revision").Text())
	})
	root.Get("intent").Object(l.Intent.read)
	readDigest(root.Get("recipe_sha256"), &l.RecipeDigest)
	readDigest(root.Get("configuration_sha256"), &l.ConfigurationDigest)

	components := root.Get("resolved_components")
	l.Components = make([]Component, 0, components.Len())
	components.Items(func(_ int, item strictjson.Node) {
		item.Object(func(f *strictjson.Fields) {
			c := Component{ID: ComponentID(f.Get("id").Word()), Version: f.Get("version").Int()}
			readDigest(f.Get("descriptor_sha256"), &c.Digest)
			l.Components = append(l.Components, c)
		})
	})

	files := root.Get("files")
	l.Files = make([]File, 0, files.Len())
	files.Items(func(_ int, item strictjson.Node) {
		item.Object(func(f *strictjson.Fields) {
			file := File{
				Destination: Destination(f.Get("destination").Text()),
				Component:   ComponentID(f.Get("component").Word()),
				Ownership:   Ownership(f.Get("ownership").Word()),
			}
			readDigest(f.Get("materialized_sha256"), &file.Digest)
			l.Files = append(l.Files, file)
		})
		if item.Sound() && r.files.next(l.Files) && r.early != nil {
			r.early(&l.Files[len(l.Files)-1])
		}
	})
}

func (i *Intent) read(f *strictjson.Fields) {
	i.Recipe = RecipeID(f.Get("recipe").Text())
	f.Get("components").Object(func(f *strictjson.Fields) {
		i.Include = readIDs(f.Get("include"))
		i.Exclude = readIDs(f.Get("exclude"))
	})
	parameters := f.Get("parameters")
	i.Parameters = parameters.Value()
}

func readIDs(n strictjson.Node) []ComponentID {
	var ids []ComponentID
	n.Items(func(_ int, item strictjson.Node) { ids = append(ids, ComponentID(item.Word())) })
	return ids
}

func readDigest[D any](n strictjson.Node, out *fingerprint.Digest[D]) {
	digest, err := fingerprint.Parse[fingerprint.Digest[D]](n.Bytes())
	if err != nil {
		n.Fail("is %v", err)
	}
	*out = digest
}

// Value returns l as a document, fields in their order, for a place inside a larger one. Its lists are strictjson.Rows, so l must
// not change before it is written.
func (l *Lock) Value() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(2)),
		strictjson.F("source", l.Source.Value()),
		strictjson.F("intent", l.Intent.Value()),
		strictjson.F("recipe_sha256", strictjson.Str(l.RecipeDigest.String())),
		strictjson.F("configuration_sha256", strictjson.Str(l.ConfigurationDigest.String())),
		strictjson.F("resolved_components", strictjson.Rows(l.Components, componentRow)),
		strictjson.F("files", strictjson.Rows(l.Files, fileRow)),
	)
}

// Value returns the source as a document of its own.
func (s Source) Value() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("repository", strictjson.Str(s.Repository)),
		strictjson.F("revision", strictjson.Str(s.Revision)),
	)
}

// Value returns the intent as a document of its own.
func (i Intent) Value() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("recipe", strictjson.Str(i.Recipe)),
		strictjson.F("components", strictjson.Obj(
			strictjson.F("include", strictjson.Strs(i.Include)),
			strictjson.F("exclude", strictjson.Strs(i.Exclude)),
		)),
		strictjson.F("parameters", i.Parameters),
	)
}

func componentRow(members []strictjson.Member, c *Component) []strictjson.Member {
	return append(members,
		strictjson.F("id", strictjson.Str(c.ID)),
		strictjson.F("version", strictjson.Int(c.Version)),
		strictjson.F("descriptor_sha256", strictjson.Str(c.Digest.String())),
	)
}

func fileRow(members []strictjson.Member, f *File) []strictjson.Member {
	return append(members,
		strictjson.F("destination", strictjson.Str(f.Destination)),
		strictjson.F("component", strictjson.Str(f.Component)),
		strictjson.F("ownership", strictjson.Str(f.Ownership)),
		strictjson.F("materialized_sha256", strictjson.Str(f.Digest.String())),
	)
}

// usualSize is somewhat more than the bytes of l in canonical form, but where its parameters are many.
func (l *Lock) usualSize() int {
	size := 4096 + 256*len(l.Components)
	for i := range l.Files {
		f := &l.Files[i]
		size += 192 + len(f.Destination) + len(f.Component) + len(f.Ownership)
	}
	return size
}
