package planner_test

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// A no-op update of 10,000 files, next to a bare loop that hashes them on all cores.
func BenchmarkNoopUpdate(b *testing.B) {
	comp := composition(b, catalogtest.Large(10_000, 20), choice(b))
	dir := composed(b, comp)
	b.Run("bare loop", func(b *testing.B) {
		for b.Loop() {
			if !bareLoop(dir, comp.Lock.Files) {
				b.Fatal("a file differs")
			}
		}
	})
	look := func(b *testing.B, use func(root *rootfs.Root, old *planner.Managed)) {
		b.Helper()
		root, err := rootfs.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer root.Close()
		old, err := planner.ReadManaged(root)
		if err != nil {
			b.Fatal(err)
		}
		use(root, old)
	}
	b.Run("read lock", func(b *testing.B) {
		for b.Loop() {
			look(b, func(*rootfs.Root, *planner.Managed) {})
		}
	})
	b.Run("reconcile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			look(b, func(root *rootfs.Root, old *planner.Managed) {
				p, err := planner.Reconcile(b.Context(), planner.Update, old, comp, root)
				if err != nil || !p.Noop() {
					b.Fatal("no plan, or one of something", err)
				}
			})
		}
	})
	b.Run("document", func(b *testing.B) {
		look(b, func(root *rootfs.Root, old *planner.Managed) {
			p, err := planner.Reconcile(b.Context(), planner.Update, old, comp, root)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p.Document()
			}
		})
	})
}

// bareLoop hashes the files with nothing but a buffer for each core, and reports whether all are as recorded.
func bareLoop(dir string, files []lockv2.File) bool {
	var next atomic.Int64
	var wrong atomic.Bool
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Add(1)
		go func() {
			defer group.Done()
			buf := make([]byte, rootfs.BufferSize)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				hash := sha256.New()
				file, err := os.Open(filepath.Join(dir, string(files[i].Destination)))
				if err == nil {
					_, err = io.CopyBuffer(struct{ io.Writer }{hash}, struct{ io.Reader }{file}, buf)
					file.Close()
				}
				if err != nil || fingerprint.From[fingerprint.Material](hash) != files[i].Digest {
					wrong.Store(true)
				}
			}
		}()
	}
	group.Wait()
	return !wrong.Load()
}
