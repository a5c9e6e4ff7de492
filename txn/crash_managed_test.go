package txn

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/validator"
)

// managed is an update between two small compositions.
type managed struct {
	old, new     *lockv2.Lock
	oldLock      []byte
	newLock      []byte
	before       map[string]content // what the old lock lists, as it stands in the target
	after        map[string]content // what the catalog supplies
	seeds        []string
	operation    planner.Operation
	ownFiles     map[string]content
	compositions *planner.Composition
}

// updateCase has a replacement beside the lock, one that makes a file executable, a removal that empties two folders, and a new file
// in two new folders; a seed and an unchanged file stay.
func updateCase() *managed {
	u := &managed{
		operation: planner.Update,
		seeds:     []string{"README"},
		before: map[string]content{
			".template-composition/about": {"managed 1\n", 0o644},
			"README":                      {"# mine by now\n", 0o644},
			"bin/keep":                    {"keep\n", 0o644},
			"bin/run":                     {"#!/bin/sh\n", 0o600},
			"old/deep/gone":               {"gone\n", 0o644},
		},
		after: map[string]content{
			".template-composition/about": {"managed 2\n", 0o644},
			"README":                      {"# app\n", 0o644},
			"bin/keep":                    {"keep\n", 0o644},
			"bin/run":                     {"#!/bin/bash\n", 0o755},
			"docs/deep/new":               {"new\n", 0o644},
		},
		ownFiles: map[string]content{"own": {"mine\n", 0o644}, "bin/own": {"mine\n", 0o644}},
	}
	u.build()
	return u
}

// smallCase has one action of each kind.
func smallCase() *managed {
	u := &managed{
		operation: planner.Upgrade,
		before:    map[string]content{"a/gone": {"gone\n", 0o644}, "b": {"one\n", 0o644}},
		after:     map[string]content{"b": {"two\n", 0o644}, "c/new": {"new\n", 0o644}},
		ownFiles:  map[string]content{"own": {"mine\n", 0o644}},
	}
	u.build()
	return u
}

func (u *managed) build() {
	lockOf := func(revision string, version int64, files map[string]content) *lockv2.Lock {
		l := &lockv2.Lock{
			Source:     lockv2.Source{Repository: "example/catalog", Revision: lockv2.Revision(strings.Repeat(revision, 40))},
			Intent:     lockv2.Intent{Recipe: "app", Parameters: strictjson.Obj()},
			Components: []lockv2.Component{{ID: "artifact.app", Version: version}},
		}
		for _, path := range slices.Sorted(maps.Keys(files)) {
			f := lockv2.File{Destination: lockv2.Destination(path), Component: "artifact.app", Ownership: lockv2.Managed, Digest: digestOf(files[path].text)}
			if slices.Contains(u.seeds, path) {
				f.Ownership, f.Digest = lockv2.Seed, digestOf("# app, as first supplied\n")
			}
			l.Files = append(l.Files, f)
		}
		return l
	}
	u.old, u.new = lockOf("1", 1, u.before), lockOf("2", 1, u.after)
	u.oldLock, u.newLock = encoded(u.old), encoded(u.new)
	u.compositions = &planner.Composition{Lock: *u.new}
	for path := range u.after {
		u.compositions.Materials = append(u.compositions.Materials, planner.Material{Destination: lockv2.Destination(path), Component: "artifact.app",
			Ownership: lockv2.Managed, Digest: digestOf(u.after[path].text), Size: int64(len(u.after[path].text)), Executable: u.after[path].mode&0o111 != 0})
	}
	slices.SortFunc(u.compositions.Materials, func(a, b planner.Material) int { return strings.Compare(string(a.Destination), string(b.Destination)) })
}

func digestOf(text string) fingerprint.Material { return sha256.Sum256([]byte(text)) }

func encoded(l *lockv2.Lock) []byte {
	b, err := lockv2.Encode(l)
	if err != nil {
		panic(err)
	}
	return b
}

// proof is that of u on a kind of disk.
func (u *managed) proof(name string, t traits) *proof {
	start := newMemory(t)
	want := map[string]content{lockv2.LockPath: {string(u.newLock), 0o600}}
	for path, c := range u.before {
		start.put(path, c.text, c.mode)
	}
	for path, c := range u.ownFiles {
		start.put(path, c.text, c.mode)
		want[path] = c
	}
	start.put(lockv2.LockPath, string(u.oldLock), 0o600)
	for path, c := range u.after {
		if was, there := u.before[path]; there {
			c.mode = attributes{mode: was.mode}.forMode(c.mode&0o111 != 0).mode
			if slices.Contains(u.seeds, path) {
				c = was
			}
		}
		want[path] = c
	}
	return &proof{name: name, start: start, attempt: u.attempt, want: wanted(want)}
}

// attempt is the command: it finishes what a marker says, or plans and begins anew.
func (u *managed) attempt(m *memory, d disk) error {
	ctx := context.Background()
	b, err := m.readFile(lockv2.MarkerPath, MaxMarker)
	if err == nil {
		marker, err := ParseMarker(b)
		if err != nil {
			return err
		}
		t, err := u.transaction(m, d, marker)
		if err != nil {
			return err
		}
		return t.recover(ctx, func(func(int) bool) error { return nil })
	}
	b, err = m.readFile(lockv2.LockPath, lockv2.MaxSize)
	switch {
	case err == nil && string(b) == string(u.newLock):
		clearStale(d)
		return errFinished
	case err != nil || string(b) != string(u.oldLock):
		return errPlan
	}
	actions, err := planner.Implied(u.old, u.new)
	if err != nil {
		return err
	}
	if !u.startsFrom(m) {
		return errPlan
	}
	t, err := u.transaction(m, d, &Marker{Operation: u.operation, Source: u.new.Source, OldLock: u.old, NewLock: u.new, Actions: actions,
		OldLockDigest: fingerprint.Of[fingerprint.LockFile](u.oldLock), NewLockDigest: fingerprint.Of[fingerprint.LockFile](u.newLock)})
	if err != nil {
		return err
	}
	return t.run(ctx)
}

func (u *managed) transaction(m *memory, d disk, marker *Marker) (*transaction, error) {
	t, err := newTransaction(d, marker, u.compositions, Options{Flush: m.way()}, func(context.Context) ([]validator.Fault, error) { return u.check(m), nil })
	if err != nil {
		return nil, err
	}
	t.source = textSource(func(m *planner.Material) string { return u.after[string(m.Destination)].text })
	return t, nil
}

// startsFrom is the plan: whether the target is as the old lock says, and has nothing where a new file belongs.
func (u *managed) startsFrom(m *memory) bool {
	for i := range u.old.Files {
		f := &u.old.Files[i]
		sum, err := m.digest(f.Destination)
		if err != nil || f.Ownership != lockv2.Seed && sum.Digest != f.Digest {
			return false
		}
	}
	for path := range u.after {
		if _, old := u.before[path]; !old {
			if _, err := m.lookup(path); err == nil {
				return false
			}
		}
	}
	return true
}

// check is the validator.
func (u *managed) check(m *memory) []validator.Fault {
	m.looks.Lock()
	defer m.looks.Unlock()
	var faults []validator.Fault
	for i := range u.new.Files {
		f := &u.new.Files[i]
		sum, err := m.digest(f.Destination)
		switch {
		case err != nil:
			faults = append(faults, validator.Fault{Destination: f.Destination, Code: "MATERIAL_MISSING", Message: "is not there"})
		case f.Ownership != lockv2.Seed && sum.Digest != f.Digest:
			faults = append(faults, validator.Fault{Destination: f.Destination, Code: "MATERIAL_MODIFIED", Message: "was changed"})
		}
	}
	return faults
}

func TestCrashManaged(t *testing.T) {
	byLink := traits{linkInstall: true, noUnnamed: true, noExchange: true}
	byLinkBulk := byLink
	byLinkBulk.bulk = true
	for _, p := range []*proof{
		smallCase().proof("upgrade", traits{}),
		smallCase().proof("upgrade, a rename is durable with both folders", traits{strict: true}),
		smallCase().proof("upgrade, renames by link", byLink),
		smallCase().proof("upgrade by syncfs", traits{bulk: true}),
		smallCase().proof("upgrade by syncfs, a rename is durable with both folders", traits{bulk: true, strict: true}),
		smallCase().proof("upgrade by syncfs, renames by link", byLinkBulk),
		updateCase().proof("update", traits{oneTorn: *fullProof}),
		updateCase().proof("update by syncfs", traits{bulk: true, oneTorn: *fullProof}),
	} {
		p.testCrash(t)
	}
}
