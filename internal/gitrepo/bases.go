package gitrepo

import (
	"container/list"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxCachedBaseBytes  = 1 << 20
	deltaBaseCacheBytes = 16 << 20
)

// baseCache holds objects of packs on which deltas build, the most recently used. It may be used from many goroutines.
//
// go-git's cache.BufferLRU is not used: it does not know the kind of an object, so each look-up would be four.
type baseCache struct {
	mu     sync.Mutex
	size   int
	byUse  list.List // of *heldBase, the most recently used first
	byName map[baseName]*list.Element
}

type baseName struct {
	pack   *pack
	offset int64
}

type heldBase struct {
	baseName
	kind    plumbing.ObjectType
	content []byte // never changed
}

// get returns an object that is held, or nil. It must not be changed.
func (c *baseCache) get(p *pack, offset int64) (plumbing.ObjectType, []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byName[baseName{p, offset}]
	if e == nil {
		return 0, nil
	}
	c.byUse.MoveToFront(e)
	held := e.Value.(*heldBase)
	return held.kind, held.content
}

// put holds a copy of an object, if it is small enough.
func (c *baseCache) put(p *pack, offset int64, kind plumbing.ObjectType, content []byte) {
	if len(content) > maxCachedBaseBytes {
		return
	}
	name := baseName{p, offset}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byName[name] != nil {
		return
	}
	if c.byName == nil {
		c.byName = map[baseName]*list.Element{}
	}
	c.byName[name] = c.byUse.PushFront(&heldBase{name, kind, append([]byte{}, content...)})
	c.size += len(content)
	for c.size > deltaBaseCacheBytes {
		oldest := c.byUse.Back()
		gone := c.byUse.Remove(oldest).(*heldBase)
		delete(c.byName, gone.baseName)
		c.size -= len(gone.content)
	}
}
