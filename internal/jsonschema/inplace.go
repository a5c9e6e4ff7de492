package jsonschema

import "example.org/compose/internal/strictjson"

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
				w.and(w.r.check(s.unevaluatedProperties, &m.Value, w.field(m.Name), w.out, fresh(marks)))
			}
		}
		marks.allNames = true
	}
	if s.unevaluatedItems != nil && v.Kind == strictjson.Array {
		for i := marks.first; i < len(v.Items); i++ {
			if !marks.items[i] {
				w.and(w.r.check(s.unevaluatedItems, &v.Items[i], w.item(i), w.out, fresh(marks)))
			}
		}
		marks.prefix(len(v.Items))
	}
}
