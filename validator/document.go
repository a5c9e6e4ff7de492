package validator

import (
	"slices"
	"strings"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// Document returns the report as the document that `compose validate` prints (docs/validation.md).
func (r *Report) Document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("status", strictjson.Str(r.status())),
		strictjson.F("composition", r.compositionValue()),
		strictjson.F("checked", strictjson.Int(int64(r.Checked))),
		strictjson.F("errors", strictjson.List(r.Faults, Fault.value)),
	)
}

// status is the verdict of a validation.
func (r *Report) status() string {
	switch r.State {
	case Valid:
		return "valid"
	case Interrupted:
		return "interrupted"
	}
	return "invalid"
}

func (r *Report) compositionValue() strictjson.Value {
	if c, ok := r.Composition(); ok {
		return strictjson.Str(c.String())
	}
	return strictjson.Value{}
}

func (f Fault) value() strictjson.Value {
	members := []strictjson.Member{strictjson.F("code", strictjson.Str(f.Code))}
	if f.Destination != "" {
		members = append(members, strictjson.F("destination", text(string(f.Destination))))
	}
	if f.Pointer != "" {
		members = append(members, strictjson.F("pointer", text(f.Pointer)))
	}
	members = append(members, strictjson.F("message", text(f.Message)))
	if f.Code == CodeMaterialModified {
		members = append(members,
			strictjson.F("expected_sha256", strictjson.Str(f.Expected)),
			strictjson.F("actual_sha256", strictjson.Str(f.Actual)),
			strictjson.F("line_endings_only", strictjson.Boolean(f.LineEndingsOnly)))
	}
	return strictjson.Obj(members...)
}

// text makes a string that may quote bytes from disk fit for a document.
func text(s string) strictjson.Value { return strictjson.Str(strings.ToValidUTF8(s, "\uFFFD")) }

// InspectDocument returns the report as the document that `compose inspect` prints. transaction is what is known of a
// run that is not finished, null for no such member; next are the commands to go on with, such as those of Next.
// That a target is absent or unmanaged is a state there, not a fault; a policy that can't be used is one.
func (r *Report) InspectDocument(transaction strictjson.Value, next []string) strictjson.Value {
	source, recipe, files := strictjson.Value{}, strictjson.Value{}, strictjson.Value{}
	if r.Lock != nil {
		source = r.Lock.Source.Value()
		recipe = strictjson.Str(r.Lock.Intent.Recipe)
		files = counts(r.Lock)
	}
	members := []strictjson.Member{
		strictjson.F("state", strictjson.Str(r.State)),
		strictjson.F("source", source),
		strictjson.F("recipe", recipe),
		strictjson.F("composition", r.compositionValue()),
		strictjson.F("files", files),
		strictjson.F("errors", strictjson.List(r.InspectFaults(), Fault.value)),
	}
	if transaction.Kind != strictjson.Null {
		members = append(members, strictjson.F("transaction", transaction))
	}
	return strictjson.Obj(append(members, strictjson.F("next", strictjson.Strs(next)))...)
}

// InspectFaults returns the faults that an inspection reports: all, but not that a target is absent or unmanaged.
func (r *Report) InspectFaults() []Fault {
	if r.State == Absent || r.State == Unmanaged {
		return slices.DeleteFunc(slices.Clone(r.Faults), func(f Fault) bool { return f.Code == CodeInvalidTarget || f.Code == CodeLockMissing })
	}
	return r.Faults
}

func counts(l *lockv2.Lock) strictjson.Value {
	n := make(map[lockv2.Ownership]int64)
	for i := range l.Files {
		n[l.Files[i].Ownership]++
	}
	return strictjson.Obj(
		strictjson.F(string(lockv2.Managed), strictjson.Int(n[lockv2.Managed])),
		strictjson.F(string(lockv2.Generated), strictjson.Int(n[lockv2.Generated])),
		strictjson.F(string(lockv2.Seed), strictjson.Int(n[lockv2.Seed])),
	)
}

// Next returns commands to go on with, for the current folder as target; ID stands for a recipe's id. Of the
// two that finish an interrupted run the one with the other mode changes nothing.
func (r *Report) Next() []string {
	switch r.State {
	case Absent, Unmanaged:
		return []string{"compose plan --recipe ID", "compose apply --recipe ID"}
	case Valid:
		return []string{"compose plan --mode update"}
	case Invalid:
		return []string{"compose validate"}
	case Interrupted:
		return []string{"compose apply --mode update", "compose apply --mode upgrade"}
	}
	return nil
}
