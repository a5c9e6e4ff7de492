package treedigest

import (
	"context"
	"io"
	"runtime"
	"sync"
)

const (
	chunkSize = 128 << 10 // one read
	ahead     = 4         // chunks that are read of one file before they are asked for
)

// stream is the contents of one file on their way from a reader to the hash.
type stream struct {
	file   *file
	chunks chan []byte // closed after the last
	err    error       // valid once chunks is closed
}

// read hands the contents of files to use: file by file in their order, each in chunks, the first of
// which has first set and may be empty. Files are opened and read by several goroutines, a bounded
// number of chunks ahead.
func (t *Tree) read(ctx context.Context, files []file, use func(f *file, first bool, chunk []byte)) error {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()

	readers := min(max(2, runtime.GOMAXPROCS(0)), len(files))
	work := make(chan *stream)
	order := make(chan *stream, readers) // as work, for the hash
	spare := make(chan []byte, readers*(ahead+2))
	group.Go(func() {
		defer close(work)
		defer close(order)
		for i := range files {
			s := &stream{file: &files[i], chunks: make(chan []byte, ahead)}
			if !send(ctx, order, s) || !send(ctx, work, s) {
				return
			}
		}
	})
	for range readers {
		group.Go(func() {
			for s := range work {
				s.err = t.feed(ctx, s, spare)
				close(s.chunks)
			}
		})
	}

	for s := range order {
		first := true
		for chunk := range receive(ctx, s.chunks) {
			use(s.file, first, chunk)
			first = false
			select {
			case spare <- chunk[:cap(chunk)]:
			default:
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.err != nil {
			return s.err
		}
	}
	return ctx.Err()
}

// feed reads one file into its stream. It has as many bytes as were listed, or it changed.
func (t *Tree) feed(ctx context.Context, s *stream, spare chan []byte) error {
	f, err := t.open(s.file)
	if err != nil {
		return err
	}
	defer f.Close()
	left := s.file.size
	for first := true; first || left > 0; first = false {
		b := buffer(spare, min(left, chunkSize))
		n, err := io.ReadFull(f, b)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return changed(s.file.path)
		case err != nil:
			return failed(s.file.path, "can't be read", err)
		}
		left -= int64(n)
		if !send(ctx, s.chunks, b) {
			return ctx.Err()
		}
	}
	if n, err := f.Read(make([]byte, 1)); n > 0 || err == nil {
		return changed(s.file.path)
	} else if err != io.EOF {
		return failed(s.file.path, "can't be read", err)
	}
	return nil
}

// buffer returns n bytes, of a chunk that was used before if there is one.
func buffer(spare chan []byte, n int64) []byte {
	select {
	case b := <-spare:
		if int64(cap(b)) >= n {
			return b[:n]
		}
	default:
	}
	if n > chunkSize/16 {
		return make([]byte, n, chunkSize)
	}
	return make([]byte, n)
}

// send sends v unless ctx ends first.
func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// receive yields what comes until from is closed or ctx ends.
func receive[T any](ctx context.Context, from <-chan T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for {
			select {
			case v, more := <-from:
				if !more || !yield(v) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
