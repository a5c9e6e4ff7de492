package validator

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// Check looks at the files that l lists, on all cores, whatever marker or lock stands in root, and returns every
// fault, by destination. The error is only for a context that ended.
func Check(ctx context.Context, root *rootfs.Root, l *lockv2.Lock) ([]Fault, error) {
	c := begin(ctx, root)
	for i := range l.Files {
		c.add(&l.Files[i])
	}
	faults := c.finish()
	return faults, ctx.Err()
}

// checking looks at files on all cores while their list is still being read.
type checking struct {
	ctx   context.Context
	root  *rootfs.Root
	added int
	next  batch
	queue chan batch

	started int // workers
	workers sync.WaitGroup
	mu      sync.Mutex
	found   []finding // in the order of discovery; mu
}

// batchSize is how many files a worker takes at once: a message each would cost more, and of the last batch only one core has work.
const batchSize = 16

// batch is what a worker takes: neighbours, which share a folder.
type batch struct {
	first int // the place of the first among all
	size  int
	files [batchSize]*lockv2.File
}

// finding is the fault of one file, with its place among all.
type finding struct {
	at    int
	fault *Fault
}

// begin gets ready for add. finish is to be called.
func begin(ctx context.Context, root *rootfs.Root) *checking {
	// Reading the list is some times faster than reading the files: it waits when it is a thousand ahead.
	return &checking{ctx: ctx, root: root, queue: make(chan batch, 1024/batchSize)}
}

// add has f looked at, which must not change until finish.
func (c *checking) add(f *lockv2.File) {
	c.next.files[c.next.size] = f
	c.next.size++
	c.added++
	if c.next.size == batchSize {
		c.send()
	}
}

func (c *checking) send() {
	if c.started < runtime.GOMAXPROCS(0) {
		c.started++
		c.workers.Add(1)
		go c.work()
	}
	c.queue <- c.next
	c.next = batch{first: c.added}
}

func (c *checking) work() {
	defer c.workers.Done()
	buf := make([]byte, rootfs.BufferSize)
	for b := range c.queue { // to the end, so that add never waits in vain
		for i, f := range b.files[:b.size] {
			if c.ctx.Err() != nil {
				break
			}
			if fault := checkFile(c.ctx, c.root, f, buf); fault != nil {
				c.mu.Lock()
				c.found = append(c.found, finding{b.first + i, fault})
				c.mu.Unlock()
			}
		}
	}
}

// finish waits for every look and returns the faults in the order in which the files were added. They are not all where
// the context ended.
func (c *checking) finish() []Fault {
	if c.next.size > 0 {
		c.send()
	}
	close(c.queue)
	c.workers.Wait()
	slices.SortFunc(c.found, func(a, b finding) int { return cmp.Compare(a.at, b.at) })
	var faults []Fault
	for _, f := range c.found {
		faults = append(faults, *f.fault)
	}
	return faults
}
