package planner

import "example.org/compose/internal/strictjson"

// MaxPlan is the most bytes that a saved plan may have.
const MaxPlan = 256 << 20

// SavedPlan is a plan that was written to a file.
type SavedPlan struct {
	Operation string // initial, update or upgrade
	Document  strictjson.Value
}

// ParsePlan reads a plan that `compose plan --out` wrote; name is what messages call it. Errors: INVALID_JSON,
// SCHEMA_VALIDATION_FAILED with a pointer, SOURCE_TOO_LARGE past MaxPlan.
func ParsePlan(name string, b []byte) (*SavedPlan, error) { panic("to be written") }

// CheckFresh returns nil where document, of a plan made now, is the saved plan; else PLAN_STALE, which names what
// differs.
func (s *SavedPlan) CheckFresh(document strictjson.Value) error { panic("to be written") }
