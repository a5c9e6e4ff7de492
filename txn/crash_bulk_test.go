package txn

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"example.org/compose/planner"
)

// bulkCase is an update of so many files that one flush of the whole file system takes the place of many.
func bulkCase() *managed {
	u := &managed{operation: planner.Update, before: map[string]content{}, after: map[string]content{}}
	for i := range bulkFrom {
		path := fmt.Sprintf("d%d/f%d", i%7, i)
		u.before[path], u.after[path] = content{"old\n" + path, 0o644}, content{"new\n" + path, 0o644}
		if i%8 == 0 {
			u.after[fmt.Sprintf("e%d/f%d", i%3, i)] = content{"another\n" + path, 0o644}
		}
	}
	u.build()
	return u
}

func TestCrashBulk(t *testing.T) {
	p := bulkCase().proof("update in bulk", traits{bulk: true})
	bubble(t, func(t *testing.T) {
		lim := limits{sets: 4, runs: 1, kills: 1}
		if *fullProof {
			lim = limits{sets: 64, runs: 40, kills: 1}
		}
		t.Log(p.crash(t, lim))
	})
}

// A flush of everything that fails loses everything that was not flushed: another one that succeeds proves nothing.
func TestBulkFlushFailsOnDisk(t *testing.T) {
	p := bulkCase().proof("update in bulk", traits{bulk: true})
	bubble(t, func(t *testing.T) {
		var sum faultTally
		rng := rand.New(rand.NewPCG(1, 2))
		for _, forever := range []bool{false, true} {
			p.fault(t, &sum, p.start, "syncall  0", syscall.EIO, forever, rng)
		}
		t.Log(sum)
	})
}

// How often the disk is asked for what: the flushes of an update are as many for any number of files, and each file that is replaced costs so many calls.
func TestCallsOfAnUpdate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		count := func(files int) map[string]int {
			u := &managed{operation: planner.Update, before: map[string]content{}, after: map[string]content{}}
			for i := range files {
				path := fmt.Sprintf("d%d/f%d", i%7, i)
				u.before[path], u.after[path] = content{"old\n" + path, 0o644}, content{"new\n" + path, 0o644}
			}
			u.build()
			p := u.proof("update in bulk", traits{bulk: true})
			calls := map[string]int{}
			d := &conductor{memory: p.start, before: func(_ int, c *call) { calls[c.op]++ }}
			if err := d.run(func(disk disk) error { return p.attempt(d.memory, disk) }); err != nil {
				t.Fatal(err)
			}
			return calls
		}
		one, many := count(100), count(1100)
		perFile := map[string]int{
			"create": 1, "take": 1, "write": 1, "close": 1, // staged
			"digest":     4, // before the marker; before and after the exchange; before its removal
			"attributes": 2, // of the old file when the new one is staged, and of that one before the exchange
			"exchange":   1,
			"unlink":     1,
		}
		for op := range many {
			if got := many[op] - one[op]; got != 1000*perFile[op] {
				t.Errorf("%s: %d calls for 1,000 files more, want %d", op, got, 1000*perFile[op])
			}
		}
		if flushes := many["syncall"] + many["syncfolder"] + many["fsync"] + many["sync"]; flushes != 6 {
			t.Errorf("%d flushes, want 6: %v", flushes, many)
		}
	})
}
