package txn

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/compose/lockv2"
)

var races = flag.Int("races", 300, "how many updates race with consumers that write")

// consumer writes versions of a file, the one after the other, as fast as it can: by renaming a new file over it, or by writing
// into the one that stands there.
type consumer struct {
	path    string
	inPlace bool

	mu   sync.Mutex
	last string // what it wrote last, whole
}

func (c *consumer) write(version int) error {
	text := fmt.Sprintf("%s of the consumer, version %d\n", filepath.Base(c.path), version)
	c.mu.Lock()
	defer c.mu.Unlock()
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
// is where it wrote it, or where the error says; and once that is settled, the same command finishes.
func TestManagedRaces(t *testing.T) {
	l := newLifecycle(t)
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
	if hits.Load() < int64(*races/4) || stops.Load() == 0 {
		t.Error("too few races")
	}
}

func (l *lifecycle) race(t *testing.T, random *rand.Rand, hits, stops *atomic.Int64) {
	dir := l.copy(t)
	defer os.RemoveAll(dir)
	var consumers []*consumer
	for i, path := range []string{"a.txt", "bin/run", "old/gone.txt"} {
		consumers = append(consumers, &consumer{path: filepath.Join(dir, path), inPlace: random.IntN(2) == i%2})
	}
	// Each begins at a call of its own, and writes a few times while the update goes on.
	begin, writers := make([]int, len(consumers)), sync.WaitGroup{}
	calls := 110
	for i := range begin {
		begin[i] = 30 + random.IntN(calls)
	}
	versions := 1 + random.IntN(20)
	d := &faultDisk{diskKind: diskKind{dry: true}, before: func(n int, _, _ string) {
		for i, c := range consumers {
			if begin[i] != n {
				continue
			}
			ready := make(chan struct{})
			writers.Go(func() {
				for v := range versions {
					if c.write(v) != nil {
						break // the file is gone: so it was removed before
					}
					if v == 0 {
						close(ready)
					}
				}
				if c.last == "" {
					close(ready)
				}
			})
			if n%3 == 0 {
				<-ready // the first version is there before the call
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
