package gitrepo

import "io"

const (
	// A window begins small, since one object is often all that is read there, and doubles while what is asked for is near.
	minWindowBytes = 8 << 10
	maxWindowBytes = 128 << 10
)

// packWindow is a part of a pack file: git stores objects that are used together beside one another.
type packWindow struct {
	pack  *pack
	start int64
	buf   []byte
	store []byte
	size  int // how much was read last
}

// at returns what stands at offset: n bytes or more, fewer only at the end of the file or where it can't be read. It is valid
// until the next call.
func (w *packWindow) at(p *pack, offset int64, n int) []byte {
	skip := offset - w.start
	if w.pack == p && skip >= 0 && skip+int64(n) <= int64(len(w.buf)) {
		return w.buf[skip:]
	}
	size, start := minWindowBytes, offset
	if w.pack == p && skip > -int64(w.size) && skip < 2*int64(w.size) {
		size = min(2*w.size, maxWindowBytes)
		if skip < 0 {
			// The walk goes toward the start of the file: most of the window lies before.
			start = min(offset, max(0, offset+int64(n)-int64(size)*3/4))
		}
	}
	w.size = size
	if size = max(size, int(offset-start)+n); size > len(w.store) {
		w.store = make([]byte, max(size, min(2*len(w.store), maxWindowBytes)))
	}
	read, err := p.file.ReadAt(w.store[:size], start)
	if err != nil && err != io.EOF {
		read = 0
	}
	w.pack, w.start, w.buf = p, start, w.store[:read]
	return w.buf[min(offset-start, int64(read)):]
}
