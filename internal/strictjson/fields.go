package strictjson

// Object calls read with the fields of an object. What read does not ask for is a fault.
func (n Node) Object(read func(f *Fields)) {
	if !n.is(Object) {
		return
	}
	var f *Fields
	if last := len(n.run.spare) - 1; last >= 0 {
		f, n.run.spare = n.run.spare[last], n.run.spare[:last]
	} else {
		f = &Fields{}
	}
	*f = Fields{node: n, name: n.at + 1, count: int(n.entry().end)}
	read(f)
	f.close()
	n.run.spare = append(n.run.spare, f)
}

// Fields is an object that is being read by the names of its members. It is of no use after the function that it
// was given to has returned.
type Fields struct {
	node  Node
	count int
	next  int    // where the next name is likely to stand
	name  uint32 // its entry
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
	doc := f.node.run.doc
	for range f.count {
		if f.next == f.count {
			f.next, f.name = 0, f.node.at+1
		}
		i, at := f.next, f.name
		f.next, f.name = i+1, doc.tape[at+1].next
		if doc.holds(at, name) {
			if i < 64 {
				f.taken |= 1 << i
			}
			return Node{f.node.run, at + 1}, true
		}
	}
	return Node{f.node.run, none}, false
}

// Fail records a fault at the object itself.
func (f *Fields) Fail(format string, args ...any) { f.node.Fail(format, args...) }

// close finds a member that nobody asked for.
func (f *Fields) close() {
	i := 0
	f.node.members(func(_ uint32, value Node) {
		if i >= 64 || f.taken&(1<<i) == 0 {
			value.Fail("is an unknown field; remove it, or correct its name")
		}
		i++
	})
}
