package txn

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"example.org/compose/lockv2"
)

// The proof of docs/reliability.md. By default a sample that takes seconds; with -crash.full everything.
var fullProof = flag.Bool("crash.full", false, "enumerate all crashes instead of a sample")

// proof is one kind of run, proven by trying every crash that the model of a disk knows.
type proof struct {
	name    string
	start   *memory
	attempt func(m *memory, d disk) error // plans and carries out the same command, however often it was begun before
	want    map[string]string             // the one right end

	runs      int                        // of the full proof, at most; 0: all
	noUnnamed bool                       // a first composition that was killed may leave staging beside its lock
	keep      func(*memory)              // receives each state that a crash left; may be nil
	known     map[[sha256.Size]byte]bool // states from which the end was reached
}

// tally counts what a proof went through.
type tally struct {
	runs     int // each from another state of the disk
	stops    int // calls at which a run was stopped
	places   int // different states, of disk and cache, that it was in there
	losses   int // power failures there, each with another set of unflushed effects that survive
	complete int // places where these were all sets
	states   int // different ones that came of it
}

func (a tally) String() string {
	return fmt.Sprintf("%d runs, stopped at %d calls in %d different states of disk and cache; %d power failures (all that may be at %d of these); %d different states left",
		a.runs, a.stops, a.places, a.losses, a.complete, a.states)
}

// limits says how far a proof goes.
type limits struct {
	sets  int // of effects at each stop, at most
	runs  int // at most; 0: until nothing new comes up
	kills int // in a row, without a power failure between them
}

// crash runs the command, stops it before every call and after the last, by a kill and by every power failure,
// runs the same command on what is left, stops that too, and so on until nothing new comes up. Each run
// that comes to its end must have reached the right one, durably.
func (p *proof) crash(t *testing.T, lim limits) tally {
	var sum tally
	rng := rand.New(rand.NewPCG(1, 2))
	type key = [sha256.Size]byte
	type node struct {
		*memory
		kills int
	}
	seen, stopped := map[key]int{}, map[key]int{} // after so few kills
	first := func(visits map[key]int, m *memory, kills int) bool {
		k := sha256.Sum256([]byte(m.key()))
		if before, visited := visits[k]; visited && before <= kills {
			return false
		}
		visits[k] = kills
		return true
	}
	var queue []node
	add := func(m *memory, kills int) {
		if kills > lim.kills || !first(seen, m, kills) {
			return
		}
		n := node{m.clone(), kills}
		if lim.runs > 0 && len(queue) >= 4*lim.runs {
			queue[rng.IntN(len(queue))] = n // most would never be taken, and they fill the memory
		} else {
			queue = append(queue, n)
		}
		if p.keep != nil {
			p.keep(m)
		}
	}
	add(p.start, 0)
	for len(queue) > 0 && (lim.runs == 0 || sum.runs < lim.runs) {
		i := len(queue) - 1
		if lim.runs > 0 {
			i = rng.IntN(len(queue)) // a sample of all depths
		}
		from := queue[i]
		queue[i] = queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if sum.runs++; sum.runs%10000 == 0 {
			t.Logf("so far: %v; %d to go", sum, len(queue))
		}

		d := &conductor{memory: from.clone()}
		stop := func() {
			sum.stops++
			if !first(stopped, d.memory, from.kills) {
				return
			}
			sum.places++
			left, all := d.losses(lim.sets, rng)
			sum.losses += len(left)
			if all {
				sum.complete++
			}
			for _, m := range left {
				add(m, 0)
			}
			add(d.memory, from.kills+1)
		}
		changed := true
		d.before = func(int, *call) {
			if changed {
				stop()
			}
		}
		d.after = func(_ int, c *call, _ error) { changed = !c.reads }
		err := d.run(func(disk disk) error { return p.attempt(d.memory, disk) })
		if errors.Is(err, errFinished) {
			left := from.tree()
			if p.noUnnamed {
				withoutStaging(left)
			}
			sameTree(t, short(left), short(p.want), p.name+": the end of a run that was killed after its last change")
			continue
		}
		if err != nil {
			t.Fatalf("%s: run %d: %v\nfrom\n%v\ncame to\n%v", p.name, sum.runs, err, short(from.tree()), short(d.tree()))
		}
		stop()
		p.wantEnd(t, d.memory, lim, rng)
	}
	sum.states = len(seen)
	return sum
}

// testCrash is a test of p: a sample, or everything.
func (p *proof) testCrash(t *testing.T) {
	t.Run(p.name, func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			lim := limits{sets: 32, runs: 15, kills: 2}
			if *fullProof {
				lim = limits{sets: 4096, runs: p.runs, kills: 1}
			}
			t.Log(p.crash(t, lim))
		})
	})
}

// wantEnd holds what a run that succeeded left against the right end, and whether all of it is durable.
func (p *proof) wantEnd(t *testing.T, m *memory, lim limits, rng *rand.Rand) {
	t.Helper()
	sameTree(t, short(m.tree()), short(p.want), p.name+": the end")
	left, _ := m.losses(lim.sets, rng)
	for _, m := range left {
		sameTree(t, short(m.tree()), short(p.want), p.name+": the end, after a power failure")
	}
}

// bubble calls work where goroutines can be waited for.
func bubble(t *testing.T, work func(t *testing.T)) { synctest.Test(t, work) }

// errFinished says that the command found its work done, and refused to do it again.
var errFinished = errors.New("it is done")

var errPlan = errors.New("the plan is in conflict")

// short has digests in the place of long files.
func short(tree map[string]string) map[string]string {
	out := maps.Clone(tree)
	for path, text := range out {
		if len(text) > 60 {
			out[path] = fmt.Sprintf("%s... %x", text[:10], sha256.Sum256([]byte(text)))[:30]
		}
	}
	return out
}

// withoutStaging is for systems that have no files without a name: what a first composition staged its lock in may
// be left by a run that was killed, for the next command to clear.
func withoutStaging(tree map[string]string) map[string]string {
	maps.DeleteFunc(tree, func(path, _ string) bool {
		return path == lockv2.StagingFolder || strings.HasPrefix(path, lockv2.StagingFolder+"/")
	})
	return tree
}

// wanted returns a tree as memory.tree does.
func wanted(files map[string]content) map[string]string {
	out := map[string]string{}
	for path, c := range files {
		out[path] = fmt.Sprintf("%v %s", c.mode, c.text)
		for folder, _ := split(path); folder != ""; folder, _ = split(folder) {
			out[folder] = "folder"
		}
	}
	return out
}

// with returns a copy of a map with more in it.
func with[V any](m map[string]V, more map[string]V) map[string]V {
	out := maps.Clone(m)
	maps.Copy(out, more)
	return out
}
