package txn

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// lazyDisk leaves out one flush of folders or of everything.
type lazyDisk struct {
	disk
	skip, flushes int
}

func (d *lazyDisk) flush(do func() error) error {
	if d.flushes++; d.flushes == d.skip {
		return nil
	}
	return do()
}

func (d *lazyDisk) SyncAll() error { return d.flush(d.disk.SyncAll) }
func (d *lazyDisk) SyncFolder(path string) error {
	return d.flush(func() error { return d.disk.SyncFolder(path) })
}

// None of the flushes of docs/transaction.md can be left out, but for the one that it names: without it there is a power failure from which the
// command does not reach the right end, or that takes something of what was done.
func TestEachFlushIsNeeded(t *testing.T) {
	for _, tt := range []struct {
		*proof
		flushes int
		spare   int // the one that can be left out; 0 for none
	}{
		{smallCase().proof("upgrade by syncfs", traits{bulk: true}), 6, 4},
		{smallCase().proof("upgrade by syncfs, a rename is durable with both folders", traits{bulk: true, strict: true}), 6, 4},
		{initialProof("initial by syncfs", traits{bulk: true}), 3, 0},
	} {
		for skip := range tt.flushes + 1 {
			t.Run(fmt.Sprintf("%s without %d", tt.name, skip), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					lazy := &lazyDisk{skip: skip}
					if lost := tt.lost(t, lazy); (lost == "") != (skip == 0 || skip == tt.spare) {
						t.Errorf("what is lost: %q", lost)
					}
					if lazy.flushes != tt.flushes {
						t.Errorf("%d flushes, want %d", lazy.flushes, tt.flushes)
					}
				})
			})
		}
	}
}

// lost runs the command on such a disk, and says what goes wrong after a power failure somewhere on the way, or after it; "" for nothing.
func (p *proof) lost(t *testing.T, lazy *lazyDisk) string {
	rng := rand.New(rand.NewPCG(3, 4))
	var on []*memory
	d := &conductor{memory: p.start.clone()}
	d.before = func(int, *call) {
		left, _ := d.losses(256, rng)
		on = append(on, left...)
	}
	err := d.run(func(disk disk) error {
		lazy.disk = disk
		return p.attempt(d.memory, lazy)
	})
	if err != nil {
		t.Fatal(err)
	}
	after, _ := d.losses(256, rng)
	for _, m := range after {
		if !maps.Equal(m.tree(), p.want) {
			return fmt.Sprintf("after the end: %q", short(m.tree()))
		}
	}
	seen := map[string]bool{}
	for _, m := range on {
		if seen[m.key()] {
			continue
		}
		seen[m.key()] = true
		from := m.tree()
		next := &conductor{memory: m}
		err := next.run(func(disk disk) error { return p.attempt(m, disk) })
		switch {
		case errors.Is(err, errFinished) && maps.Equal(from, p.want):
		case err == nil && maps.Equal(m.tree(), p.want):
		default:
			return fmt.Sprintf("%v, from %q", err, short(from))
		}
	}
	return ""
}
