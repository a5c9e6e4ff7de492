package jsonschema

import (
	"fmt"
	"unicode/utf8"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
)

// run is one validation.
type run struct {
	steps    int  // what is left to spend; below 0 every check fails at once
	placed   bool // checks are told where their values stand
	findings []finding
	undone   *finding // what could not be told, so that there is no verdict; the first one
}

// finding is a violation whose pointer is not built yet: most are thrown away again, with an alternative.
type finding struct {
	at            *place
	rule, message string
}

func (r *run) spend(steps int) { r.steps -= steps }

// giveUp ends the validation without a verdict: what can't be told is neither true nor, below a "not", false.
func (r *run) giveUp(at *place, message string) {
	if r.undone == nil {
		r.undone = &finding{at, "bound", message}
	}
	r.steps = -1
}

// vastMessage is about two numbers whose exponents have more digits than are computed with.
const vastMessage = "holds a number with an exponent of more than 18 digits, which can't be compared; write a smaller one"

// verdict collects what is wrong with one value under one schema.
type verdict struct {
	r     *run
	at    *place
	out   *[]finding // nil where only the answer is wanted
	wrong bool
}

func (w *verdict) fail(rule, format string, args ...any) {
	w.wrong = true
	if w.out != nil && len(*w.out) < MaxViolations {
		w.r.spend(50) // what it costs to make the message
		*w.out = append(*w.out, finding{w.at, rule, fmt.Sprintf(format, args...)})
	}
}

// unheard notes that something is wrong, and reports whether only that is wanted: no message need be made.
func (w *verdict) unheard() bool {
	w.wrong = true
	return w.out == nil
}

func (w *verdict) and(ok bool) {
	if !ok {
		w.wrong = true
	}
}

// check reports whether v conforms to s; what does not is appended to out, unless that is nil. marks
// receives what was evaluated, for a schema that asks for it.
func (r *run) check(s *schema, v *strictjson.Value, at *place, out *[]finding, marks *evaluated) bool {
	r.spend(1 + s.weight)
	if r.steps < 0 {
		return false
	}
	if s.always {
		return true
	}
	w := &verdict{r: r, at: at, out: out}
	if s.never {
		w.fail("false", "is not allowed here")
		return false
	}
	if s.types != 0 && !s.hasType(v) {
		w.fail("type", "%s", s.typeMessage(v))
		return false
	}
	if s.constant != nil && !r.equal(s.constant, v) && !w.unheard() {
		w.fail("const", "is %s; want %s", show(v), show(s.constant))
	}
	if s.enum != nil {
		w.enum(s, v)
	}
	switch v.Kind {
	case strictjson.Number:
		w.number(s, v.Text)
	case strictjson.String:
		w.text(s, v.Text)
	case strictjson.Array:
		w.array(s, v, marks)
	case strictjson.Object:
		w.object(s, v, marks)
	}
	w.inPlace(s, v, marks)
	if marks != nil {
		w.unevaluated(s, v, marks)
	}
	return !w.wrong && r.steps >= 0
}

func (s *schema) hasType(v *strictjson.Value) bool {
	if s.types&typeOf(v.Kind) != 0 {
		return true
	}
	return s.types&integer != 0 && v.Kind == strictjson.Number && strictjson.IsInteger(v.Text)
}

func (w *verdict) enum(s *schema, v *strictjson.Value) {
	for i := range s.enum {
		if w.r.equal(&s.enum[i], v) {
			return
		}
	}
	if !w.unheard() {
		w.fail("enum", "is %s; want %s", show(v), oneOf(s.enum))
	}
}

func (w *verdict) number(s *schema, token string) {
	if s.minimum == nil && s.maximum == nil && s.exclusiveMinimum == nil && s.exclusiveMaximum == nil && s.multipleOf == nil {
		return
	}
	w.r.spend(len(token) / 16)
	d := parseDecimal(token)
	compare := func(m *decimal) int {
		order, told := d.compare(*m)
		if !told {
			w.r.giveUp(w.at, vastMessage)
		}
		return order
	}
	if m := s.minimum; m != nil && compare(m) < 0 {
		w.fail("minimum", "is %s; want %s or more", short(token), short(m.token))
	}
	if m := s.maximum; m != nil && compare(m) > 0 {
		w.fail("maximum", "is %s; want %s or less", short(token), short(m.token))
	}
	if m := s.exclusiveMinimum; m != nil && compare(m) <= 0 {
		w.fail("exclusiveMinimum", "is %s; want more than %s", short(token), short(m.token))
	}
	if m := s.exclusiveMaximum; m != nil && compare(m) >= 0 {
		w.fail("exclusiveMaximum", "is %s; want less than %s", short(token), short(m.token))
	}
	if m := s.multipleOf; m != nil {
		w.multipleOf(d, *m)
	}
}

func (w *verdict) multipleOf(d, m decimal) {
	if w.r.spend(multipleSteps(d, m)); w.r.steps < 0 {
		return
	}
	multiple, told := d.multipleOf(m)
	switch {
	case !told && (d.vast || m.vast):
		w.r.giveUp(w.at, vastMessage)
	case !told:
		w.r.giveUp(w.at, fmt.Sprintf("is %s, and whether that is a multiple of %s can't be told: a multipleOf of the schema has at most %d digits", short(d.token), short(m.token), maxDivisor))
	case !multiple:
		w.fail("multipleOf", "is %s; want a multiple of %s", short(d.token), short(m.token))
	}
}

func (w *verdict) text(s *schema, text string) {
	if s.length.hasLeast || s.length.hasMost {
		w.r.spend(len(text) / 16)
		n := utf8.RuneCountInString(text)
		if s.length.hasLeast && n < s.length.least {
			if n == 0 && s.length.least == 1 {
				w.fail("minLength", "is empty")
			} else {
				w.fail("minLength", "has %s; want %d or more", diag.Count(n, "character"), s.length.least)
			}
		}
		if s.length.hasMost && n > s.length.most {
			w.fail("maxLength", "has %s; want %d or less", diag.Count(n, "character"), s.length.most)
		}
	}
	if s.pattern != nil && !w.matches(s.pattern, text) {
		if s.patternMessage != "" {
			w.fail("pattern", "%q %s", short(text), s.patternMessage)
		} else {
			w.fail("pattern", "%q does not match the regular expression %s", short(text), s.pattern.expression)
		}
	}
}

func (w *verdict) matches(p *pattern, text string) bool {
	w.r.spend(len(text) * p.program / 8)
	return w.r.steps >= 0 && p.expression.MatchString(text)
}
