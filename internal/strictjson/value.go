// Package strictjson is the one JSON codec of compose: a strict reader and a canonical writer.
//
// Start with Parse and Encode. Parse takes what docs/json.md allows: UTF-8 without BOM, no duplicate
// keys, no lone surrogates, no trailing data, nesting of at most 64; anything else is an *Error with
// line and column. Numbers keep their token. Encode writes the one form in which locks, markers,
// plans and results are written: two-space indentation, `[]` and `{}` for empty, one final newline,
// members in the order in which the value holds them. For every b in that form, Encode(Parse(b)) is b.
//
// Neither needs a tree of the whole. Scan checks a text as Parse does, and Document.Decode reads it where it
// stands: Values are made of what is kept. Rows is an array that is made while it is written, and Write hands on what
// Encode returns piece by piece.
//
// The package imports the standard library alone and opens no files.
package strictjson

import (
	"slices"
	"strconv"
	"strings"
)

// Kind tells what a Value is.
type Kind uint8

// The kinds of a Value. The zero Value is null.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is one JSON value. It is read-only once it is made: copies share their slices.
type Value struct {
	Kind    Kind
	Truth   bool     // of a Bool
	Text    string   // the characters of a String; the token of a Number, exactly as written
	Items   []Value  // of an Array; nil when empty, and when it is one of Rows
	Members []Member // of an Object, in order, names unique; nil when empty

	rows func(yield func(*Value) bool) // of an Array that Rows made
}

// Member is one name and its value in an object.
type Member struct {
	Name  string
	Value Value
}

// each calls yield with each item of an array until it returns false. What it yields holds until the next call.
func (v *Value) each(yield func(*Value) bool) {
	if v.rows != nil {
		v.rows(yield)
		return
	}
	for i := range v.Items {
		if !yield(&v.Items[i]) {
			return
		}
	}
}

// Whole returns v with Items in every array, those of Rows too. v itself is not changed.
func (v Value) Whole() Value {
	if !v.hasRows() {
		return v
	}
	switch v.Kind {
	case Array:
		var items []Value
		v.each(func(item *Value) bool {
			whole := item.Whole()
			whole.Members = slices.Clone(whole.Members)
			items = append(items, whole)
			return true
		})
		v.Items, v.rows = items, nil
	case Object:
		v.Members = slices.Clone(v.Members)
		for i := range v.Members {
			v.Members[i].Value = v.Members[i].Value.Whole()
		}
	}
	return v
}

func (v *Value) hasRows() bool {
	if v.rows != nil {
		return true
	}
	for i := range v.Items {
		if v.Items[i].hasRows() {
			return true
		}
	}
	for i := range v.Members {
		if v.Members[i].Value.hasRows() {
			return true
		}
	}
	return false
}

// Get returns the member of an object by name.
func (v Value) Get(name string) (Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}

// Sorted returns v with the members of every object, at any depth, in byte order of their names.
// Arrays keep their order and numbers their tokens. v itself is not changed.
func (v Value) Sorted() Value {
	v = v.Whole()
	switch v.Kind {
	case Array:
		items := slices.Clone(v.Items)
		for i := range items {
			items[i] = items[i].Sorted()
		}
		v.Items = items
	case Object:
		members := slices.Clone(v.Members)
		for i := range members {
			members[i].Value = members[i].Value.Sorted()
		}
		slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
		v.Members = members
	}
	return v
}

// Str, Int, Boolean, Arr and Obj make values; F makes a member.
func Str[S ~string](s S) Value      { return Value{Kind: String, Text: string(s)} }
func Int(n int64) Value             { return Value{Kind: Number, Text: strconv.FormatInt(n, 10)} }
func Boolean(b bool) Value          { return Value{Kind: Bool, Truth: b} }
func Arr(items ...Value) Value      { return Value{Kind: Array, Items: items} }
func Obj(members ...Member) Value   { return Value{Kind: Object, Members: members} }
func F(name string, v Value) Member { return Member{Name: name, Value: v} }

// Strs makes an array of strings in the order given.
func Strs[S ~string](list []S) Value {
	return List(list, Str[S])
}

// List makes an array, one item for each element of list, in order.
func List[T any](list []T, item func(T) Value) Value {
	v := Value{Kind: Array}
	for _, e := range list {
		v.Items = append(v.Items, item(e))
	}
	return v
}

// Rows makes an array of objects, one for each element of list, in order, whose members row appends; none where it returns
// nil. It is for large tables that are only written: each object is made when it is, and no two stand in memory
// at once. So list must not change before. Items is nil; Whole gives an array that has them.
func Rows[T any](list []T, row func(members []Member, element *T) []Member) Value {
	return Value{Kind: Array, rows: func(yield func(*Value) bool) {
		object := Value{Kind: Object}
		space := make([]Member, 0, 8)
		for i := range list {
			if object.Members = row(space[:0], &list[i]); object.Members == nil {
				continue
			}
			if !yield(&object) {
				return
			}
			space = object.Members
		}
	}}
}
