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
