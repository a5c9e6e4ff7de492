package rootfs

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// BufferSize is the size of the buffer that Each gives to a worker: large enough that a file of
// source text is read in one call, small enough to stay in a core's cache.
const BufferSize = 64 << 10

// Each calls work for every index below n, on all cores, and returns when every call has. A worker makes
// its calls one after another, with a buffer of its own, on neighbouring indexes; results belong at
// their index, so that their order is not that of the cores. The error is ctx's: then perhaps not every call was made.
func Each(ctx context.Context, n int, work func(i int, buf []byte)) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	// Neighbours share a folder, but the last piece must not keep one core busy alone.
	piece := 1
	if workers > 0 {
		piece = min(max(n/(workers*8), 1), 32)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			buf := make([]byte, BufferSize)
			for {
				end := int(next.Add(int64(piece)))
				for i := end - piece; i < min(end, n); i++ {
					if ctx.Err() != nil {
						return
					}
					work(i, buf)
				}
				if end >= n {
					return
				}
			}
		}()
	}
	group.Wait()
	return ctx.Err()
}
