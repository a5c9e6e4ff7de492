package txn

import (
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// The values of Result.Status.
const (
	StatusApplied   = "applied"
	StatusUnchanged = "unchanged" // there was nothing to write
	StatusRecovered = "recovered" // an interrupted update or upgrade is finished
	StatusConflict  = "conflict"  // nothing was written
)

// Result is what an apply did.
type Result struct {
	Status                                         string // one of the Status constants
	Operation                                      string
	Lock                                           *lockv2.Lock // nil in a conflict
	Conflicts                                      []planner.Conflict
	Created, Adopted, Replaced, Removed, Preserved []lockv2.Destination // in byte order
}

// Document returns the result as the document that `compose apply` prints.
func (r *Result) Document() strictjson.Value {
	doc := strictjson.Obj(
		strictjson.F("status", strictjson.Str(r.Status)),
		strictjson.F("operation", strictjson.Str(r.Operation)),
	)
	if r.Lock == nil {
		conflicts := strictjson.List(r.Conflicts, func(c planner.Conflict) strictjson.Value { return c.Document() })
		doc.Members = append(doc.Members, strictjson.F("conflicts", conflicts))
		return doc
	}
	doc.Members = append(doc.Members,
		strictjson.F("source", strictjson.Obj(
			strictjson.F("repository", strictjson.Str(r.Lock.Source.Repository)),
			strictjson.F("revision", strictjson.Str(r.Lock.Source.Revision)),
		)),
		strictjson.F("composition", strictjson.Str(r.Lock.Composition().String())),
		strictjson.F("created", strictjson.Strs(r.Created)),
		strictjson.F("adopted", strictjson.Strs(r.Adopted)),
		strictjson.F("replaced", strictjson.Strs(r.Replaced)),
		strictjson.F("removed", strictjson.Strs(r.Removed)),
		strictjson.F("preserved", strictjson.Strs(r.Preserved)),
	)
	return doc
}
