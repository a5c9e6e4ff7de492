package strictjson

import (
	"fmt"
	"math"
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
//	fault := doc.Decode(func(root strictjson.Node) {
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
func (d *Document) Decode(read func(root Node)) *Fault {
	r := &decoding{doc: d}
	read(Node{r, 0})
	return r.fault
}

// Decode is the method of that name for a document that was kept, or put together, as a Value.
func Decode(v Value, read func(root Node)) *Fault {
	d := layOut(v)
	if uint64(len(d.text)) > math.MaxUint32 {
		return &Fault{Reason: "holds 4 GiB of text or more"}
	}
	return d.Decode(read)
}

// decoding is one run of Decode.
type decoding struct {
	doc   *Document
	root  uint32
	fault *Fault

	texts texts
	spare []*Fields // to be used again
}

// none is the entry of a member that is missing.
const none = math.MaxUint32

// Node is one value of a document and its place in it. It is of no use after Decode has returned.
type Node struct {
	run *decoding
	at  uint32 // its entry
}

func (n Node) entry() *entry { return &n.run.doc.tape[n.at] }

// readable reports whether there is a value, and no fault so far.
func (n Node) readable() bool { return n.at != none && n.run.fault == nil }

// Decode is that of a document that consists of n alone: a fault there is none here, and its pointer begins at n. After a
// fault here there is nothing to read, and n is null.
func (n Node) Decode(read func(root Node)) *Fault {
	if !n.readable() {
		return Decode(Value{}, read)
	}
	r := &decoding{doc: n.run.doc, root: n.at}
	read(Node{r, n.at})
	return r.fault
}

// Value returns the value itself, null after a fault.
func (n Node) Value() Value {
	if !n.readable() {
		return Value{}
	}
	return n.run.value(n.at)
}

// value makes the Value at an entry.
func (r *decoding) value(at uint32) Value {
	e := r.doc.tape[at]
	v := Value{Kind: e.kind}
	switch e.kind {
	case Bool:
		v.Truth = e.flag
	case Number, String:
		v.Text = r.text(at)
	case Array:
		if e.end > 0 {
			v.Items = make([]Value, e.end)
		}
		at++
		for i := range v.Items {
			v.Items[i] = r.value(at)
			at = r.doc.tape[at].next
		}
	case Object:
		if e.end > 0 {
			v.Members = make([]Member, e.end)
		}
		at++
		for i := range v.Members {
			v.Members[i] = Member{r.text(at), r.value(at + 1)}
			at = r.doc.tape[at+1].next
		}
	}
	return v
}

// Sound reports that no fault was met so far.
func (n Node) Sound() bool { return n.run.fault == nil }

// Pointer returns the JSON pointer to n. A name of more than 200 bytes is cut short, with "..." at its end.
func (n Node) Pointer() string {
	pointer := ""
	if n.at == none {
		return pointer
	}
	for at := n.run.root; at != n.at; {
		at, pointer = n.toward(at, pointer)
	}
	return pointer
}

// toward steps from a container to its element that n is, or is in.
func (n Node) toward(at uint32, pointer string) (uint32, string) {
	tape, named := n.run.doc.tape, n.run.doc.tape[at].kind == Object
	at++
	for i := 0; ; i++ {
		name := at
		if named {
			at++
		}
		if n.at >= tape[at].next {
			at = tape[at].next
			continue
		}
		if named {
			return at, Pointer(pointer, clip(string(n.run.doc.chars(name))))
		}
		return at, Pointer(pointer, strconv.Itoa(i))
	}
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
	if n.run.fault == nil {
		n.run.fault = &Fault{Pointer: n.Pointer(), Reason: fmt.Sprintf(format, args...)}
	}
}

// is reports whether n has the kind and may be read; another kind is a fault.
func (n Node) is(kind Kind) bool {
	if !n.readable() {
		return false
	}
	if n.entry().kind != kind {
		n.Fail("is %s; want %s", article(n.entry().kind), article(kind))
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
	return n.run.text(n.at)
}

// Word is Text for what a document says many times, such as an id or one of a few words: equal texts mostly share
// their bytes.
func (n Node) Word() string {
	if !n.is(String) {
		return ""
	}
	return n.run.texts.word(n.run.doc.chars(n.at))
}

// Bytes is Text for those who only look: it copies nothing, and what it returns must not be changed, nor kept
// when Decode has returned.
func (n Node) Bytes() []byte {
	if !n.is(String) {
		return nil
	}
	return n.run.doc.chars(n.at)
}

// Boolean returns a truth value.
func (n Node) Boolean() bool { return n.is(Bool) && n.entry().flag }

// Int returns an integer, whose token is -?(0|[1-9][0-9]*): 1.0 and 1e0 are none.
func (n Node) Int() int64 {
	if !n.is(Number) {
		return 0
	}
	token := string(n.run.doc.chars(n.at))
	if !IsInteger(token) {
		n.Fail("is %s; want an integer, written without a point or an exponent", clip(token))
		return 0
	}
	i, err := strconv.ParseInt(token, 10, 64)
	if err != nil {
		n.Fail("is %s; want an integer of 64 bits", clip(token))
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
	tape, at := n.run.doc.tape, n.at
	for i, item := 0, at+1; i < int(tape[at].end) && n.run.fault == nil; i++ {
		read(i, Node{n.run, item})
		item = tape[item].next
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
	if n.at == none || n.entry().kind != Array && n.entry().kind != Object {
		return 0
	}
	return int(n.entry().end)
}

// Each calls read for each member of an object whose names are data, in order.
func (n Node) Each(read func(name string, value Node)) {
	n.members(func(name uint32, value Node) { read(n.run.text(name), value) })
}

func (n Node) members(read func(name uint32, value Node)) {
	if !n.is(Object) {
		return
	}
	tape, at := n.run.doc.tape, n.at
	for i, name := 0, at+1; i < int(tape[at].end) && n.run.fault == nil; i++ {
		read(name, Node{n.run, name + 1})
		name = tape[name+1].next
	}
}
