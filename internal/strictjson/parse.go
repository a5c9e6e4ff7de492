package strictjson

import (
	"slices"
	"strings"
)

// MaxDepth is how deep arrays and objects may nest: a document that is one array has depth 1.
const MaxDepth = 64

// MaxValues is how many values one document may hold. It bounds memory, not use: the largest marker
// that compose writes, of 200,000 materials, holds some 3,400,000.
const MaxValues = 4 << 20

// Parse reads one JSON document. The error is an *Error; where several things are wrong it is the
// first in the text, but that git's merge-conflict markers anywhere come before all else, because
// nothing else can be fixed until they are gone.
//
// maxDepth of 0 means MaxDepth. The value holds no part of b; calls may overlap.
func Parse(b []byte, maxDepth int) (Value, error) {
	if maxDepth == 0 {
		maxDepth = MaxDepth
	}
	if reason := encodingFault(b); reason != "" {
		return Value{}, &Error{Line: 1, Column: 1, Reason: reason}
	}
	p := parser{text: string(b), maxDepth: maxDepth, maxValues: MaxValues}
	v, ok := p.document()
	if !ok {
		return Value{}, p.fault()
	}
	return v, nil
}

// parser reads text from at on. Its methods return false after a fault, which failAt and reason hold.
//
// The members and items of containers that are still open stand on two stacks, so that each container
// is allocated once and at its exact size.
type parser struct {
	text      string
	at        int
	maxDepth  int
	maxValues int
	values    int // read so far
	items     []Value
	members   []Member

	failAt int
	reason string
}

func (p *parser) fail(at int, reason string) bool {
	p.failAt, p.reason = at, reason
	return false
}

func (p *parser) document() (Value, bool) {
	p.space()
	if p.at == len(p.text) {
		if p.at == 0 {
			return Value{}, p.fail(0, "the text is empty; want a JSON document")
		}
		return Value{}, p.fail(p.at, "the text is white space alone; want a JSON document")
	}
	v, ok := p.value(0)
	if !ok {
		return Value{}, false
	}
	p.space()
	if p.at < len(p.text) {
		return Value{}, p.fail(p.at, "text after the end of the document; remove it")
	}
	return v, true
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\n', '\r', '\t':
			p.at++
		default:
			return
		}
	}
}

// value reads the value that begins at p.at; depth containers are open around it.
func (p *parser) value(depth int) (v Value, ok bool) {
	if p.values++; p.values > p.maxValues {
		return v, p.fail(p.at, "the document holds more than "+itoa(p.maxValues)+" values")
	}
	if p.at == len(p.text) {
		return v, p.fail(p.at, "the text ends where a value belongs")
	}
	switch c := p.text[p.at]; {
	case c == '"':
		v.Kind = String
		v.Text, ok = p.str()
		return v, ok
	case c == '{':
		v.Kind = Object
		if p.open(depth) {
			v.Members, ok = p.object(depth + 1)
		}
		return v, ok
	case c == '[':
		v.Kind = Array
		if p.open(depth) {
			v.Items, ok = p.array(depth + 1)
		}
		return v, ok
	case c == '-' || '0' <= c && c <= '9':
		v.Kind = Number
		v.Text, ok = p.number()
		return v, ok
	}
	switch rest := p.text[p.at:]; {
	case word(rest, "true"):
		v.Kind, v.Truth = Bool, true
		p.at += len("true")
	case word(rest, "false"):
		v.Kind = Bool
		p.at += len("false")
	case word(rest, "null"):
		p.at += len("null")
	default:
		return v, p.unexpected("a value")
	}
	return v, true
}

// open steps over the bracket at p.at.
func (p *parser) open(depth int) bool {
	if depth == p.maxDepth {
		return p.fail(p.at, "nesting is too deep; at most "+itoa(p.maxDepth)+" levels are read")
	}
	p.at++
	p.space()
	return true
}

func (p *parser) array(depth int) (items []Value, ok bool) {
	if p.at < len(p.text) && p.text[p.at] == ']' {
		p.at++
		return nil, true
	}
	start := len(p.items)
	for more := true; more; {
		v, ok := p.value(depth)
		if !ok {
			return nil, false
		}
		p.items = push(p.items, v)
		if more, ok = p.next(']', "an item"); !ok {
			return nil, false
		}
	}
	items, p.items = pop(p.items, start)
	return items, true
}

func (p *parser) object(depth int) (members []Member, ok bool) {
	if p.at < len(p.text) && p.text[p.at] == '}' {
		p.at++
		return nil, true
	}
	start := len(p.members)
	names := nameSet{ascending: true}
	for more := true; more; {
		name, ok := p.name(&names, start)
		if !ok {
			return nil, false
		}
		v, ok := p.value(depth)
		if !ok {
			return nil, false
		}
		p.members = push(p.members, Member{name, v})
		if more, ok = p.next('}', "a member"); !ok {
			return nil, false
		}
	}
	members, p.members = pop(p.members, start)
	return members, true
}

// name reads the name of a member and the colon after it. The members before it stand on the stack
// from start on.
func (p *parser) name(names *nameSet, start int) (string, bool) {
	if p.at == len(p.text) || p.text[p.at] != '"' {
		return "", p.unexpected("a name in double quotes")
	}
	at := p.at
	name, ok := p.str()
	if !ok {
		return "", false
	}
	if !names.add(p.members[start:], name) {
		return "", p.fail(at, "the name "+quote(name)+" stands twice in one object; keep one of the two")
	}
	p.space()
	if p.at == len(p.text) || p.text[p.at] != ':' {
		return "", p.unexpected(`":" after a name`)
	}
	p.at++
	p.space()
	return name, true
}

// next steps over what follows an element: a comma (more) or the closing bracket.
func (p *parser) next(closing byte, element string) (more, ok bool) {
	p.space()
	if p.at < len(p.text) {
		switch p.text[p.at] {
		case closing:
			p.at++
			return false, true
		case ',':
			comma := p.at
			p.at++
			p.space()
			if p.at < len(p.text) && p.text[p.at] == closing {
				return false, p.fail(comma, "a comma with nothing after it; remove it")
			}
			return true, true
		}
	}
	return false, p.unexpected(`"," or "` + string(closing) + `" after ` + element)
}

// push doubles a full stack, where append would copy a large one far more often.
func push[T any](stack []T, v T) []T {
	if len(stack) == cap(stack) {
		stack = slices.Grow(stack, max(16, len(stack)))
	}
	return append(stack, v)
}

// pop takes the elements from start on off the stack. A large outermost container takes the stack
// itself, so that it never stands in memory twice.
func pop[T any](stack []T, start int) (top, rest []T) {
	if start == 0 && len(stack) > 1024 {
		return slices.Clip(stack), nil
	}
	top = slices.Clone(stack[start:])
	clear(stack[start:])
	return top, stack[:start]
}

// nameSet finds a name that an object holds twice, in time near-linear in its members.
type nameSet struct {
	ascending bool                // so far each name is greater than the one before
	seen      map[string]struct{} // all names, once there are many and they do not ascend
}

// add reports whether name is new beside members, the ones before it.
func (s *nameSet) add(members []Member, name string) bool {
	const few = 16
	n := len(members)
	if s.ascending {
		if n == 0 || members[n-1].Name < name {
			return true
		}
		s.ascending = false
	}
	if n < few {
		return !slices.ContainsFunc(members, func(m Member) bool { return m.Name == name })
	}
	if s.seen == nil {
		s.seen = make(map[string]struct{}, 2*n)
		for i := range members {
			s.seen[members[i].Name] = struct{}{}
		}
	}
	if _, found := s.seen[name]; found {
		return false
	}
	s.seen[name] = struct{}{}
	return true
}

// word reports whether text begins with w and w ends there.
func word(text, w string) bool {
	return strings.HasPrefix(text, w) && (len(text) == len(w) || !wordByte(text[len(w)]))
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '+' || c == '-'
}
