package strictjson

import "strings"

// text returns the text of a string or the token of a number, as one that outlives the document.
func (r *decoding) text(at uint32) string {
	e := &r.doc.tape[at]
	switch {
	case e.flag:
		return string(r.doc.chars(at))
	case r.doc.shared != "":
		return r.doc.shared[e.start:e.end]
	}
	return r.texts.keep(r.doc.text[e.start:e.end])
}

// texts makes strings, many of them in one allocation.
type texts struct {
	block strings.Builder // what was taken from it is never changed
	words []string        // by hash; each is the last one of its hash
}

// keep returns b as a string.
func (t *texts) keep(b []byte) string {
	const least, most = 256, 16 << 10
	if len(b) > t.block.Cap()-t.block.Len() {
		if len(b) >= least {
			return string(b)
		}
		size := min(max(least, 2*t.block.Cap()), most)
		t.block = strings.Builder{}
		t.block.Grow(size)
	}
	from := t.block.Len()
	t.block.Write(b)
	return t.block.String()[from:]
}

// word is keep for texts that come again.
func (t *texts) word(b []byte) string {
	const slots = 64
	if t.words == nil {
		t.words = make([]string, slots)
	}
	hash := uint32(len(b))
	for _, c := range b[max(0, len(b)-8):] {
		hash = hash*31 + uint32(c)
	}
	slot := &t.words[hash%slots]
	if *slot != string(b) {
		*slot = t.keep(b)
	}
	return *slot
}
