package strictjson

import (
	"fmt"
	"strconv"
	"strings"
)

// Fault says where a document has not the form that its reader wants.
type Fault struct {
	Pointer string // JSON pointer (RFC 6901); "" for the whole document
	Reason  string // lower case, no final period
}

func (f *Fault) Error() string { return strings.TrimPrefix(f.Pointer+": "+f.Reason, ": ") }

// Decode lets read take a document apart and returns the first fault that it met, or nil.
//
// The reader is straight code without error returns: after a fault every Node answers the zero value,
// Object and Items call nothing any more, and only the first fault is kept. A reader looks like this:
//
//	fault := strictjson.Decode(doc, func(root strictjson.Node) {
//		root.Object(func(f *strictjson.Fields) {
//			recipe.ID = f.Get("id").Text()
//			f.Get("versions").Items(func(i int, n strictjson.Node) {
//				if v := n.Int(); v < 1 {
//					n.Fail("is %d; want 1 or more", v)
//				}
//			})
//		})
//	})
//
// An object has exactly the fields that its function asks for: Get makes one required, Lookup optional,
// and what is left when the function returns is an unknown field.
func Decode(doc Value, read func(root Node)) *Fault {
	d := &decoding{}
	read(Node{d: d, v: &doc, up: -1, index: -1})
	return d.fault
}

// decoding is one run of Decode. Pointers are built only for a fault: steps holds the containers that
// were entered, each with the step above it.
type decoding struct {
	fault *Fault
	steps []step
}

type step struct {
	name  string // of a member
	index int32  // of an item; -1 for a member
	up    int32  // into steps; -1 for the root
}

// Node is one value of a document and its place in it.
type Node struct {
	d     *decoding
	v     *Value // nil for a required member that is missing, which is a fault already
	name  string
	index int32
	up    int32
}

// Value returns the value itself, null after a fault.
func (n Node) Value() Value {
	if n.v == nil || n.d.fault != nil {
		return Value{}
	}
	return *n.v
}

// Sound reports that no fault was met so far.
func (n Node) Sound() bool { return n.d.fault == nil }

// Pointer returns the JSON pointer to n. A name of more than 200 bytes is cut short, with "..." at its end.
func (n Node) Pointer() string {
	var tokens []string
	for at := (step{n.name, n.index, n.up}); ; at = n.d.steps[at.up] {
		switch {
		case at.index >= 0:
			tokens = append(tokens, strconv.Itoa(int(at.index)))
		case at.up >= 0:
			tokens = append(tokens, clip(at.name))
		}
		if at.up < 0 {
			break
		}
	}
	pointer := ""
	for i := len(tokens) - 1; i >= 0; i-- {
		pointer = Pointer(pointer, tokens[i])
	}
	return pointer
}

// Pointer returns the JSON pointer to the member or item token of the value at base.
func Pointer(base, token string) string {
	if strings.ContainsAny(token, "~/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
	}
	return base + "/" + token
}

// Fail records a fault at n unless there is one already.
func (n Node) Fail(format string, args ...any) {
	if n.d.fault == nil {
		n.d.fault = &Fault{Pointer: n.Pointer(), Reason: fmt.Sprintf(format, args...)}
	}
}

// is reports whether n has the kind and may be read; another kind is a fault.
func (n Node) is(kind Kind) bool {
	if n.v == nil || n.d.fault != nil {
		return false
	}
	if n.v.Kind != kind {
		n.Fail("is %s; want %s", article(n.v.Kind), article(kind))
		return false
	}
	return true
}

func article(k Kind) string {
	switch k {
	case Null:
		return "null"
	case Array, Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// Text returns the characters of a string.
func (n Node) Text() string {
	if !n.is(String) {
		return ""
	}
	return n.v.Text
}

// Boolean returns a truth value.
func (n Node) Boolean() bool { return n.is(Bool) && n.v.Truth }

// Int returns an integer, whose token is -?(0|[1-9][0-9]*): 1.0 and 1e0 are none.
func (n Node) Int() int64 {
	if !n.is(Number) {
		return 0
	}
	if !IsInteger(n.v.Text) {
		n.Fail("is %s; want an integer, written without a point or an exponent", clip(n.v.Text))
		return 0
	}
	i, err := strconv.ParseInt(n.v.Text, 10, 64)
	if err != nil {
		n.Fail("is %s; want an integer of 64 bits", clip(n.v.Text))
		return 0
	}
	return i
}

// IsInteger reports whether the token of a number is that of an integer.
func IsInteger(token string) bool {
	return token != "" && !strings.ContainsAny(token, ".eE") && numberEnd(token, 0) == len(token)
}

// Items calls read for each item of an array, in order.
func (n Node) Items(read func(i int, item Node)) {
	if !n.is(Array) {
		return
	}
	here := n.enter()
	for i := range n.v.Items {
		if n.d.fault != nil {
			return
		}
		read(i, Node{d: n.d, v: &n.v.Items[i], index: int32(i), up: here})
	}
}

// Texts returns the strings of an array; nil when it is empty.
func (n Node) Texts() []string {
	var list []string
	n.Items(func(_ int, item Node) { list = append(list, item.Text()) })
	return list
}

// Len returns the number of items or members, to size what will hold them.
func (n Node) Len() int {
	if n.v == nil {
		return 0
	}
	return len(n.v.Items) + len(n.v.Members)
}

// Each calls read for each member of an object whose names are data, in order.
func (n Node) Each(read func(name string, value Node)) {
	if !n.is(Object) {
		return
	}
	here := n.enter()
	for i := range n.v.Members {
		if n.d.fault != nil {
			return
		}
		m := &n.v.Members[i]
		read(m.Name, Node{d: n.d, v: &m.Value, name: m.Name, index: -1, up: here})
	}
}

// Object calls read with the fields of an object. What read does not ask for is a fault.
func (n Node) Object(read func(f *Fields)) {
	if !n.is(Object) {
		return
	}
	f := Fields{node: n, here: n.enter()}
	read(&f)
	f.close()
}

func (n Node) enter() int32 {
	n.d.steps = append(n.d.steps, step{n.name, n.index, n.up})
	return int32(len(n.d.steps) - 1)
}

// Fields is an object that is being read by the names of its members.
type Fields struct {
	node  Node
	here  int32
	next  int    // where the next name is likely to stand
	taken uint64 // the first 64 members that were asked for; no reader asks for more
}

// Get returns the member of that name; without one it records a fault.
func (f *Fields) Get(name string) Node {
	n, found := f.Lookup(name)
	if !found {
		f.node.Fail("lacks %q", name)
	}
	return n
}

// Lookup returns the member of that name, and whether there is one.
func (f *Fields) Lookup(name string) (Node, bool) {
	members := f.node.v.Members
	for range members {
		if f.next >= len(members) {
			f.next = 0
		}
		i := f.next
		f.next++
		if m := &members[i]; m.Name == name {
			if i < 64 {
				f.taken |= 1 << i
			}
			return Node{d: f.node.d, v: &m.Value, name: name, index: -1, up: f.here}, true
		}
	}
	return Node{d: f.node.d, name: name, index: -1, up: f.here}, false
}

// Fail records a fault at the object itself.
func (f *Fields) Fail(format string, args ...any) { f.node.Fail(format, args...) }

// close finds a member that nobody asked for.
func (f *Fields) close() {
	if f.node.d.fault != nil {
		return
	}
	for i := range f.node.v.Members {
		m := &f.node.v.Members[i]
		if i >= 64 || f.taken&(1<<i) == 0 {
			Node{d: f.node.d, v: &m.Value, name: m.Name, index: -1, up: f.here}.Fail("is an unknown field; remove it, or correct its name")
			return
		}
	}
}
