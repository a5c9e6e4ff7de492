package skills

import (
	"cmp"
	"slices"

	"example.org/compose/fingerprint/treedigest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
)

// MaxRecordBytes bounds a lock and a pin file.
const MaxRecordBytes = 4 << 20

const tooLarge = "is larger than 4 MiB, which no record of skills is"

// LockName and PinName are the names of the records, which stand side by side.
const (
	LockName = "skills-lock.json"
	PinName  = "skills-pin.json"
)

// Lock is what is used of a skills-lock.json.
type Lock struct {
	Skills []Recorded // by name
}

// Recorded is one skill of a record and its value.
type Recorded struct{ Name, Value string }

// ParseLock reads version 1 of a skills-lock.json, which another tool writes: strict JSON, and strict about what is used
// of it; fields that are not used may hold anything. name names it in errors, which are *Error: INVALID_JSON,
// INVALID_SKILLS_LOCK or UNSUPPORTED_SKILLS_LOCK_VERSION. A skill whose computedHash is missing or no text has the value "".
func ParseLock(name string, b []byte) (*Lock, error) {
	if len(b) > MaxRecordBytes {
		return nil, &Error{diag.New(CodeInvalidLock, name, tooLarge)}
	}
	doc, err := strictjson.Parse(b, 0)
	if err != nil {
		return nil, invalidJSON(name, err)
	}
	bad := func(pointer, msg string) error {
		return &Error{diag.New(CodeInvalidLock, name+"#"+pointer, msg)}
	}
	if doc.Kind != strictjson.Object {
		return nil, bad("", "is no object; a skills-lock.json begins with {")
	}
	version, found := doc.Get("version")
	switch {
	case !found:
		return nil, bad("", `has no "version"; want 1`)
	case version.Kind != strictjson.Number || !strictjson.IsInteger(version.Text):
		return nil, bad("/version", "is no integer; want 1")
	case version.Text != "1":
		return nil, &Error{diag.New(CodeUnsupportedVersion, name+"#/version", "is "+clip(version.Text)+"; this compose knows version 1")}
	}
	skills, found := doc.Get("skills")
	if !found || skills.Kind != strictjson.Object {
		return nil, bad("/skills", "is no object; want one with a member for each skill")
	}
	l := &Lock{}
	for _, m := range skills.Members {
		if m.Value.Kind != strictjson.Object {
			return nil, bad(strictjson.Pointer("/skills", m.Name), "is no object; want one with computedHash")
		}
		hash, _ := m.Value.Get("computedHash")
		if hash.Kind != strictjson.String {
			hash.Text = ""
		}
		l.Skills = append(l.Skills, Recorded{m.Name, hash.Text})
	}
	sortRecorded(l.Skills)
	return l, nil
}

func (l *Lock) computedHash(name string) (string, bool) { return find(l.Skills, name) }

// Pins is a pin file: the sha256-tree-v2 of each skill.
type Pins struct {
	Skills []Recorded // by name
}

// ParsePins reads a pin file, strictly: nothing but what Encode writes, in any white space and order of skills. name
// names it in errors, which are *Error: INVALID_JSON or INVALID_SKILLS_PIN.
func ParsePins(name string, b []byte) (*Pins, error) {
	if len(b) > MaxRecordBytes {
		return nil, &Error{diag.New(CodeInvalidPins, name, tooLarge)}
	}
	doc, err := strictjson.Parse(b, 0)
	if err != nil {
		return nil, invalidJSON(name, err)
	}
	p := &Pins{}
	fault := strictjson.Decode(doc, func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			if n := f.Get("schema_version"); n.Int() != 1 {
				n.Fail("is another version; want 1")
			}
			f.Get("skills").Each(func(name string, n strictjson.Node) {
				n.Object(func(f *strictjson.Fields) {
					digest := f.Get("digest")
					text := digest.Text()
					if len(text) != len(treedigest.Algorithm)+1+64 || text[:len(treedigest.Algorithm)+1] != treedigest.Algorithm+":" || !hexadecimal(text[len(treedigest.Algorithm)+1:]) {
						digest.Fail("is no digest; want %s: and 64 lower-case hexadecimal digits", treedigest.Algorithm)
					}
					p.Skills = append(p.Skills, Recorded{name, text})
				})
			})
		})
	})
	if fault != nil {
		return nil, &Error{diag.New(CodeInvalidPins, name+"#"+fault.Pointer, fault.Reason)}
	}
	sortRecorded(p.Skills)
	return p, nil
}

func (p *Pins) digest(name string) (string, bool) { return find(p.Skills, name) }

// Encode returns the bytes of a pin file: a member for each skill, by name, on lines of its own, so that changes of two
// branches merge; no times and no paths.
func (p *Pins) Encode() []byte {
	members := make([]strictjson.Member, len(p.Skills))
	for i, s := range p.Skills {
		members[i] = strictjson.F(s.Name, strictjson.Obj(strictjson.F("digest", strictjson.Str(s.Value))))
	}
	return strictjson.Encode(strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("skills", strictjson.Obj(members...))))
}

// Pin returns the pins of what is installed. Every result must have a folder and a digest, and folders of one name the
// same one; the error is an *Error: SKILL_NOT_INSTALLED, SKILL_COPIES_DIFFER, or READ_FAILED where a folder has no digest.
func Pin(results []Result) (*Pins, error) {
	p := &Pins{}
	for i, r := range results {
		switch {
		case r.Folder == "":
			return nil, &Error{diag.New(CodeNotInstalled, r.Name, "is in the lock and not installed; install it, or take it out of the lock")}
		case r.Digest == "":
			return nil, &Error{diag.New(CodeReadFailed, r.Folder, r.noDigest())}
		case i > 0 && results[i-1].Name == r.Name:
			if results[i-1].Digest != r.Digest {
				return nil, &Error{diag.New(CodeCopiesDiffer, r.Name, "is installed twice, and "+results[i-1].Folder+" and "+r.Folder+" differ; remove or install one of them again")}
			}
		default:
			p.Skills = append(p.Skills, Recorded{r.Name, r.Digest})
		}
	}
	sortRecorded(p.Skills)
	return p, nil
}

func (r Result) noDigest() string {
	for _, reason := range r.Reasons {
		if reason.Reason == ReasonNoTreeDigest {
			return reason.Message
		}
	}
	return "there is no sha256-tree-v2"
}

func sortRecorded(list []Recorded) {
	slices.SortFunc(list, func(a, b Recorded) int { return cmp.Compare(a.Name, b.Name) })
}

func find(list []Recorded, name string) (string, bool) {
	i, found := slices.BinarySearchFunc(list, name, func(r Recorded, name string) int { return cmp.Compare(r.Name, name) })
	if !found {
		return "", false
	}
	return list[i].Value, true
}

func invalidJSON(name string, err error) error {
	return &Error{diag.Wrap(strictjson.CodeInvalidJSON, name, "is not the JSON that compose takes", err)}
}

// clip cuts a text of any length to what a message can hold.
func clip(text string) string {
	if len(text) <= 40 {
		return text
	}
	return text[:40] + "..."
}
