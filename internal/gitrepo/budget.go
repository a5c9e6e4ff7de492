package gitrepo

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// budget shares an amount of memory between goroutines that build large objects: who would pass it waits for its
// turn. A goroutine that holds a share must not ask for another one.
type budget struct {
	size int64

	mu       sync.Mutex
	used     int64
	released int64 // since the last collection: garbage, mostly
	waiting  []*budgetWaiter
}

type budgetWaiter struct {
	bytes int64
	turn  chan struct{} // closed when the share is theirs
}

// acquire waits until bytes are free, first come first served, or ctx ends. A share larger than the whole is the
// whole. It returns what has to be released.
func (b *budget) acquire(ctx context.Context, bytes int64) (share int64, err error) {
	w := &budgetWaiter{bytes: min(bytes, b.size), turn: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.admit()
	b.mu.Unlock()
	select {
	case <-w.turn:
	case <-ctx.Done():
		b.mu.Lock()
		defer b.mu.Unlock()
		if i := slices.Index(b.waiting, w); i >= 0 {
			b.waiting = slices.Delete(b.waiting, i, i+1)
		} else {
			b.used -= w.bytes
		}
		b.admit()
		return 0, ctx.Err()
	}
	b.collect()
	return w.bytes, nil
}

func (b *budget) release(share int64) {
	if share == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= share
	b.released += share
	b.admit()
}

// admit lets those go on whose turn it is.
func (b *budget) admit() {
	for len(b.waiting) > 0 && b.used+b.waiting[0].bytes <= b.size {
		w := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.used += w.bytes
		close(w.turn)
	}
}

// collect runs the garbage collector where what was released may still stand in memory beside what is used: left
// to itself it lets the heap grow to twice its size first. Between two runs the whole budget is used, which takes
// far longer than a run.
func (b *budget) collect() {
	b.mu.Lock()
	due := b.used+b.released > b.size
	if due {
		b.released = 0
	}
	b.mu.Unlock()
	if due {
		runtime.GC()
	}
}
