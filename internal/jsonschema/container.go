package jsonschema

import (
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
)

func (w *verdict) array(s *schema, v *strictjson.Value, marks *evaluated) {
	n := len(v.Items)
	w.size("Items", "item", s.count, n)
	if s.unique {
		w.distinct(v)
	}
	for i := range v.Items {
		at := w.item(i)
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
		if w.r.check(s.contains, &v.Items[i], w.item(i), nil, fresh(marks)) {
			holds++
			marks.item(i)
		}
	}
	least := 1
	if s.containment.hasLeast {
		least = s.containment.least
	}
	if holds < least {
		w.fail("contains", "%s of the wanted form; want %d or more", diag.Count(holds, "item"), least)
	}
	if s.containment.hasMost && holds > s.containment.most {
		w.fail("maxContains", "%s of the counted form; want %d or less", diag.Count(holds, "item"), s.containment.most)
	}
}

func (w *verdict) size(suffix, noun string, b bounds, n int) {
	if b.hasLeast && n < b.least {
		w.fail("min"+suffix, "has %s; want %d or more", diag.Count(n, noun), b.least)
	}
	if b.hasMost && n > b.most {
		w.fail("max"+suffix, "has %s; want %d or less", diag.Count(n, noun), b.most)
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
	at := w.field(m.Name)
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

// knownFields names the fields that an object may have.
func (s *schema) knownFields() string {
	if len(s.properties) == 0 {
		return "no fields are allowed here"
	}
	return "allowed are " + strings.Join(quoted(s.properties), ", ")
}
