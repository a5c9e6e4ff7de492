// Package skills checks installed agent skills against what was recorded of them: the computedHash of a
// skills-lock.json, and the sha256-tree-v2 values of compose's own pin file (docs/skills.md).
//
// Start with ParseLock and ParsePins for the records, Find for the folders, and Verify, which says of each skill whether
// it is what was recorded, and why not. Everything is read-only, and nothing is followed out of a skill's folder, but that
// the folder itself may be reached through a symlink, as installers make them.
//
// A computedHash does not say by which of its two forms it was made, nor in which locale's order the files were: each is
// tried, and the answer says what matched. A match is always the equality of a whole value; where several orders are
// right, each of them counts, and the answer names what left them open.
package skills

import (
	"context"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
)

// Codes of an *Error.
const (
	CodeInvalidLock        = "INVALID_SKILLS_LOCK"
	CodeUnsupportedVersion = "UNSUPPORTED_SKILLS_LOCK_VERSION"
	CodeInvalidPins        = "INVALID_SKILLS_PIN"
	CodeReadFailed         = "READ_FAILED"
	CodeNotInstalled       = "SKILL_NOT_INSTALLED"
	CodeCopiesDiffer       = "SKILL_COPIES_DIFFER"
)

// Error says what is wrong with a record or a folder.
type Error struct{ diag.Base }

// Verdict is what became of one skill.
type Verdict string

// The verdicts.
const (
	Match    Verdict = "match"    // every record of it holds
	Mismatch Verdict = "mismatch" // some record does not hold, or there is none
	Missing  Verdict = "missing"  // it is recorded and not installed
)

// Result is one skill in one folder, or one that has none.
type Result struct {
	Name     string
	Folder   string // "/"-separated; "" for none
	Recorded string // the computedHash, or the pinned value of a skill that the lock does not have; "" for none
	Verdict  Verdict
	Form     Form   // by which rule Recorded is that of the folder; "" for none
	Digest   string // sha256-tree-v2 and its digits; "" where the folder has none
	Reasons  []Reason
}

// Records are what skills are held against.
type Records struct {
	Lock *Lock // nil for none
	Pins *Pins // nil for none
}

// Verify returns what became of each skill that is recorded or installed: by name, then in the order of folders, none of
// which is left out. The error is only for a context that ended.
func Verify(ctx context.Context, records Records, folders []Folder) ([]Result, error) {
	at := make(map[string][]int, len(folders))
	for i, f := range folders {
		at[f.Name] = append(at[f.Name], i)
	}
	names := records.names()
	claimed := make([]bool, len(folders))
	var results []Result
	check := func(name string, i int) error {
		claimed[i] = true
		r, err := verify(ctx, records, name, folders[i])
		results = append(results, r)
		return err
	}
	for _, name := range names {
		found := at[name]
		if short := installedName(name); len(found) == 0 {
			if _, taken := slices.BinarySearch(names, short); !taken {
				found = at[short]
			}
		}
		if len(found) == 0 {
			results = append(results, records.missing(name))
		}
		for _, i := range found {
			if err := check(name, i); err != nil {
				return nil, err
			}
		}
	}
	for i, f := range folders {
		if claimed[i] || !f.skill {
			continue
		}
		if err := check(f.Name, i); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(results, func(a, b Result) int { return strings.Compare(a.Name, b.Name) })
	return results, nil
}

// names returns the recorded names, sorted, each once.
func (r Records) names() []string {
	var names []string
	if r.Lock != nil {
		for _, s := range r.Lock.Skills {
			names = append(names, s.Name)
		}
	}
	if r.Pins != nil {
		for _, p := range r.Pins.Skills {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// recorded returns what is recorded of a skill, and whether the lock has it and the pins have it.
func (r Records) recorded(name string) (computed, pinned string, inLock, inPins bool) {
	if r.Lock != nil {
		computed, inLock = r.Lock.computedHash(name)
	}
	if r.Pins != nil {
		pinned, inPins = r.Pins.digest(name)
	}
	return computed, pinned, inLock, inPins
}

func (r Records) missing(name string) Result {
	recorded, pinned, inLock, _ := r.recorded(name)
	if !inLock {
		recorded = pinned
	}
	return Result{Name: name, Recorded: recorded, Verdict: Missing, Reasons: []Reason{{Reason: ReasonNotInstalled,
		Message: "it is recorded, and there is no folder of that name; install it, or name the folder that holds it with --dir"}}}
}

// OK reports whether every result is a match.
func OK(results []Result) bool {
	return !slices.ContainsFunc(results, func(r Result) bool { return r.Verdict != Match })
}

// Document returns a result as it is printed.
func (r Result) Document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("name", strictjson.Str(valid(r.Name))),
		strictjson.F("folder", text0(r.Folder)),
		strictjson.F("recorded", text0(r.Recorded)),
		strictjson.F("verdict", strictjson.Str(r.Verdict)),
		strictjson.F("form", text0(string(r.Form))),
		strictjson.F("digest", text0(r.Digest)),
		strictjson.F("reasons", strictjson.List(r.Reasons, Reason.document)))
}

func (r Reason) document() strictjson.Value {
	members := []strictjson.Member{strictjson.F("reason", strictjson.Str(r.Reason)), strictjson.F("message", strictjson.Str(valid(r.Message)))}
	if len(r.Paths) > 0 {
		members = append(members, strictjson.F("paths", strictjson.List(r.Paths, func(p string) strictjson.Value { return strictjson.Str(valid(p)) })))
	}
	if len(r.Locales) > 0 {
		members = append(members, strictjson.F("locales", strictjson.Strs(r.Locales)))
	}
	return strictjson.Obj(members...)
}

// text0 is a string, null for "".
func text0(s string) strictjson.Value {
	if s == "" {
		return strictjson.Value{}
	}
	return strictjson.Str(valid(s))
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
