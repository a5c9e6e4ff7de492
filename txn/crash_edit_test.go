package txn

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/compose/lockv2"
)

// edit is one thing that a consumer does to a target, durably: what a later power failure takes of it is not compose's fault.
type edit struct {
	path, how string
}

const editText = "what a consumer wrote\n"

// The ways of an edit.
const (
	rewrite    = "rewrite"     // into the file that stands there
	renameOver = "rename over" // a new file in its place, or where nothing is
	remove     = "remove"
	asFolder   = "as folder" // a folder with a file in it
	asLink     = "as link"
	held       = "held open" // into the file that stood there when the run began, wherever it is by now
)

var allWays = []string{rewrite, renameOver, remove, asFolder, asLink, held}

// make does it; false where there is nothing to do it to.
func (e edit) make(m *memory, open *inode) bool {
	if e.how == held {
		if open == nil || len(m.where(open)) == 0 {
			return false
		}
		return m.overwrite(open)
	}
	there, err := m.lookup(e.path)
	if err == nil && there.kind == fs.ModeDir {
		return false
	}
	switch e.how {
	case rewrite:
		if there == nil || there.kind != 0 {
			return false
		}
		return m.overwrite(there)
	case remove:
		return there != nil && m.durably(m.unlink(e.path))
	}
	parent, _ := split(e.path)
	if !m.folders(parent) {
		return false
	}
	at, err := m.walk(e.path)
	if err != nil {
		return false
	}
	file := &inode{now: content{editText, 0o640}}
	file.keep()
	switch e.how {
	case asFolder:
		folder := newFolder()
		folder.entries["inside"], folder.stable["inside"] = file, file
		file = folder
	case asLink:
		file = &inode{kind: fs.ModeSymlink}
	}
	m.record(nil, write{at, file})
	return m.durably(nil)
}

// overwrite writes into a file, and flushes it and its names.
func (m *memory) overwrite(f *inode) bool {
	f.now.text = editText
	f.keep()
	for _, c := range slices.Clone(m.changes) {
		if slices.ContainsFunc(c.writes, func(w write) bool { return w.to == f }) {
			m.harden(c)
		}
	}
	return true
}

// folders makes the folders of a path.
func (m *memory) folders(path string) bool {
	if path == "" {
		return true
	}
	parent, _ := split(path)
	if !m.folders(parent) {
		return false
	}
	switch err := m.mkdir(path); {
	case err == nil:
		return m.durably(nil)
	case errors.Is(err, fs.ErrExist):
		_, err := m.folder(path)
		return err == nil
	}
	return false
}

// durably makes the last change durable, with all that it needs.
func (m *memory) durably(err error) bool {
	if err != nil {
		return false
	}
	if len(m.changes) > 0 {
		m.harden(m.changes[len(m.changes)-1])
	}
	return true
}

// harden makes a change durable, with all that it needs.
func (m *memory) harden(c *change) {
	var need func(*change)
	need = func(c *change) {
		c.flush()
		for _, other := range slices.Concat(c.inside, c.after) {
			need(other)
		}
	}
	need(c)
	m.settle()
}

// where returns the paths of a file.
func (m *memory) where(f *inode) (paths []string) {
	var walk func(prefix string, folder *inode)
	walk = func(prefix string, folder *inode) {
		for name, g := range folder.entries {
			if g == f {
				paths = append(paths, prefix+name)
			} else if g.kind == fs.ModeDir {
				walk(prefix+name+"/", g)
			}
		}
	}
	walk("", m.root)
	return paths
}

// editTally counts what edits came to.
type editTally struct {
	edits, finished, stopped, strayed, windows, failures int
}

func (a editTally) String() string {
	return fmt.Sprintf("%d edits: %d runs came to the right end with the edit in place, %d stopped before it; in %d of these the bytes were caught in staging, and the error said where; %d edits fell into a window that can't be closed; %d power failures after an edit",
		a.edits, a.finished, a.stopped, a.strayed, a.windows, a.failures)
}

// edits makes every edit at every call of a run from each of the states, lets the run end, and looks; then it runs the
// command again, and at last once more with the edit taken back, which must reach the right end. At some calls after
// the edit the power fails, and the command is run on what is left.
func (p *proof) edits(t *testing.T, from []*memory, paths []string, share float64) editTally {
	var sum editTally
	rng := rand.New(rand.NewPCG(3, 4))
	for _, start := range from {
		for _, path := range paths {
			for _, how := range allWays {
				for k, c := range p.calls(start) {
					// What is done to the place of the edit is no matter of chance.
					if k > 0 && rng.Float64() >= share && (c.reads || !strings.Contains(c.path, path)) {
						continue
					}
					trial := editTrial{proof: p, edit: edit{path, how}, k: k, rng: rng, sum: &sum}
					trial.run(t, start)
					if how == rewrite && !c.reads {
						trial := editTrial{proof: p, edit: edit{path, how}, k: k, rng: rng, sum: &sum, second: 1 + rng.IntN(6)}
						trial.run(t, start)
					}
				}
			}
		}
	}
	return sum
}

// calls returns the calls that a run from a state makes.
func (p *proof) calls(start *memory) (all []*call) {
	d := &conductor{memory: start.clone(), before: func(_ int, c *call) { all = append(all, c) }}
	_ = d.run(func(disk disk) error { return p.attempt(d.memory, disk) })
	return all
}

type editTrial struct {
	*proof
	edit
	k   int
	rng *rand.Rand
	sum *editTally

	second int      // so many calls after the edit another file replaces what is at the path then; 0: none does
	twice  bool     // it did, and the first edit was somewhere else by then
	before *content // what stood at the path before the edit
	lost   bool     // the edit fell into a window that can't be closed
}

func (e *editTrial) run(t *testing.T, start *memory) {
	d := &conductor{memory: start.clone()}
	var open *inode
	if f, err := d.lookup(e.path); err == nil && f.kind == 0 {
		open = f
	}
	made := false
	last := map[string]string{} // what was done last, by path
	var places []string         // where the edit was made
	type failure struct {
		*memory
		twice bool // the second edit was made before it
	}
	var failed []failure
	d.before = func(n int, c *call) {
		if n == e.k {
			places = []string{e.path}
			if e.how == held && open != nil {
				places = d.where(open)
			}
			e.before = nil
			if f, err := d.lookup(e.path); err == nil && f.kind == 0 {
				was := f.now
				e.before = &was
			}
			made = e.make(d.memory, open)
		}
		if made && e.second > 0 && n == e.k+e.second {
			e.replaceAgain(d.memory)
		}
		if made && slices.ContainsFunc(places, func(place string) bool { return gives(c, place) && last[place] == "digest" }) {
			e.lost = true
		}
		if made && !c.reads && e.rng.IntN(40) == 0 {
			left, _ := d.losses(6, e.rng)
			failed = append(failed, failure{left[e.rng.IntN(len(left))], e.twice})
		}
	}
	d.after = func(_ int, c *call, err error) {
		for path := range strings.SplitSeq(c.path, " ") {
			switch {
			case err != nil:
			case made && c.op == "digest":
				last[path] = "digest after the edit"
			default:
				last[path] = c.op
			}
		}
	}
	err := d.run(func(disk disk) error { return e.attempt(d.memory, disk) })
	if !made {
		return
	}
	e.sum.edits++
	e.follow(t, d.memory, err, "the run")
	for _, f := range failed {
		e.sum.failures++
		e.twice = f.twice
		d := &conductor{memory: f.memory}
		err := d.run(func(disk disk) error { return e.attempt(d.memory, disk) })
		e.follow(t, d.memory, err, "the run after a power failure")
	}
}

// secondText is what the second edit writes.
const secondText = "what a consumer wrote later\n"

// replaceAgain is the second edit: a new file takes the place of what is there, which may be the first one or not.
func (e *editTrial) replaceAgain(m *memory) {
	at, err := m.walk(e.path)
	if err != nil {
		return
	}
	if f := at.folder.entries[at.name]; f == nil || f.kind != 0 || f.now.text == editText {
		return
	}
	f := &inode{now: content{secondText, 0o640}}
	f.keep()
	m.record(nil, write{at, f})
	e.twice = m.durably(nil)
}

// gives reports whether a call takes the last name of what stands at the place, without an exchange. Between the last look at
// it and such a call another program may write to it.
func gives(c *call, place string) bool {
	return c.op == "unlink" && c.path == place && within(place, lockv2.StagingFolder) || c.op == "replace" && strings.HasSuffix(c.path, " "+place)
}

// follow looks at the end of a run that met the edit, runs the command again, takes the edit back, and runs it once more.
func (e *editTrial) follow(t *testing.T, m *memory, err error, what string) {
	t.Helper()
	e.look(t, m, err, what)
	if err == nil || e.lost {
		return
	}
	again := &conductor{memory: m}
	err = again.run(func(disk disk) error { return e.attempt(m, disk) })
	e.look(t, m, err, what+", and another")
	e.takeBack(m)
	last := &conductor{memory: m}
	err = last.run(func(disk disk) error { return e.attempt(m, disk) })
	if err != nil && !errors.Is(err, errFinished) {
		t.Fatalf("%s %s at call %d: after %s, with the edit taken back: %v\n%q", e.how, e.path, e.k, what, err, short(m.tree()))
	}
	sameTree(t, e.apart(m.tree()), e.apart(e.want), fmt.Sprintf("%s %s at call %d: after %s, with the edit taken back", e.how, e.path, e.k, what))
}

// look holds what is there against the promise: the edit is in place, or the error says where it is; and a run that says that it is
// done has done everything else.
func (e *editTrial) look(t *testing.T, m *memory, err error, what string) {
	t.Helper()
	tree := m.tree()
	when := fmt.Sprintf("%s %s at call %d: %s: %v", e.how, e.path, e.k, what, err)
	if e.how != remove && e.how != asLink {
		found := slices.DeleteFunc(slices.Sorted(maps.Keys(tree)), func(path string) bool { return !strings.HasSuffix(tree[path], editText) })
		inPlace := slices.Contains(found, e.path) || e.how == asFolder && slices.Contains(found, e.path+"/inside")
		switch {
		case len(found) == 0 && e.lost:
			e.sum.windows++
			return
		case len(found) == 0:
			t.Fatalf("%s: the bytes are lost: %q", when, short(tree))
		case !inPlace && (err == nil || !strings.Contains(err.Error(), found[0])):
			t.Fatalf("%s: the bytes are in %q, and nothing says so", when, found)
		case !inPlace:
			e.sum.strayed++
		}
	}
	if e.twice && !slices.ContainsFunc(slices.Collect(maps.Values(tree)), func(text string) bool { return strings.HasSuffix(text, secondText) }) {
		t.Fatalf("%s: what was written later is lost: %q", when, short(tree))
	}
	if e.how == asLink && tree[e.path] != "link" {
		if e.lost {
			e.sum.windows++
			return
		}
		t.Fatalf("%s: the link is gone: %q", when, short(tree))
	}
	if err == nil || errors.Is(err, errFinished) {
		e.sum.finished++
		sameTree(t, e.apart(tree), e.apart(e.want), when)
		return
	}
	e.sum.stopped++
	_, marked := tree[lockv2.MarkerPath]
	_, staging := tree[lockv2.StagingFolder]
	if errors.Is(err, errStale) && (marked || staging) {
		t.Fatalf("%s: nothing was to be written: %q", when, short(tree))
	}
	if !errors.Is(err, errPlan) && !errors.Is(err, errStale) && !hasCode(err) {
		t.Fatalf("%s: an error without a code", when)
	}
}

// apart returns a tree without the edit and the folders that it needs.
func (e *editTrial) apart(tree map[string]string) map[string]string {
	out := short(tree)
	maps.DeleteFunc(out, func(path, what string) bool {
		return path == e.path || within(path, e.path) || within(e.path, path) && what == "folder"
	})
	return out
}

// takeBack does what the errors ask for: bytes in staging are moved away, and what stood at the path is put back.
func (e *editTrial) takeBack(m *memory) {
	for path, text := range m.tree() {
		if (strings.HasSuffix(text, editText) || strings.HasSuffix(text, secondText)) && within(path, lockv2.StagingFolder) {
			m.durably(m.unlink(path))
		}
	}
	if f, err := m.lookup(e.path); err == nil && f.kind == fs.ModeDir {
		m.durably(m.unlink(e.path + "/inside"))
		m.durably(m.rmdir(e.path))
	} else if err == nil {
		m.durably(m.unlink(e.path))
	}
	parent, _ := split(e.path)
	if e.before != nil && m.folders(parent) {
		m.put(e.path, e.before.text, e.before.mode)
	}
}

// someStates returns states that crashes of p leave, the undisturbed start first.
func (p *proof) someStates(t *testing.T, n int) []*memory {
	lim := limits{sets: 12, runs: 6, kills: 2}
	var all []*memory
	keep := map[[sha256.Size]byte]bool{}
	p.keep = func(m *memory) {
		if key := sha256.Sum256([]byte(m.key())); !keep[key] {
			keep[key] = true
			all = append(all, m.clone())
		}
	}
	p.crash(t, lim)
	p.keep = nil
	rng := rand.New(rand.NewPCG(5, 6))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return append([]*memory{p.start}, all[:min(n, len(all))]...)
}

func TestEditInitial(t *testing.T) {
	p := initialProof("initial", traits{})
	paths := append(slices.Sorted(maps.Keys(firstFiles)), "own", "docs/own", lockv2.LockPath)
	p.testEdits(t, paths)
}

func TestEditManaged(t *testing.T) {
	u := updateCase()
	paths := append(slices.Sorted(maps.Keys(with(u.before, u.after))), "own", "old/deep/own", "docs/own", lockv2.LockPath)
	for _, p := range []*proof{
		u.proof("update", traits{}),
		u.proof("update, without exchange", traits{linkInstall: true, noUnnamed: true, noExchange: true}),
	} {
		t.Run(p.name, func(t *testing.T) { p.testEdits(t, paths) })
	}
}

func (p *proof) testEdits(t *testing.T, paths []string) {
	states, share := 2, 0.01
	if *fullProof {
		states, share = 6, 1
	}
	bubble(t, func(t *testing.T) { t.Log(p.edits(t, p.someStates(t, states), paths, share)) })
}
