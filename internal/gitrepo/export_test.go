package gitrepo

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"

	"example.org/compose/internal/plainfile"
)

// CountOpens calls opened with each file of the work tree that the clean check opens.
func (r *Repository) CountOpens(opened func(path string)) {
	r.openFile = func(path string) (*os.File, error) {
		opened(path)
		return plainfile.Open(path)
	}
}

var (
	ParseCommit     = parseCommit
	ParseTree       = parseTree
	ParseAlternates = parseAlternates
	ParseBitmap     = parseBitmap
	Wildmatch       = wildmatch
)

// AttributeValue is what `git check-attr` prints of one attribute, for a file at the top that has text.
func AttributeValue(text, path, name string, fold bool) string {
	a := attributesOf([]attrFile{parseAttributes(text, "", true)}, path, fold)[name]
	return [...]string{"unspecified", "set", "unset", a.value}[a.state]
}

// SetMemory sets the budget of large delta chains.
func (r *Repository) SetMemory(bytes int64) { r.objects.(*folders).memory = &budget{size: bytes} }

// Memory is how much of the budget is used.
func (r *Repository) Memory() int64 {
	b := r.objects.(*folders).memory
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// MemoryWaiters is how many wait for a share of the budget.
func (r *Repository) MemoryWaiters() int { return r.objects.(*folders).memory.waiters() }

func (b *budget) waiters() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// Budget is a budget of its own.
type Budget struct{ b budget }

func NewBudget(size int64) *Budget { return &Budget{budget{size: size}} }

func (b *Budget) Acquire(ctx context.Context, bytes int64) (int64, error) {
	return b.b.acquire(ctx, bytes)
}
func (b *Budget) Release(share int64) { b.b.release(share) }
func (b *Budget) Waiting() int        { return b.b.waiters() }
func (b *Budget) Idle() bool          { return b.b.used == 0 && len(b.b.waiting) == 0 }

// ApplyDelta makes the object of a base and a delta, through a window of that many bytes.
func ApplyDelta(base, delta []byte, window int) ([]byte, error) {
	var d deltaReader
	if err := d.start(bytes.NewReader(delta), int64(len(delta)), make([]byte, window)); err != nil {
		return nil, err
	}
	if err := d.on(base); err != nil {
		return nil, err
	}
	return io.ReadAll(&d)
}

// MinDeltaWindow is the smallest window: of two sizes.
const MinDeltaWindow = 2 * binary.MaxVarintLen64

// PackIndexLookup opens an index file, held whole or not, and returns its look-up. atEnd gets
// what closes the file.
func PackIndexLookup(path string, held bool, atEnd func(func())) (lookup func(ID) (offset int64, found bool, err error), err error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	atEnd(func() { file.Close() })
	var most int64
	if held {
		most = math.MaxInt64
	}
	x, err := newPackIndex(file, most)
	if err != nil {
		return nil, err
	}
	return func(id ID) (int64, bool, error) {
		offset, err := x.offsetOf(id)
		if errors.Is(err, errMissing) {
			return 0, false, nil
		}
		return offset, err == nil, err
	}, nil
}
