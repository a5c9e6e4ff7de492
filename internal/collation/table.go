package collation

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"
)

//go:embed root.bin
var packed []byte

// element is one collation element. Weights are ranks among all that are in root.bin: 0 is none.
type element struct {
	primary    uint32 // 24 bits
	secondary  uint16
	tertiary   uint8
	letterCase uint8 // 0 lower, 1 mixed, 2 upper
}

// run is characters in a row with one element each, whose primaries are in a row too.
type run struct {
	first rune
	count int
	element
}

// table is root.bin.
type table struct {
	primaries    uint32 // how many there are
	runs         []run
	characters   []rune // sorted
	at           []int  // where the elements of each begin in elements; one more
	elements     []element
	contractions strings
	locales      []locale
	unsettled    [][2]rune // ranges, without their ends, of characters that ICU 72 has elsewhere; sorted
}

type locale struct {
	name       string
	upperFirst bool
	own        strings
}

// strings are texts that have weights as a whole.
type strings struct {
	elements map[string][]element
	lengths  map[rune]int // the longest text by its first character
}

// most returns the length of the longest text that begins with r.
func (s strings) most(r rune) int { return s.lengths[r] }

func (s strings) find(text []rune) ([]element, bool) {
	if len(text) > s.lengths[text[0]] {
		return nil, false
	}
	found, ok := s.elements[string(text)]
	return found, ok
}

// single returns the elements of a character, nil for one that is not known and an empty list for one that is ignored.
func (t *table) single(r rune) []element {
	if i, found := slices.BinarySearch(t.characters, r); found {
		return t.elements[t.at[i]:t.at[i+1]]
	}
	i, found := slices.BinarySearchFunc(t.runs, r, func(u run, r rune) int { return int(u.first - r) })
	if !found {
		i--
	}
	if i < 0 || int(r-t.runs[i].first) >= t.runs[i].count {
		return nil
	}
	e := t.runs[i].element
	e.primary += uint32(r - t.runs[i].first)
	return []element{e}
}

// unassigned returns the element of a character that is not known.
func (t *table) unassigned(r rune) element {
	return element{primary: t.primaries + uint32(r), secondary: 1, tertiary: 1}
}

// settled reports whether the place of a character is the same in ICU 72 and 78.
func (t *table) settled(r rune) bool {
	i, _ := slices.BinarySearchFunc(t.unsettled, r, func(u [2]rune, r rune) int { return int(u[1]) - 1 - int(r) })
	return i == len(t.unsettled) || r < t.unsettled[i][0]
}

// load unpacks the table once: most runs of the program need none.
var load = sync.OnceValues(unpack)

var errDamaged = errors.New("the collation data in the program is damaged; install the program anew")

func unpack() (*table, error) {
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, errDamaged
	}
	r := reader{rest: b}
	t := &table{primaries: uint32(r.number())}
	t.runs = make([]run, r.count())
	last := 0
	for i := range t.runs {
		last += r.number()
		u := run{first: rune(last), count: r.number()}
		u.primary, u.secondary = uint32(r.number()), uint16(r.number())
		u.third(r.number())
		t.runs[i] = u
	}
	n := r.count()
	t.characters, t.at = make([]rune, n), make([]int, n+1)
	last, r.primary = 0, 0
	for i := range t.characters {
		last += r.number()
		t.characters[i] = rune(last)
		t.elements = r.appendElements(t.elements)
		t.at[i+1] = len(t.elements)
	}
	t.contractions = r.strings()
	t.locales = make([]locale, r.count())
	for i := range t.locales {
		t.locales[i] = locale{name: string(r.text()), upperFirst: r.number() == 1, own: r.strings()}
	}
	t.unsettled = make([][2]rune, r.count())
	last = 0
	for i := range t.unsettled {
		first := last + r.number()
		last = first + r.number()
		t.unsettled[i] = [2]rune{rune(first), rune(last)}
	}
	if r.failed || len(r.rest) > 0 {
		return nil, errDamaged
	}
	return t, nil
}

func (e *element) third(n int) { e.tertiary, e.letterCase = uint8(n>>2), uint8(n&3) }

// reader takes root.bin apart.
type reader struct {
	rest    []byte
	primary int // the one before
	failed  bool
}

func (r *reader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// count reads how many of something follow, each at least a byte.
func (r *reader) count() int {
	n := r.number()
	if n > len(r.rest) {
		r.failed = true
		return 0
	}
	return n
}

func (r *reader) text() []rune {
	text := make([]rune, r.count())
	for i := range text {
		text[i] = rune(r.number())
	}
	return text
}

func (r *reader) appendElements(list []element) []element {
	for range r.count() {
		delta := r.number()
		r.primary += delta>>1 ^ -(delta & 1)
		e := element{primary: uint32(r.primary), secondary: uint16(r.number())}
		e.third(r.number())
		list = append(list, e)
	}
	return list
}

func (r *reader) strings() strings {
	n := r.count()
	s := strings{elements: make(map[string][]element, n), lengths: map[rune]int{}}
	r.primary = 0
	for range n {
		text := r.text()
		s.elements[string(text)] = r.appendElements([]element{})
		if len(text) > 0 {
			s.lengths[text[0]] = max(s.lengths[text[0]], len(text))
		}
	}
	return s
}
