package jsonschema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/compose/internal/strictjson"
)

// run is one validation.
type run struct {
	steps    int // what is left to spend; below 0 every check fails at once
	findings []finding
}

// finding is a violation whose pointer is not built yet: most are thrown away again, with an alternative.
type finding struct {
	at            *place
	rule, message string
}

func (r *run) spend(steps int) { r.steps -= steps }

// place is where a value stands in the document; nil for the root.
type place struct {
	up    *place
	name  string
	index int // -1 for a member
}

func (p *place) pointer() string {
	if p == nil {
		return ""
	}
	if p.index >= 0 {
		return p.up.pointer() + "/" + strconv.Itoa(p.index)
	}
	return pointerTo(p.up.pointer(), p.name)
}

// evaluated is what the keywords of a schema, and of those applied in place, have looked at. Only
// schemas that use an unevaluated keyword keep one.
type evaluated struct {
	names    map[string]bool
	allNames bool
	first    int // this many items from the start
	items    map[int]bool
}

func (e *evaluated) name(name string) {
	if e == nil {
		return
	}
	if e.names == nil {
		e.names = map[string]bool{}
	}
	e.names[name] = true
}

func (e *evaluated) item(i int) {
	if e == nil {
		return
	}
	if e.items == nil {
		e.items = map[int]bool{}
	}
	e.items[i] = true
}

func (e *evaluated) prefix(n int) {
	if e != nil {
		e.first = max(e.first, n)
	}
}

func (e *evaluated) add(other *evaluated) {
	for name := range other.names {
		e.name(name)
	}
	for i := range other.items {
		e.item(i)
	}
	e.prefix(other.first)
	e.allNames = e.allNames || other.allNames
}

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
	if s.constant != nil && !matches(s.constant, v) {
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
		if matches(&s.enum[i], v) {
			return
		}
	}
	w.fail("enum", "is %s; want %s", show(v), oneOf(s.enum))
}

func (w *verdict) number(s *schema, token string) {
	if s.minimum == nil && s.maximum == nil && s.exclusiveMinimum == nil && s.exclusiveMaximum == nil && s.multipleOf == nil {
		return
	}
	w.r.spend(len(token) / 16)
	d := parseDecimal(token)
	if m := s.minimum; m != nil && d.compare(*m) < 0 {
		w.fail("minimum", "is %s; want %s or more", short(token), short(m.token))
	}
	if m := s.maximum; m != nil && d.compare(*m) > 0 {
		w.fail("maximum", "is %s; want %s or less", short(token), short(m.token))
	}
	if m := s.exclusiveMinimum; m != nil && d.compare(*m) <= 0 {
		w.fail("exclusiveMinimum", "is %s; want more than %s", short(token), short(m.token))
	}
	if m := s.exclusiveMaximum; m != nil && d.compare(*m) >= 0 {
		w.fail("exclusiveMaximum", "is %s; want less than %s", short(token), short(m.token))
	}
	if m := s.multipleOf; m != nil {
		w.r.spend(100)
		if !d.multipleOf(*m) {
			w.fail("multipleOf", "is %s; want a multiple of %s", short(token), short(m.token))
		}
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
				w.fail("minLength", "has %s; want %d or more", count(n, "character"), s.length.least)
			}
		}
		if s.length.hasMost && n > s.length.most {
			w.fail("maxLength", "has %s; want %d or less", count(n, "character"), s.length.most)
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

func (w *verdict) array(s *schema, v *strictjson.Value, marks *evaluated) {
	n := len(v.Items)
	w.size("Items", "item", s.count, n)
	if s.unique {
		w.distinct(v)
	}
	for i := range v.Items {
		at := &place{w.at, "", i}
		switch {
		case i < len(s.prefix):
			w.and(w.r.check(s.prefix[i], &v.Items[i], at, w.out, fresh(marks)))
		case s.items != nil:
			w.and(w.r.check(s.items, &v.Items[i], at, w.out, fresh(marks)))
		}
	}
	if s.items != nil {
		marks.prefix(n)
	} else {
		marks.prefix(min(n, len(s.prefix)))
	}
	if s.contains != nil {
		w.contains(s, v, marks)
	}
}

// fresh returns a place for the marks of another value, where marks are kept at all.
func fresh(marks *evaluated) *evaluated {
	if marks == nil {
		return nil
	}
	return &evaluated{}
}

func (w *verdict) distinct(v *strictjson.Value) {
	seen := make(map[string]int, len(v.Items))
	var key []byte
	for i := range v.Items {
		if key = w.r.appendKey(key[:0], &v.Items[i]); w.r.steps < 0 {
			w.wrong = true
			return
		}
		if j, twice := seen[string(key)]; twice {
			w.fail("uniqueItems", "%s is there twice, as items %d and %d", show(&v.Items[i]), j, i)
			return
		}
		seen[string(key)] = i
	}
}

func (w *verdict) contains(s *schema, v *strictjson.Value, marks *evaluated) {
	holds := 0
	for i := range v.Items {
		if w.r.check(s.contains, &v.Items[i], &place{w.at, "", i}, nil, fresh(marks)) {
			holds++
			marks.item(i)
		}
	}
	least := 1
	if s.containment.hasLeast {
		least = s.containment.least
	}
	if holds < least {
		w.fail("contains", "%s of the wanted form; want %d or more", count(holds, "item"), least)
	}
	if s.containment.hasMost && holds > s.containment.most {
		w.fail("maxContains", "%s of the counted form; want %d or less", count(holds, "item"), s.containment.most)
	}
}

func (w *verdict) size(suffix, noun string, b bounds, n int) {
	if b.hasLeast && n < b.least {
		w.fail("min"+suffix, "has %s; want %d or more", count(n, noun), b.least)
	}
	if b.hasMost && n > b.most {
		w.fail("max"+suffix, "has %s; want %d or less", count(n, noun), b.most)
	}
}

func (w *verdict) object(s *schema, v *strictjson.Value, marks *evaluated) {
	w.size("Properties", "field", s.size, len(v.Members))
	has := hasField(v, len(s.required)+len(s.dependentRequired)+len(s.dependentSchemas))
	w.r.spend(len(s.required))
	for _, name := range s.required {
		if !has(name) {
			w.fail("required", "lacks the field %q", short(name))
		}
	}
	for _, d := range s.dependentRequired {
		w.r.spend(1 + len(d.needs))
		if !has(d.name) {
			continue
		}
		for _, name := range d.needs {
			if !has(name) {
				w.fail("dependentRequired", "has the field %q and lacks %q, which belongs with it", short(d.name), short(name))
			}
		}
	}
	if s.properties != nil || s.patternProperties != nil || s.additional != nil || s.names != nil {
		for i := range v.Members {
			w.member(s, &v.Members[i], marks)
		}
	}
	for _, d := range s.dependentSchemas {
		if has(d.name) {
			w.and(w.apply(d.schema, v, w.out, marks))
		}
	}
}

// hasField returns a look-up among the fields of an object that is asked about so many times.
func hasField(v *strictjson.Value, asked int) func(string) bool {
	if asked*len(v.Members) < 500 {
		return func(name string) bool { _, found := v.Get(name); return found }
	}
	names := make(map[string]bool, len(v.Members))
	for i := range v.Members {
		names[v.Members[i].Name] = true
	}
	return func(name string) bool { return names[name] }
}

func (w *verdict) member(s *schema, m *strictjson.Member, marks *evaluated) {
	at := &place{w.at, m.Name, -1}
	if s.names != nil {
		name := strictjson.Str(m.Name)
		w.and(w.r.check(s.names, &name, at, w.out, nil))
	}
	known := false
	if one := s.properties[m.Name]; one != nil {
		known = true
		w.and(w.r.check(one, &m.Value, at, w.out, fresh(marks)))
	}
	for _, p := range s.patternProperties {
		if w.matches(p.pattern, m.Name) {
			known = true
			w.and(w.r.check(p.schema, &m.Value, at, w.out, fresh(marks)))
		}
	}
	if !known && s.additional != nil {
		known = true
		if s.additional.never {
			here := &verdict{r: w.r, at: at, out: w.out}
			here.fail("additionalProperties", "is an unknown field; %s", s.knownFields())
			w.wrong = true
		} else {
			w.and(w.r.check(s.additional, &m.Value, at, w.out, fresh(marks)))
		}
	}
	if known {
		marks.name(m.Name)
	}
}

// apply checks a schema on the same value and keeps its marks where it holds.
func (w *verdict) apply(s *schema, v *strictjson.Value, out *[]finding, marks *evaluated) bool {
	own := fresh(marks)
	ok := w.r.check(s, v, w.at, out, own)
	if ok && marks != nil {
		marks.add(own)
	}
	return ok
}

func (w *verdict) inPlace(s *schema, v *strictjson.Value, marks *evaluated) {
	if s.ref != nil {
		w.and(w.apply(s.ref, v, w.out, marks))
	}
	for _, one := range s.allOf {
		w.and(w.apply(one, v, w.out, marks))
	}
	if s.anyOf != nil {
		w.alternatives("anyOf", s.anyOf, v, marks)
	}
	if s.oneOf != nil {
		w.alternatives("oneOf", s.oneOf, v, marks)
	}
	if s.not != nil && w.r.check(s.not, v, w.at, nil, fresh(marks)) {
		if c := s.not.constant; c != nil {
			w.fail("not", "is %s, which is not allowed", show(c))
		} else {
			w.fail("not", "has a form that is not allowed")
		}
	}
	if s.when != nil {
		next := s.other
		if w.apply(s.when, v, nil, marks) {
			next = s.then
		}
		if next != nil {
			w.and(w.apply(next, v, w.out, marks))
		}
	}
}

// alternatives checks anyOf and oneOf. Where none holds and all but one fail at the value's own type,
// that one is what was meant, and its violations are reported.
func (w *verdict) alternatives(rule string, list []*schema, v *strictjson.Value, marks *evaluated) {
	var holds []int
	var meant []finding
	likely := 0
	for i, one := range list {
		var found []finding
		out := &found
		if w.out == nil {
			out = nil
		}
		if w.apply(one, v, out, marks) {
			holds = append(holds, i)
			if rule == "anyOf" && marks == nil {
				return
			}
			continue
		}
		if w.out != nil && !w.rejectsType(found) {
			likely++
			meant = found
		}
	}
	switch {
	case w.r.steps < 0:
		w.wrong = true
	case len(holds) == 0 && likely == 1:
		w.wrong = true
		w.r.spend(len(meant))
		*w.out = append(*w.out, meant[:min(len(meant), MaxViolations-len(*w.out))]...)
	case len(holds) == 0:
		w.fail(rule, "is %s, which has none of the %d allowed forms", show(v), len(list))
	case rule == "oneOf" && len(holds) > 1:
		w.fail(rule, "has %d of the allowed forms at once; want exactly one", len(holds))
	}
}

// rejectsType reports whether an alternative failed at the value's own type or constant.
func (w *verdict) rejectsType(found []finding) bool {
	w.r.spend(len(found))
	for _, f := range found {
		if f.at == w.at && (f.rule == "type" || f.rule == "const") {
			return true
		}
	}
	return false
}

func (w *verdict) unevaluated(s *schema, v *strictjson.Value, marks *evaluated) {
	if s.unevaluatedProperties != nil && v.Kind == strictjson.Object {
		for i := range v.Members {
			if m := &v.Members[i]; !marks.allNames && !marks.names[m.Name] {
				w.and(w.r.check(s.unevaluatedProperties, &m.Value, &place{w.at, m.Name, -1}, w.out, fresh(marks)))
			}
		}
		marks.allNames = true
	}
	if s.unevaluatedItems != nil && v.Kind == strictjson.Array {
		for i := marks.first; i < len(v.Items); i++ {
			if !marks.items[i] {
				w.and(w.r.check(s.unevaluatedItems, &v.Items[i], &place{w.at, "", i}, w.out, fresh(marks)))
			}
		}
		marks.prefix(len(v.Items))
	}
}

// knownFields names the fields that an object may have.
func (s *schema) knownFields() string {
	if len(s.properties) == 0 {
		return "no fields are allowed here"
	}
	return "allowed are " + strings.Join(quoted(s.properties), ", ")
}
