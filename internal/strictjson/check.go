package strictjson

import "unicode/utf8"

// Check says why Parse, with maxDepth, would not read Encode(v) back as v; nil when it would.
// A value that came from Parse needs no check; one put together from texts of any origin does.
func Check(v Value, maxDepth int) *Fault {
	return Decode(v, func(root Node) { root.check(maxDepth) })
}

func (n Node) check(depth int) {
	if !n.readable() {
		return
	}
	switch e := n.entry(); e.kind {
	case Null, Bool:
	case Number:
		if token := string(n.run.doc.chars(n.at)); token == "" || numberEnd(token, 0) != len(token) {
			n.Fail("%q is no JSON number", clip(token))
		}
	case String:
		if text := n.run.doc.chars(n.at); !utf8.Valid(text) {
			n.Fail("%q is not UTF-8", clip(string(text)))
		}
	case Array, Object:
		if depth == 0 {
			n.Fail("nests too deep")
			return
		}
		if e.kind == Array {
			n.Items(func(_ int, item Node) { item.check(depth - 1) })
			return
		}
		names := nameSet{doc: n.run.doc, first: n.at + 1}
		n.members(func(name uint32, value Node) {
			switch text := n.run.doc.chars(name); {
			case !utf8.Valid(text):
				value.Fail("the name %q is not UTF-8", clip(string(text)))
			case !names.add(name):
				value.Fail("the name stands twice in one object")
			}
			value.check(depth - 1)
		})
	default:
		n.Fail("is of no kind that JSON has")
	}
}

// CheckSorted records a fault where the members of an object, at any depth, do not stand in byte
// order of their names.
func (n Node) CheckSorted() {
	if n.at == none {
		return
	}
	switch n.entry().kind {
	case Array:
		n.Items(func(_ int, item Node) { item.CheckSorted() })
	case Object:
		last, first := "", true
		n.Each(func(name string, value Node) {
			if !first && name < last {
				value.Fail("stands after %q; names stand in byte order", clip(last))
			}
			last, first = name, false
			value.CheckSorted()
		})
	}
}
