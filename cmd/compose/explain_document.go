package main

import (
	"errors"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/history"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// document is the explanation as JSON (docs/explain.md).
func (e *explanation) document() strictjson.Value {
	var locked, source, conflicts strictjson.Value
	if e.old != nil {
		locked = lockedSource(e.old.Lock.Source)
	}
	if e.bound != nil {
		source = lockedSource(*e.bound)
	}
	if e.plan != nil {
		conflicts = strictjson.Int(int64(len(e.plan.conflicts())))
	}
	return strictjson.Obj(
		strictjson.F("operation", strictjson.Str(e.choice.Mode)),
		strictjson.F("recipe", strictjson.Str(e.recipe)),
		strictjson.F("locked", locked),
		strictjson.F("source", source),
		strictjson.F("conflicts", conflicts),
		strictjson.F("not_known", notKnown(e.why)),
		strictjson.F("files", strictjson.List(e.files, explainedFile.document)),
		strictjson.F("errors", strictjson.List(e.unknown, unknownFile.document)),
	)
}

func lockedSource(s lockv2.Source) strictjson.Value {
	return strictjson.Obj(strictjson.F("repository", strictjson.Str(s.Repository)), strictjson.F("revision", strictjson.Str(s.Revision)))
}

// notKnown says why something is not known; null where it is.
func notKnown(err error) strictjson.Value {
	if err == nil {
		return strictjson.Value{}
	}
	code, hint := codeInternal, ""
	if coded := diag.Coded(nil); errors.As(err, &coded) {
		code, hint = coded.Code(), coded.Hint()
	}
	doc := strictjson.Obj(strictjson.F("code", strictjson.Str(code)), strictjson.F("message", strictjson.Str(validText(err.Error()))))
	if hint != "" {
		doc.Members = append(doc.Members, strictjson.F("hint", strictjson.Str(validText(hint))))
	}
	return doc
}

func (f explainedFile) document() strictjson.Value {
	var locked strictjson.Value
	if f.locked != nil {
		locked = strictjson.Obj(
			strictjson.F("component", strictjson.Str(f.locked.Component)),
			strictjson.F("version", strictjson.Int(f.version)),
			strictjson.F("ownership", strictjson.Str(f.locked.Ownership)),
			strictjson.F("sha256", sha256Text(f.locked.Digest)),
		)
	}
	members := []strictjson.Member{
		strictjson.F("destination", strictjson.Str(f.destination)),
		strictjson.F("component", strictjson.Str(f.component)),
		strictjson.F("ownership", strictjson.Str(f.ownership)),
		strictjson.F("origin", f.origin.document()),
		strictjson.F("locked", locked),
		strictjson.F("current", f.current.document()),
		strictjson.F("plan", f.planned.document()),
	}
	if f.lost != nil {
		members = append(members, strictjson.F("not_known", notKnown(f.lost)))
	}
	return strictjson.Obj(members...)
}

func sha256Text(d fingerprint.Material) strictjson.Value { return strictjson.Str(d.String()) }

func (o *origin) document() strictjson.Value {
	if o == nil {
		return strictjson.Value{}
	}
	members := []strictjson.Member{
		strictjson.F("revision", strictjson.Str(o.revision)),
		strictjson.F("version", strictjson.Int(o.version)),
		strictjson.F("selected", strictjson.Str(o.reason.Selected)),
		strictjson.F("chain", strictjson.Strs(o.reason.Chain)),
		strictjson.F("kind", strictjson.Str(kindOf(o.material))),
	}
	switch kindOf(o.material) {
	case generatedKind:
		members = append(members,
			strictjson.F("generator", strictjson.Str(o.material.Generator)),
			strictjson.F("registered_by", strictjson.Strs(o.registrations)))
	case composedKind:
		members = append(members,
			strictjson.F("source", strictjson.Str(o.material.Path())),
			strictjson.F("includes", strictjson.Strs(o.includes)))
	default:
		members = append(members, strictjson.F("source", strictjson.Str(o.material.Path())))
	}
	changed := notKnown(o.unknown)
	if o.change != nil {
		changed = changeDocument(o.change)
	}
	return strictjson.Obj(append(members, strictjson.F("changed", changed))...)
}

// The kinds of a material.
const (
	copiedKind    = "copied"
	composedKind  = "composed"
	generatedKind = "generated"
)

func kindOf(m *catalog.Material) string {
	switch {
	case m.Generator != "":
		return generatedKind
	case m.Compose != "":
		return composedKind
	}
	return copiedKind
}

func changeDocument(c *history.Change) strictjson.Value {
	var date strictjson.Value
	if when, known := dateOf(c); known {
		date = strictjson.Str(when.Format(time.RFC3339))
	}
	return strictjson.Obj(
		strictjson.F("revision", strictjson.Str(c.Revision)),
		strictjson.F("date", date),
		strictjson.F("subject", strictjson.Str(c.Subject)),
	)
}

// dateOf returns the date of a commit, where it has one that can be written.
func dateOf(c *history.Change) (time.Time, bool) {
	when := time.Unix(c.Date, 0).UTC()
	return when, c.Date > 0 && when.Year() < 10_000
}

func (c current) document() strictjson.Value {
	doc := strictjson.Obj(strictjson.F("state", strictjson.Str(c.state)))
	if c.fault == nil {
		doc.Members = append(doc.Members, strictjson.F("sha256", sha256Text(c.sum.Digest)))
	} else {
		doc.Members = append(doc.Members, strictjson.F("at", strictjson.Str(c.fault.At)))
	}
	return doc
}

func (p *plannedFile) document() strictjson.Value {
	if p == nil {
		return strictjson.Value{}
	}
	action := "conflict"
	if p.conflict == nil {
		action = string(p.action)
	}
	doc := strictjson.Obj(strictjson.F("action", strictjson.Str(action)))
	add := func(name string, v strictjson.Value) { doc.Members = append(doc.Members, strictjson.F(name, v)) }
	if p.to != (fingerprint.Material{}) {
		add("to_sha256", sha256Text(p.to))
	}
	if p.reason != "" {
		add("reason", strictjson.Str(p.reason))
	}
	if p.includes != nil {
		add("includes", includesDocument(p.includes))
	}
	if p.conflict != nil {
		add("conflict", p.conflict.Document())
	}
	if p.component != nil {
		add("component_conflict", p.component.Document())
	}
	return doc
}

func includesDocument(c *planner.IncludeChanges) strictjson.Value {
	return strictjson.Obj(
		strictjson.F("added", strictjson.Strs(c.Added)),
		strictjson.F("removed", strictjson.Strs(c.Removed)),
		strictjson.F("changed", strictjson.Strs(c.Changed)),
	)
}

func (u unknownFile) document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("code", strictjson.Str(codeDestinationUnknown)),
		strictjson.F("destination", strictjson.Str(validText(string(u.destination)))),
		strictjson.F("message", strictjson.Str(validText(u.message))),
		strictjson.F("suppliers", strictjson.Strs(u.suppliers)),
		strictjson.F("near", strictjson.Strs(u.near)),
	)
}
