// Package jsonplace finds where the values of a JSON document stand in its text, so that a fault which is named by a
// JSON pointer can be shown by line and column, and a list can be edited without touching the rest.
//
// Start with Find. The text is one that strictjson.Parse has read; of any other, what could be found before it
// stops being JSON is found, and nothing panics. All pointers are looked for in one pass, and what none of them leads
// to is skipped without being kept.
package jsonplace

import (
	"bytes"
	"strconv"
	"strings"

	"example.org/compose/internal/strictjson"
)

// Place is where a value stands.
type Place struct {
	Line   int // from 1; a line ends at LF
	Column int // from 1, in bytes, like that of strictjson.Error

	Begin int // the offset that Line and Column name: that of its name, for a member of an object
	Value int // the offset of the value's first byte
	End   int // the offset after its last byte

	Whole bool // the pointer leads here; else what it leads to is missing, and this is what should hold it
}

// Find returns the place of each pointer (RFC 6901), in the order given. Where a pointer leads to nothing, the place is that
// of the innermost value on its way. In a text that is no JSON from its beginning it is the zero Place.
func Find(text []byte, pointers ...string) []Place {
	root := &want{}
	for _, pointer := range pointers {
		root.add(pointer)
	}
	s := scanner{text: text}
	s.space()
	s.value(root, s.at, 0)
	lines := lineCounter{text: text}
	places := make([]Place, len(pointers))
	for i, pointer := range pointers {
		places[i] = root.find(pointer)
		lines.count(&places[i])
	}
	return places
}

// want is a value that is looked for, or on the way to one.
type want struct {
	place *Place
	below map[string]*want // by token
}

// tokens takes a pointer apart. What is no pointer at all leads to the whole document.
func tokens(pointer string) []string {
	rest, found := strings.CutPrefix(pointer, "/")
	if !found {
		return nil
	}
	list := strings.Split(rest, "/")
	for i, token := range list {
		if strings.Contains(token, "~") {
			list[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		}
	}
	return list
}

func (w *want) add(pointer string) {
	for _, token := range tokens(pointer) {
		next := w.below[token]
		if next == nil {
			if next = (&want{}); w.below == nil {
				w.below = map[string]*want{}
			}
			w.below[token] = next
		}
		w = next
	}
}

func (w *want) find(pointer string) Place {
	if w.place == nil {
		return Place{}
	}
	for _, token := range tokens(pointer) {
		next := w.below[token]
		if next == nil || next.place == nil {
			place := *w.place
			place.Whole = false
			return place
		}
		w = next
	}
	return *w.place
}

// lineCounter turns offsets into lines and columns. It goes on from the place before where it can: pointers mostly come in the
// order of the text.
type lineCounter struct {
	text     []byte
	at, line int // lines that end before at
}

func (c *lineCounter) count(p *Place) {
	if p.End == 0 {
		return
	}
	if p.Begin < c.at {
		c.at, c.line = 0, 0
	}
	c.line += bytes.Count(c.text[c.at:p.Begin], []byte{'\n'})
	c.at = p.Begin
	p.Line = 1 + c.line
	p.Column = p.Begin - bytes.LastIndexByte(c.text[:p.Begin], '\n')
}

// scanner steps over values. Its methods return false where the text stops being JSON.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) && strings.IndexByte(" \n\r\t", s.text[s.at]) >= 0 {
		s.at++
	}
}

// next steps over c and white space around it.
func (s *scanner) next(c byte) bool {
	s.space()
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	s.space()
	return true
}

// value steps over the value at s.at, whose name begins at begin. w may be nil.
func (s *scanner) value(w *want, begin, depth int) bool {
	if s.at == len(s.text) || depth > strictjson.MaxDepth {
		return false
	}
	start := s.at
	ok := true
	switch s.text[s.at] {
	case '{':
		ok = s.object(w, depth+1)
	case '[':
		ok = s.array(w, depth+1)
	case '"':
		ok = s.str()
	default:
		for s.at < len(s.text) && strings.IndexByte(" \n\r\t,:]}[{\"", s.text[s.at]) < 0 {
			s.at++
		}
		ok = s.at > start
	}
	if w != nil && s.at > start {
		w.place = &Place{Begin: begin, Value: start, End: s.at, Whole: true}
	}
	return ok
}

func (s *scanner) object(w *want, depth int) bool {
	s.at++
	s.space()
	if s.closes('}') {
		return true
	}
	for {
		begin := s.at
		if s.at == len(s.text) || s.text[s.at] != '"' || !s.str() {
			return false
		}
		member := w.member(s.text[begin:s.at])
		if !s.next(':') || !s.value(member, begin, depth) {
			return false
		}
		s.space()
		if s.closes('}') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
}

func (s *scanner) array(w *want, depth int) bool {
	s.at++
	s.space()
	if s.closes(']') {
		return true
	}
	for i := 0; ; i++ {
		if !s.value(w.item(i), s.at, depth) {
			return false
		}
		s.space()
		if s.closes(']') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
}

func (s *scanner) closes(bracket byte) bool {
	if s.at == len(s.text) || s.text[s.at] != bracket {
		return false
	}
	s.at++
	return true
}

// str steps over the string at s.at.
func (s *scanner) str() bool {
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '"':
			s.at = i + 1
			return true
		}
	}
	s.at = len(s.text)
	return false
}

// member returns what is wanted of the member with that name, which stands in quotes.
func (w *want) member(quoted []byte) *want {
	if w == nil || w.below == nil {
		return nil
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return w.below[string(quoted[1:len(quoted)-1])]
	}
	name, err := strictjson.Parse(quoted, 1)
	if err != nil {
		return nil
	}
	return w.below[name.Text]
}

func (w *want) item(i int) *want {
	if w == nil || w.below == nil {
		return nil
	}
	return w.below[strconv.Itoa(i)]
}
