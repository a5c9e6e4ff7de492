package gitcache

import (
	"context"
	"sync"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

const (
	MaxRevisions = maxRevisions
	MaxState     = maxState
)

// Folder returns where the entry is.
func (e *Entry) Folder() string { return e.folder }

// StateSize returns how long the state of an entry is after these ids were added to each of its lists.
func StateSize(ids []lockv2.Revision) int {
	s := &state{url: "https://example.org"}
	addTo(&s.revisions, maxRevisions, ids...)
	addTo(&s.history, maxHaves, ids...)
	addTo(&s.whole, maxHaves, ids...)
	return len(strictjson.Encode(s.document()))
}

// OnHeld returns a context that calls meet, once, when something waits for a lock with it: a wait asks whether the context ended.
func OnHeld(meet func()) func(context.Context) context.Context {
	return func(ctx context.Context) context.Context { return &held{Context: ctx, meet: meet} }
}

type held struct {
	context.Context
	once sync.Once
	meet func()
}

func (h *held) Done() <-chan struct{} {
	h.once.Do(h.meet)
	return h.Context.Done()
}
