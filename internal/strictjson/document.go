package strictjson

// Document is a text that was found to be JSON, and where its parts stand.
//
// The tape has an entry for each value, and one before it for the name of a member, in the order of the
// text. It is a fifth of the Values that Parse makes of the same text, and a single allocation.
type Document struct {
	text   []byte
	shared string // the text once more, where texts may share it
	tape   []entry
}

// entry is one value or name.
type entry struct {
	start, end uint32 // where the characters of a string or the token of a number stand; end of a container: how many it holds
	next       uint32 // the entry after the value and all that it holds
	kind       Kind
	flag       bool // of a string: it holds an escape; of a Bool: it is true
}

// push adds a value that holds nothing yet.
func (d *Document) push(e entry) {
	e.next = uint32(len(d.tape)) + 1
	d.tape = append(d.tape, e)
}

// close says that all entries after the container at open are in it.
func (d *Document) close(open int) { d.tape[open].next = uint32(len(d.tape)) }

// chars returns the characters of a string, or the token of a number. The caller does not change them.
func (d *Document) chars(at uint32) []byte {
	e := &d.tape[at]
	raw := d.text[e.start:e.end]
	if e.kind == String && e.flag {
		return unescape(raw)
	}
	return raw
}

// holds reports whether the string at an entry is s.
func (d *Document) holds(at uint32, s string) bool {
	e := &d.tape[at]
	return string(d.text[e.start:e.end]) == s && !e.flag || e.flag && string(d.chars(at)) == s
}

// value makes the Value of the whole. Its texts share one copy of the document's.
func (d *Document) value() Value {
	r := decoding{doc: &Document{text: d.text, shared: string(d.text), tape: d.tape}}
	return r.value(0)
}

// layOut returns a document that says what v says. v need not be one that Parse would make.
func layOut(v Value) *Document {
	d := &Document{}
	d.layOut(&v)
	return d
}

func (d *Document) layOut(v *Value) {
	open := len(d.tape)
	d.push(entry{kind: v.Kind, flag: v.Truth && v.Kind == Bool})
	switch v.Kind {
	case Number, String:
		d.put(open, v.Text)
	case Array:
		v.each(func(item *Value) bool {
			d.layOut(item)
			d.tape[open].end++
			return true
		})
	case Object:
		for i := range v.Members {
			d.push(entry{kind: String})
			d.put(len(d.tape)-1, v.Members[i].Name)
			d.layOut(&v.Members[i].Value)
		}
		d.tape[open].end = uint32(len(v.Members))
	}
	d.close(open)
}

// put writes the text of an entry.
func (d *Document) put(at int, text string) {
	d.tape[at].start = uint32(len(d.text))
	d.text = append(d.text, text...)
	d.tape[at].end = uint32(len(d.text))
}
