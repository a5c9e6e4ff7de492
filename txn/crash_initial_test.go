package txn

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"testing"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Four destinations: one to be adopted, one executable, one deep in new folders, one beside the lock.
var firstFiles = map[string]content{
	".template-composition/about": {"managed\n", 0o644},
	"README":                      {"# app\n", 0o600},
	"bin/run":                     {"#!/bin/sh\n", 0o755},
	"docs/deep/x":                 {"x\n", 0o644},
}

// initialProof is a first composition of firstFiles into a target that holds a file of its own, and README as wanted.
func initialProof(name string, t traits) *proof {
	start := newMemory(t)
	start.put("own", "mine\n", 0o644)
	start.put("README", firstFiles["README"].text, firstFiles["README"].mode)
	return &proof{
		name: name, start: start, attempt: attemptInitial, noUnnamed: t.noUnnamed,
		want: wanted(with(firstFiles, map[string]content{"own": {"mine\n", 0o644}, lockv2.LockPath: {testLock, 0o644}})),
	}
}

// attemptInitial plans as planner.Initial does and carries the plan out.
func attemptInitial(m *memory, d disk) error {
	switch f, err := m.lookup(lockv2.LockPath); {
	case err == nil && f.now.text == testLock:
		return errFinished
	case err == nil:
		return errPlan
	}
	n := &installation{composer: composer{disk: d, opt: Options{Flush: m.way()}}, lock: []byte(testLock), above: func() error { return nil }}
	n.source = textSource(func(m *planner.Material) string { return firstFiles[string(m.Destination)].text })
	for _, destination := range slices.Sorted(maps.Keys(firstFiles)) {
		c := firstFiles[destination]
		material := &planner.Material{Destination: lockv2.Destination(destination), Digest: sha256.Sum256([]byte(c.text)), Size: int64(len(c.text)), Executable: c.mode&0o111 != 0}
		kind := planner.Create
		sum, err := m.digest(material.Destination)
		switch {
		case err == nil && sum.Digest == material.Digest:
			kind = planner.AdoptIdentical
		case err == nil || err.(*rootfs.Error).Reason != rootfs.Missing:
			return errPlan
		}
		n.actions = append(n.actions, planner.Action{Kind: kind, Material: material})
	}
	return n.run(context.Background())
}

func TestCrashInitial(t *testing.T) {
	byLink := initialProof("initial, renames by link", traits{linkInstall: true, noUnnamed: true, oneTorn: *fullProof})
	byLink.runs = 2000 // two changes for each rename are too many for all that may come of them
	for _, p := range []*proof{
		initialProof("initial", traits{oneTorn: *fullProof}),
		initialProof("initial, a rename is durable with both folders", traits{strict: true, oneTorn: *fullProof}),
		initialProof("initial by syncfs", traits{bulk: true, oneTorn: *fullProof}),
		initialProof("initial by syncfs, a rename is durable with both folders", traits{bulk: true, strict: true, oneTorn: *fullProof}),
		byLink,
	} {
		p.testCrash(t)
	}
}

// A file that a consumer made a moment ago, and that is adopted, is as durable in the end as what compose wrote.
func TestAdoptedIsDurable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := initialProof("initial over unflushed files", traits{})
		for _, path := range []string{"README", "docs/deep/x"} {
			if f, err := p.start.lookup(path); err == nil {
				f.flushed, f.dirty = false, true
				continue
			}
			p.start.folders("docs/deep")
			f, err := p.start.create(path, false)
			if err != nil {
				t.Fatal(err)
			}
			f.now = firstFiles[path]
		}
		d := &conductor{memory: p.start}
		if err := d.run(func(disk disk) error { return p.attempt(d.memory, disk) }); err != nil {
			t.Fatal(err)
		}
		p.wantEnd(t, d.memory, limits{sets: 4096}, nil)
	})
}
