// Package jsonschema checks documents against JSON Schemas of draft 2020-12: compose's own, and those
// that a catalog brings for the parameters of its components.
//
// Start with Compile and Schema.Validate. The package is small because it leaves out what reaches
// outside a document: $ref leads to a place or an $anchor of the same document; a nested $id,
// $dynamicRef and $vocabulary are refused when the schema is compiled. format and the content keywords
// are annotations. In one thing it is stricter than the draft: type integer asks for the token
// -?(0|[1-9][0-9]*), so that 1.0 and 1e0 are none. Everything else looks at values: for const, enum and
// uniqueItems 1 and 1.0 are the same.
//
// A schema and a document may both be hostile: nothing here reads a file or the network, numbers of any
// size are compared without being expanded, and the work of one validation is bounded (MaxSteps). A general
// validator gives none of that, and costs milliseconds at start-up; the tests compare the verdicts with
// one all the same.
//
// The package imports the standard library and strictjson alone.
package jsonschema

import (
	"slices"
	"strings"

	"example.org/compose/internal/strictjson"
)

// Bounds of a schema and of a validation.
const (
	MaxSchemas    = 2000       // subschemas of one schema; bounds the depth of the recursion, too
	MaxPatterns   = 8000       // bytes of all its regular expressions
	MaxSteps      = 20_000_000 // elementary steps of one Validate: about a second
	MaxViolations = 1000       // violations that one Validate reports
)

// Error says what is wrong with a schema.
type Error struct {
	Pointer string // JSON pointer into the schema; "" for the whole
	Reason  string // lower case, no final period
}

func (e *Error) Error() string { return strings.TrimPrefix(e.Pointer+": "+e.Reason, ": ") }

// Violation is one place where a document breaks its schema.
type Violation struct {
	Pointer string // JSON pointer into the document; "" for the whole
	Rule    string // the keyword that does not hold, such as required or pattern
	Message string // lower case, no final period
}

func (v Violation) compare(w Violation) int {
	return cmpOr(strings.Compare(v.Pointer, w.Pointer), strings.Compare(v.Rule, w.Rule), strings.Compare(v.Message, w.Message))
}

func cmpOr(orders ...int) int {
	for _, o := range orders {
		if o != 0 {
			return o
		}
	}
	return 0
}

// Schema is a compiled schema. It is not changed by its use: calls may overlap.
type Schema struct {
	root   *schema
	tracks bool // some part of it asks what is unevaluated
}

// Validate returns the violations of doc, at most MaxViolations, by pointer, then rule, then message, without
// repetitions; none when doc conforms. Of several alternatives that all fail, the one that is meant is
// reported where that can be told. A validation without a verdict is one violation with the rule "bound": one past
// MaxSteps, one that has to compare exponents of more than 18 digits, or to divide by more than 1,000 digits.
func (s *Schema) Validate(doc strictjson.Value) []Violation { return s.validate(doc, MaxSteps) }

// ValidateTrusted is Validate without the bound of steps, for a schema that is known to need few of them
// for each value of the document.
func (s *Schema) ValidateTrusted(doc strictjson.Value) []Violation {
	const unbounded = int(^uint(0) >> 1)
	// Nearly every document conforms, and then nobody asks where a value stands or what is wrong with it.
	if (&run{steps: unbounded}).check(s.root, &doc, nil, nil, s.marks()) {
		return nil
	}
	return s.validate(doc, unbounded)
}

func (s *Schema) validate(doc strictjson.Value, steps int) []Violation {
	r := &run{steps: steps, placed: true}
	if r.check(s.root, &doc, nil, &r.findings, s.marks()) {
		return nil
	}
	if r.undone != nil {
		return []Violation{{r.undone.at.pointer(), r.undone.rule, r.undone.message}}
	}
	if r.steps < 0 {
		return []Violation{{Rule: "bound", Message: "the document and its schema are too large to be checked against each other; make one of them smaller or simpler"}}
	}
	list := make([]Violation, len(r.findings))
	for i, f := range r.findings {
		list[i] = Violation{f.at.pointer(), f.rule, f.message}
	}
	slices.SortFunc(list, Violation.compare)
	return slices.Compact(list)
}

// marks returns a place for the marks of a document, where the schema asks for them.
func (s *Schema) marks() *evaluated {
	if !s.tracks {
		return nil
	}
	return &evaluated{}
}
