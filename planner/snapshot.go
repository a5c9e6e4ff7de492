package planner

import (
	"context"
	"errors"
	"sync"

	"example.org/compose/catalog"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

// Snapshot is what stands in a managed target at the places that its lock lists. It is read once, on all cores, while
// its owner does something else, such as loading the catalog that it will be compared with.
//
// A file has to be hashed anyway, and in the same pass it gets the id that git would give to its bytes. Where that is the id of
// a material's blob, the file has the material's bytes, so that its digest is the material's too and the blob need not be read.
// docs/performance.md argues what this rests on.
type Snapshot struct {
	Managed *Managed

	root   *rootfs.Root
	target target // the root, or one that counts
	cancel context.CancelFunc
	ready  chan struct{} // closed once files and err are set
	files  []standing    // of the lock's file at the same index
	err    error         // of the context
}

// standing is what stands at the place of one file of the lock.
type standing struct {
	sum     rootfs.Sum    // of the regular file; LF only where the lock asks for other bytes
	fault   *rootfs.Error // why there is no regular file that could be read; nil for none
	blob    gitrepo.ID    // what git calls these bytes; zero without a sum, or where that can't be told
	pointer bool          // they are a Git LFS pointer
}

// Observe begins to read the files that old lists in root, and returns at once. Whatever it finds is for Reconcile to judge. Close the
// snapshot before root.
func Observe(ctx context.Context, root *rootfs.Root, old *Managed) *Snapshot {
	s := observe(ctx, root, old)
	s.root = root
	return s
}

func observe(ctx context.Context, root target, old *Managed) *Snapshot {
	ctx, cancel := context.WithCancel(ctx)
	s := &Snapshot{Managed: old, target: root, cancel: cancel, ready: make(chan struct{}), files: make([]standing, len(old.Lock.Files))}
	go func() {
		defer close(s.ready)
		pool := sync.Pool{New: func() any { return new(beside) }}
		s.err = rootfs.Each(ctx, len(s.files), func(i int, buf []byte) {
			b := pool.Get().(*beside)
			defer pool.Put(b)
			s.files[i].look(ctx, root, &old.Lock.Files[i], buf, b)
		})
	}()
	return s
}

// Close ends the reading, if it is not at its end, and waits until it has.
func (s *Snapshot) Close() {
	s.cancel()
	<-s.ready
}

// wait returns once every file was read. The error is that of a context that ended.
func (s *Snapshot) wait(ctx context.Context) error {
	select {
	case <-s.ready:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// longest is the size past which a file can't be a material, not even with CRLF for every LF.
const longest = 2 * catalog.MaxMaterial

// look finds out what stands there. beside is a worker's own.
func (f *standing) look(ctx context.Context, root target, file *lockv2.File, buf []byte, beside *beside) {
	sum, err := root.DigestWith(ctx, file.Destination, buf, beside)
	if err == nil {
		f.blob, f.pointer = beside.hash.ID(), beside.pointer
		if file.Ownership != lockv2.Seed && sum.Digest != file.Digest && sum.Size <= longest {
			f.blob = gitrepo.ID{}
			sum, err = root.DigestLF(ctx, file.Destination, buf) // only a file that differs is read twice
		}
	}
	f.sum = sum
	if !errors.As(err, &f.fault) && err != nil { // the context ended, which Each reports
		f.fault = &rootfs.Error{Destination: file.Destination, At: string(file.Destination), Reason: rootfs.Unreadable}
	}
}

// beside is what is learned from the bytes of a file besides their digest.
type beside struct {
	hash    gitrepo.BlobHash
	size    int64
	pointer bool
}

func (b *beside) Begin(size int64) {
	b.hash.Begin(size)
	b.size, b.pointer = size, false
}

func (b *beside) Add(piece []byte) {
	b.hash.Add(piece)
	if b.size <= pointerBound {
		b.pointer = catalog.IsLFSPointer(piece) // which is whole: it is smaller than the buffer
	}
}

// Materialize is the function of that name, but it does not read the blobs whose bytes stand in the target.
func (s *Snapshot) Materialize(ctx context.Context, cat *catalog.Catalog, repository string, cfg resolver.Config) (*Composition, error) {
	return materialize(ctx, cat, repository, cfg, s)
}

// recognize gives the materials whose bytes stand at their destination the size and the digest of these. The others have to be read, as has one that
// no composition can use, for the reason to be told in one place.
func (s *Snapshot) recognize(ctx context.Context, materials []Material) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	files := s.Managed.Lock.Files
	i := 0
	for k := range materials {
		m := &materials[k]
		for i < len(files) && files[i].Destination < m.Destination {
			i++
		}
		if i == len(files) || files[i].Destination != m.Destination || !m.Copied() {
			continue
		}
		if at := &s.files[i]; at.fault == nil && at.blob == m.source.Blob && !at.blob.IsZero() && at.sum.Size <= catalog.MaxMaterial && !at.pointer {
			m.Digest, m.Size, m.known = at.sum.Digest, at.sum.Size, true
		}
	}
	return nil
}
