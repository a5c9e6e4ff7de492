package jsonschema

import "strconv"

// place is where a value stands in the document; nil for the root.
type place struct {
	up    *place
	name  string
	index int // -1 for a member
}

// item is the place of an item of the value.
func (w *verdict) item(i int) *place {
	if !w.r.placed {
		return nil
	}
	return &place{w.at, "", i}
}

// field is the place of a member of the value.
func (w *verdict) field(name string) *place {
	if !w.r.placed {
		return nil
	}
	return &place{w.at, name, -1}
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
