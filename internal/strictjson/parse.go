package strictjson

import (
	"bytes"
	"math"
	"math/bits"
)

// MaxDepth is how deep arrays and objects may nest: a document that is one array has depth 1.
const MaxDepth = 64

// MaxValues is how many values one document may hold. It bounds memory, not use: the largest marker
// that compose writes, of 200,000 materials, holds some 3,400,000.
const MaxValues = 4 << 20

// Parse reads one JSON document as a Value. The error is an *Error; where several things are wrong it is
// the first in the text, but that git's merge-conflict markers anywhere come before all else, because
// nothing else can be fixed until they are gone.
//
// maxDepth of 0 means MaxDepth. The value holds no part of b; calls may overlap.
func Parse(b []byte, maxDepth int) (Value, error) {
	doc, err := Scan(b, maxDepth)
	if err != nil {
		return Value{}, err
	}
	return doc.value(), nil
}

// Scan is Parse for documents that are taken apart by Decode and need not be kept: it makes no Values.
// The document holds b, which must not change as long as it is in use.
func Scan(b []byte, maxDepth int) (*Document, error) {
	if maxDepth == 0 {
		maxDepth = MaxDepth
	}
	if reason := encodingFault(b); reason != "" {
		return nil, &Error{Line: 1, Column: 1, Reason: reason}
	}
	p := parser{maxDepth: maxDepth, maxValues: MaxValues}
	p.text = b
	p.tape = make([]entry, 0, len(b)/usualEntry+16)
	if !p.document() {
		return nil, p.fault()
	}
	return &p.Document, nil
}

// usualEntry is how many bytes of a lock there are for each entry of its tape, or somewhat less.
const usualEntry = 24

// parser reads text from at on. Its methods return false after a fault, which failAt and reason hold.
type parser struct {
	Document
	at        int
	maxDepth  int
	maxValues int
	values    int // read so far

	failAt int
	reason string
}

func (p *parser) fail(at int, reason string) bool {
	p.failAt, p.reason = at, reason
	return false
}

func (p *parser) document() bool {
	if uint64(len(p.text)) > math.MaxUint32 {
		return p.fail(0, "the text has 4 GiB or more")
	}
	p.space()
	if p.at == len(p.text) {
		if p.at == 0 {
			return p.fail(0, "the text is empty; want a JSON document")
		}
		return p.fail(p.at, "the text is white space alone; want a JSON document")
	}
	if !p.value(0) {
		return false
	}
	p.space()
	if p.at < len(p.text) {
		return p.fail(p.at, "text after the end of the document; remove it")
	}
	return true
}

// space steps over white space: eight bytes of indentation at once.
func (p *parser) space() {
	const spaces = ' ' * ones
	i := p.at
	for i < len(p.text) {
		switch c := p.text[i]; {
		case c > ' ':
			p.at = i
			return
		case c == '\n' && len(p.text)-i > 8:
			i += 1 + bits.TrailingZeros64(load(p.text[i+1:])^spaces)/8
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			i++
		default:
			p.at = i
			return
		}
	}
	p.at = i
}

// value reads the value that begins at p.at; depth containers are open around it.
func (p *parser) value(depth int) bool {
	if p.values++; p.values > p.maxValues {
		return p.fail(p.at, "the document holds more than "+itoa(p.maxValues)+" values")
	}
	if p.at == len(p.text) {
		return p.fail(p.at, "the text ends where a value belongs")
	}
	switch c := p.text[p.at]; {
	case c == '"':
		return p.str()
	case c == '{':
		return p.open(Object, depth) && p.object(len(p.tape)-1, depth+1)
	case c == '[':
		return p.open(Array, depth) && p.array(len(p.tape)-1, depth+1)
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	switch rest := p.text[p.at:]; {
	case word(rest, "true"):
		p.at += len("true")
		p.push(entry{kind: Bool, flag: true})
	case word(rest, "false"):
		p.at += len("false")
		p.push(entry{kind: Bool})
	case word(rest, "null"):
		p.at += len("null")
		p.push(entry{kind: Null})
	default:
		return p.unexpected("a value")
	}
	return true
}

// open steps over the bracket at p.at.
func (p *parser) open(kind Kind, depth int) bool {
	if depth == p.maxDepth {
		return p.fail(p.at, "nesting is too deep; at most "+itoa(p.maxDepth)+" levels are read")
	}
	p.at++
	p.space()
	p.push(entry{kind: kind})
	return true
}

// array reads the items of the array whose entry is open.
func (p *parser) array(open, depth int) bool {
	if p.at < len(p.text) && p.text[p.at] == ']' {
		p.at++
		return true
	}
	for more := true; more; {
		ok := p.value(depth)
		if !ok {
			return false
		}
		p.tape[open].end++
		if more, ok = p.next(']', "an item"); !ok {
			return false
		}
	}
	p.close(open)
	return true
}

// object reads the members of the object whose entry is open.
func (p *parser) object(open, depth int) bool {
	if p.at < len(p.text) && p.text[p.at] == '}' {
		p.at++
		return true
	}
	names := nameSet{doc: &p.Document, first: uint32(open) + 1}
	for more := true; more; {
		if !p.name(&names) {
			return false
		}
		ok := p.value(depth)
		if !ok {
			return false
		}
		p.tape[open].end++
		if more, ok = p.next('}', "a member"); !ok {
			return false
		}
	}
	p.close(open)
	return true
}

// name reads the name of a member and the colon after it.
func (p *parser) name(names *nameSet) bool {
	if p.at == len(p.text) || p.text[p.at] != '"' {
		return p.unexpected("a name in double quotes")
	}
	at := p.at
	if !p.str() {
		return false
	}
	if name := uint32(len(p.tape) - 1); !names.add(name) {
		return p.fail(at, "the name "+quote(string(p.chars(name)))+" stands twice in one object; keep one of the two")
	}
	p.space()
	if p.at == len(p.text) || p.text[p.at] != ':' {
		return p.unexpected(`":" after a name`)
	}
	p.at++
	p.space()
	return true
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

// word reports whether text begins with w and w ends there.
func word(text []byte, w string) bool {
	return bytes.HasPrefix(text, []byte(w)) && (len(text) == len(w) || !wordByte(text[len(w)]))
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '+' || c == '-'
}
