package validator_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

// large makes a valid target of n files in 40 folders and returns it with its lock.
func large(b *testing.B, n int) (string, *lockv2.Lock) {
	b.Helper()
	dir := b.TempDir()
	lock := targettest.Lock()
	lock.Files = lock.Files[:1] // of the state component
	targettest.File(b, dir, string(lock.Files[0].Destination), "managed by compose\n")
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n - 1 {
		text := make([]byte, 200+random.IntN(8<<10))
		for j := range text {
			text[j] = byte(random.Uint32())
		}
		d := fmt.Sprintf("folder-%02d/file-%05d.txt", i*40/n, i)
		targettest.File(b, dir, d, string(text))
		lock.Files = append(lock.Files, lockv2.File{Destination: lockv2.Destination(d), Component: "artifact.app-core", Ownership: lockv2.Managed, Digest: digest(text)})
	}
	encoded, err := lockv2.Encode(lock)
	if err != nil {
		b.Fatal(err)
	}
	targettest.File(b, dir, lockv2.LockPath, string(encoded))
	return dir, lock
}

func BenchmarkValidate(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, _ := large(b, n)
			b.ReportAllocs()
			for b.Loop() {
				report, err := validator.Validate(b.Context(), dir)
				if err != nil || !report.OK() {
					b.Fatal(report, err)
				}
			}
		})
	}
}

// BenchmarkBare is what the disk and the hash cost alone: the same files, on all cores, nothing else.
func BenchmarkBare(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, lock := large(b, n)
			for b.Loop() {
				var next atomic.Int64
				var group sync.WaitGroup
				for range runtime.GOMAXPROCS(0) {
					group.Go(func() {
						buf := make([]byte, 64<<10)
						for {
							i := int(next.Add(1)) - 1
							if i >= len(lock.Files) {
								return
							}
							file, err := os.Open(filepath.Join(dir, string(lock.Files[i].Destination)))
							if err != nil {
								b.Error(err)
								return
							}
							hash := sha256.New()
							if _, err := io.CopyBuffer(hash, struct{ io.Reader }{file}, buf); err != nil {
								b.Error(err)
							}
							file.Close()
							if [32]byte(hash.Sum(nil)) != lock.Files[i].Digest {
								b.Error("differs")
							}
						}
					})
				}
				group.Wait()
			}
		})
	}
}
