// Package collation orders texts as the root collation of Unicode does, and as the collations of some locales do: what
// a program gets that compares with the default settings of ICU, at tertiary strength, punctuation not ignored.
//
// Start with Root or Locale, and compare the keys of texts as bytes. The weights are those of CLDR 48 (UCA 17), which
// Node.js 20.20 and later have in ICU 78; root.bin holds them and generate.py has written it. A character that they do
// not know is ordered by its code point after all others, and Key says so: another version may order it elsewhere.
// golang.org/x/text/collate does the same by tables of CLDR 23, which order newer characters, emoji among them,
// otherwise.
//
// Scripts keep the root's order in every locale here. A locale that moves the script of its language to the front, such
// as ru, is not among them, and neither are zh, ja and ko; az, bs and hr also move Cyrillic before Greek, which is left out.
package collation

import (
	"encoding/binary"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// Order is one way to order texts. It is read-only and may be used by many goroutines at once.
type Order struct {
	root       *table
	own        strings // of a locale; before those of root
	upperFirst bool
}

// Root returns the root order. An error means that the program is damaged.
func Root() (*Order, error) {
	t, err := load()
	if err != nil {
		return nil, err
	}
	return &Order{root: t}, nil
}

// Locale returns the order of one of Locales; nil for another name.
func Locale(name string) (*Order, error) {
	t, err := load()
	if err != nil {
		return nil, err
	}
	for _, l := range t.locales {
		if l.name == name {
			return &Order{root: t, own: l.own, upperFirst: l.upperFirst}, nil
		}
	}
	return nil, nil
}

// UpperFirst reports whether the order puts upper case first.
func (o *Order) UpperFirst() bool { return o.upperFirst }

// LowerFirst returns the same order with lower case first, as most have it.
func (o *Order) LowerFirst() *Order { return &Order{root: o.root, own: o.own} }

// Locales returns the locales whose order is not the root's, sorted.
func Locales() ([]string, error) {
	t, err := load()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range t.locales {
		names = append(names, l.name)
	}
	slices.Sort(names)
	return names, nil
}

// Key returns bytes that compare as text does, equal ones where the order tells two texts not apart, and whether the place
// of every character is settled. Bytes that are not UTF-8 count as U+FFFD.
func (o *Order) Key(text string) (key []byte, settled bool) {
	elements, settled := o.elements([]rune(norm.NFD.String(text)))
	key = make([]byte, 0, 6*len(elements)+8)
	for _, e := range elements {
		if e.primary != 0 {
			key = append(key, byte(e.primary>>16), byte(e.primary>>8), byte(e.primary))
		}
	}
	key = append(key, 0, 0, 0)
	for _, e := range elements {
		if e.secondary != 0 {
			key = binary.BigEndian.AppendUint16(key, e.secondary)
		}
	}
	key = append(key, 0, 0)
	for _, e := range elements {
		if t := o.tertiary(e); t != 0 {
			key = binary.BigEndian.AppendUint16(key, t)
		}
	}
	return key, settled
}

// tertiary returns the third weight of e, with its case where that comes first.
func (o *Order) tertiary(e element) uint16 {
	t := uint16(e.tertiary)
	switch {
	case !o.upperFirst || t == 0:
		return t
	case e.secondary != 0:
		return uint16(e.letterCase^3)<<8 | t
	}
	return uint16(e.letterCase+1)<<8 | t // after those of letters and accents, so that keys stay well formed
}

// elements returns the weights of text, which is decomposed.
func (o *Order) elements(text []rune) ([]element, bool) {
	list, settled := make([]element, 0, len(text)), true
	for len(text) > 0 {
		n, found := o.longest(text)
		if found == nil {
			n, found = 1, o.root.single(text[0])
		}
		if most := max(o.own.most(text[0]), o.root.contractions.most(text[0])); most > n {
			text, found = o.discontiguous(text, n, most, found)
		}
		if found == nil {
			settled = false
			found = []element{o.root.unassigned(text[0])}
		}
		settled = settled && o.root.settled(text[0])
		list = append(list, found...)
		text = text[n:]
	}
	return list, settled
}

// longest returns the longest beginning of text that has weights as a whole, of more than one character or of the
// locale.
func (o *Order) longest(text []rune) (int, []element) {
	for n := min(len(text), max(o.own.most(text[0]), o.root.contractions.most(text[0]))); n > 0; n-- {
		if found := o.whole(text[:n]); found != nil {
			return n, found
		}
	}
	return 0, nil
}

func (o *Order) whole(text []rune) []element {
	if found, ok := o.own.find(text); ok {
		return found
	}
	if found, ok := o.root.contractions.find(text); ok {
		return found
	}
	return nil
}

// discontiguous extends the first n characters of text by marks that follow, with marks of other classes between (UTS 10,
// S2.1.1 to S2.1.3). It returns the text with those that are used taken out.
func (o *Order) discontiguous(text []rune, n, most int, found []element) ([]rune, []element) {
	begin := slices.Clone(text[:n])
	blocked := uint8(0)
	for i := n; i < len(text) && len(begin) < most; i++ {
		class := norm.NFD.PropertiesString(string(text[i])).CCC()
		if class == 0 {
			break
		}
		if class != blocked || i == n {
			if longer := o.whole(append(begin[:len(begin):len(begin)], text[i])); longer != nil {
				begin, found = append(begin, text[i]), longer
				text = slices.Delete(slices.Clone(text), i, i+1)
				i--
				continue
			}
		}
		blocked = class
	}
	return text, found
}
