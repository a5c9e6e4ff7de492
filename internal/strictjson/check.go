package strictjson

import "unicode/utf8"

// Check says why Parse, with maxDepth, would not read Encode(v) back as v; nil when it would.
// A value that came from Parse needs no check; one put together from texts of any origin does.
func Check(v Value, maxDepth int) *Fault {
	return Decode(v, func(root Node) { root.check(maxDepth) })
}

func (n Node) check(depth int) {
	if n.v == nil || n.d.fault != nil {
		return
	}
	switch n.v.Kind {
	case Null, Bool:
	case Number:
		if n.v.Text == "" || numberEnd(n.v.Text, 0) != len(n.v.Text) {
			n.Fail("%q is no JSON number", clip(n.v.Text))
		}
	case String:
		if !utf8.ValidString(n.v.Text) {
			n.Fail("%q is not UTF-8", clip(n.v.Text))
		}
	case Array, Object:
		if depth == 0 {
			n.Fail("nests too deep")
			return
		}
		if n.v.Kind == Array {
			n.Items(func(_ int, item Node) { item.check(depth - 1) })
			return
		}
		names := nameSet{ascending: true}
		i := 0
		n.Each(func(name string, value Node) {
			switch {
			case !utf8.ValidString(name):
				value.Fail("the name %q is not UTF-8", clip(name))
			case !names.add(n.v.Members[:i], name):
				value.Fail("the name stands twice in one object")
			}
			value.check(depth - 1)
			i++
		})
	default:
		n.Fail("is of no kind that JSON has")
	}
}

// CheckSorted records a fault where the members of an object, at any depth, do not stand in byte
// order of their names.
func (n Node) CheckSorted() {
	if n.v == nil {
		return
	}
	switch n.v.Kind {
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
