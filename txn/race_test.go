package txn

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/compose/lockv2"
)

var races = flag.Int("races", 300, "how many updates race with consumers that write")

// consumer writes versions of a file: by renaming a new file over it, the one after the other as fast as it can, or by
// writing into the one that stands there, one version ahead of each call.
type consumer struct {
	path    string
	inPlace bool
	begin   int    // the first call that it writes ahead of, or at the time of
	last    string // what it wrote last, whole
}

func (c *consumer) write(version int) error {
	text := fmt.Sprintf("%s of the consumer, version %d\n", filepath.Base(c.path), version)
	if !c.inPlace {
		if err := os.WriteFile(c.path+"~", []byte(text), 0o644); err != nil {
			return err
		}
		if err := os.Rename(c.path+"~", c.path); err != nil {
			return err
		}
		c.last = text
		return nil
	}
	f, err := os.OpenFile(c.path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	c.last = text
	return nil
}

// Consumers write to files that an update replaces and removes, at any instant of it, by renaming over and in place. What each wrote last
// is where it wrote it, or where the error says.
//
// Who writes in place does it between two calls: a system that suspends a program after it found the old file, and until the
// update is done, lets it write into a file without a name (docs/transaction.md, what is not promised).
func TestManagedRaces(t *testing.T) {
	l := newLifecycle(t)
	l.requireExchange(t)
	var hits, stops atomic.Int64
	group := sync.WaitGroup{}
	for worker := range 2 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 7))
			for range *races / 2 {
				if t.Failed() {
					return
				}
				l.race(t, random, &hits, &stops)
			}
		})
	}
	group.Wait()
	t.Logf("%d updates, in %d of them a consumer wrote, %d stopped", *races, hits.Load(), stops.Load())
	// Those in place alone are enough, and they are the same in every run.
	if hits.Load() < int64(*races/4) || stops.Load() == 0 {
		t.Error("too few races")
	}
}

// requireExchange skips the test where files can't be exchanged: there what is written between a look and a rename is lost.
func (l *lifecycle) requireExchange(t *testing.T) {
	t.Helper()
	if slices.Contains(l.calls(t, diskKind{dry: true}), "replace a.txt") {
		t.Skip("this file system can't exchange files")
	}
}

func (l *lifecycle) race(t *testing.T, random *rand.Rand, hits, stops *atomic.Int64) {
	dir := l.copy(t)
	defer os.RemoveAll(dir)
	var consumers []*consumer
	for i, path := range []string{"a.txt", "bin/run", "old/gone.txt"} {
		consumers = append(consumers, &consumer{path: filepath.Join(dir, path), inPlace: random.IntN(2) == i%2})
	}
	const calls = 110
	for _, c := range consumers {
		c.begin = 30 + random.IntN(calls)
	}
	versions, writers := 1+random.IntN(20), sync.WaitGroup{}
	d := &faultDisk{diskKind: diskKind{dry: true}, before: func(n int, _, _ string) {
		for _, c := range consumers {
			switch {
			case c.inPlace && n >= c.begin && n < c.begin+versions:
				_ = c.write(n) // the file may be gone: so it was removed before
			case !c.inPlace && n == c.begin:
				writers.Go(func() {
					for v := range versions {
						if c.write(v) != nil {
							return // so is its folder
						}
					}
				})
			}
		}
	}}
	_, err := l.reconcile(t.Context(), dir, d)
	writers.Wait()
	if err != nil {
		stops.Add(1)
	}
	l.raced(t, dir, err, consumers, hits)
}

// raced holds what is left against what the consumers wrote.
func (l *lifecycle) raced(t *testing.T, dir string, err error, consumers []*consumer, hits *atomic.Int64) {
	now := tree(t, dir)
	var fault *Error
	if err != nil && !errors.As(err, &fault) {
		t.Errorf("got %v", err)
	}
	wrote := false
	for _, c := range consumers {
		if c.last == "" {
			continue
		}
		wrote = true
		got, reading := os.ReadFile(c.path)
		if reading == nil && string(got) == c.last {
			continue
		}
		found := false
		for path, what := range now {
			found = found || strings.HasPrefix(path, lockv2.StagingFolder+"/") && strings.HasSuffix(what, " "+c.last)
		}
		if !found {
			t.Errorf("%s (in place: %v): %q is lost: it is %q, %v; the run ended with %v; left %q", c.path, c.inPlace, c.last, got, reading, err, now)
		}
	}
	if wrote {
		hits.Add(1)
	}
}
