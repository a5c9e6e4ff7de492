package gitrepo

import "github.com/go-git/go-git/v5/plumbing"

// maxWalkBytes bounds the buffers that a walker uses at once. What is behind that is read alone: a chain of 50 objects of 150 KiB
// is not.
const maxWalkBytes = 8 << 20

// walker makes the objects of trees of a forest, each from the one above it, for one goroutine.
type walker struct {
	*batch
	*unpacker
	forest *forest
	places []place

	content BlobContent
	used    int // bytes of the buffers on the way from a root
}

// walk makes the object of a node, visits it, and goes on with those that build on it. What can't be made is left out: it
// is read alone, which says why.
func (w *walker) walk(number int32, depth int, base []byte) {
	n := &w.forest.nodes[number]
	if depth > maxDeltaDepth || w.used > maxWalkBytes || w.ctx.Err() != nil {
		return
	}
	content, ok := w.spare.take(), false
	if depth > 0 {
		content, ok = w.patched(w.forest.pack, n.packEntry, base, content)
	} else if n.kind == plumbing.BlobObject {
		content, ok = w.inflated(w.forest.pack, n.packEntry, content)
	}
	if ok {
		w.visitAll(w.places[n.places[0]:n.places[1]], content)
		w.used += cap(content)
		for child := n.child; child >= 0; child = w.forest.nodes[child].next {
			w.walk(child, depth+1, content)
		}
		w.used -= cap(content)
	}
	w.spare.put(content)
}

// visitAll hands out a blob to those who want what is at one place.
func (w *walker) visitAll(places []place, content []byte) {
	var id ID
	for _, at := range places {
		i := int(at.index)
		if !w.wanted(i) || int64(len(content)) > w.limit {
			continue
		}
		if id.IsZero() {
			id = w.hash.of(plumbing.BlobObject, content)
		}
		if id == w.ids[i] { // an index can say the same place of two ids
			w.content = BlobContent{Size: int64(len(content)), Bytes: content}
			w.hand(i, &w.content, nil)
		}
	}
}
