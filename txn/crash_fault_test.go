package txn

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

var errnos = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EROFS, syscall.EMFILE}

// faultTally counts what faults came to.
type faultTally struct {
	states, faults, unharmed, failures int
}

func (a faultTally) String() string {
	return fmt.Sprintf("from %d states, %d faults, in spite of which %d runs came to the right end; %d power failures after a fault", a.states, a.faults, a.unharmed, a.failures)
}

// faults runs the command from each state, and lets each call fail in turn with each errno: once, and from then on as long as the
// process lives. The run must say so with a code, or have reached the right end all the same; and the same command must reach it
// once the fault is gone, from what the run left and from what a power failure leaves of that.
func (p *proof) faults(t *testing.T, from []*memory, share float64) faultTally {
	var sum faultTally
	rng := rand.New(rand.NewPCG(8, 9))
	for _, start := range from {
		sum.states++
		var names []string
		count := &conductor{memory: start.clone(), before: func(_ int, c *call) { names = append(names, c.name()) }}
		_ = count.run(func(disk disk) error { return p.attempt(count.memory, disk) })
		for _, name := range names {
			for i, errno := range errnos {
				for _, forever := range []bool{false, true} {
					if errno == syscall.EACCES && strings.HasPrefix(name, "rmdir ") && !strings.HasPrefix(name, "rmdir "+lockv2.StateFolder) {
						continue // an empty folder that may not be removed stays, with a warning
					}
					if rng.Float64() < share || share > 0 && i == 0 && !forever && start == p.start {
						sum.faults++
						p.fault(t, &sum, start, name, errno, forever, rng)
					}
				}
			}
		}
	}
	return sum
}

func (p *proof) fault(t *testing.T, sum *faultTally, start *memory, name string, errno syscall.Errno, forever bool, rng *rand.Rand) {
	t.Helper()
	when := fmt.Sprintf("%s, %v at %q, forever %v", p.name, errno, name, forever)
	broken := false
	d := &conductor{memory: start.clone(), fault: func(_ int, c *call) error {
		if c.name() == name || broken && forever {
			broken = true
			return c.failure(errno)
		}
		return nil
	}}
	err := d.run(func(disk disk) error { return p.attempt(d.memory, disk) })
	if !broken {
		t.Fatalf("%s: there was no such call", when)
	}
	switch {
	case errors.Is(err, errFinished):
	case err == nil:
		sum.unharmed++
		p.wantEnd(t, d.memory, limits{sets: 64}, rng)
	case errors.Is(err, errStale):
	case !hasCode(err):
		t.Fatalf("%s: an error without a code: %v", when, err)
	}
	left, _ := d.losses(12, rng)
	for i := range left {
		sum.failures++
		p.comesToTheEnd(t, left[i], when+", after a power failure", rng)
	}
	p.comesToTheEnd(t, d.memory, when, rng)
}

// failure is the error of a call, of the type that disk promises.
func (c *call) failure(errno syscall.Errno) error {
	if slices.Contains([]string{"digest", "read", "attributes"}, c.op) {
		return &rootfs.Error{Destination: lockv2.Destination(c.path), At: c.path, Reason: rootfs.Unreadable}
	}
	return errno
}

// hasCode reports whether a user is told a code. Those that these tests make of rootfs have none.
func hasCode(err error) bool {
	var fault diag.Coded
	var look *rootfs.Error
	return errors.As(err, &look) || errors.As(err, &fault) && fault.Code() != ""
}

// comesToTheEnd runs the command on what a fault left.
func (p *proof) comesToTheEnd(t *testing.T, m *memory, when string, rng *rand.Rand) {
	t.Helper()
	key := sha256.Sum256([]byte(m.key()))
	if p.known[key] {
		return
	}
	from := short(m.tree())
	d := &conductor{memory: m}
	err := d.run(func(disk disk) error { return p.attempt(d.memory, disk) })
	switch {
	case errors.Is(err, errFinished):
		sameTree(t, short(withoutStaging(d.tree())), short(p.want), when)
	case err != nil:
		t.Fatalf("%s, the next run: %v\nfrom %q", when, err, from)
	default:
		sameTree(t, short(d.tree()), short(p.want), when+", the next run")
		left, _ := d.losses(32, rng)
		for _, m := range left {
			sameTree(t, short(m.tree()), short(p.want), when+", the next run, and a power failure after it")
		}
	}
	if p.known == nil {
		p.known = map[[sha256.Size]byte]bool{}
	}
	p.known[key] = true
}

func TestFaults(t *testing.T) {
	for _, p := range []*proof{
		initialProof("initial", traits{}),
		initialProof("initial, renames by link", traits{linkInstall: true, noUnnamed: true}),
		initialProof("initial by syncfs", traits{bulk: true}),
		updateCase().proof("update", traits{}),
		updateCase().proof("update by syncfs", traits{bulk: true}),
		updateCase().proof("update, renames by link", traits{linkInstall: true, noUnnamed: true, noExchange: true}),
	} {
		t.Run(p.name, func(t *testing.T) {
			states, share := 2, 0.05
			if *fullProof {
				states, share = 20, 1
			}
			bubble(t, func(t *testing.T) { t.Log(p.faults(t, p.someStates(t, states), share)) })
		})
	}
}
