package review

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"

	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Review is a plan and what it was made from. It is used while the source of the composition and the root are open.
type Review struct {
	root        *rootfs.Root
	composition *planner.Composition
	conflicts   []planner.Conflict
	initial     *planner.InitialPlan // one of these is nil
	managed     *planner.ManagedPlan
}

// OfInitial returns the review of a first composition in root, which is nil for an absent target.
func OfInitial(p *planner.InitialPlan, root *rootfs.Root) *Review {
	return &Review{root: root, composition: p.Composition, conflicts: p.Conflicts, initial: p}
}

// OfManaged returns the review of an update or upgrade of the target in root.
func OfManaged(p *planner.ManagedPlan, root *rootfs.Root) *Review {
	return &Review{root: root, composition: p.Composition, conflicts: p.Conflicts, managed: p}
}

// Files returns every file of the plan, by destination, those that are left alone too. They are compared on all cores, a few
// ahead of the one that is looked at, and none is kept.
//
// What can't be read in the target, or of the lock's revision, is said in the comparison. The error, which is the last pair, is ctx's or that of
// reading the bound revision.
func (r *Review) Files(ctx context.Context) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		run := r.start(ctx)
		defer run.stop()
		for file := range run.files {
			got := <-file
			if !yield(got.file, got.err) || got.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// run is one walk through the files of a review.
type run struct {
	*Review
	ctx    context.Context
	cancel context.CancelFunc
	files  chan chan compared // in order; each gets one
	locked func() (*planner.Locked, error)
	group  sync.WaitGroup
}

// compared is a file with its comparisons, or why there is none.
type compared struct {
	file *File
	err  error
}

func (r *Review) start(ctx context.Context) *run {
	w := &run{Review: r, files: make(chan chan compared, runtime.GOMAXPROCS(0))}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.locked = sync.OnceValues(func() (*planner.Locked, error) { return r.managed.Locked(w.ctx) })
	w.group.Go(func() {
		defer close(w.files)
		for _, p := range r.places() {
			file := make(chan compared, 1)
			select {
			case w.files <- file: // waits while as many as there are cores are on their way
			case <-w.ctx.Done():
				return
			}
			if !p.differs() {
				file <- compared{file: &p.File}
				continue
			}
			w.group.Go(func() {
				err := w.compare(&p)
				file <- compared{&p.File, err}
			})
		}
	})
	return w
}

// stop waits until nothing is read any more.
func (w *run) stop() {
	w.cancel()
	w.group.Wait()
}

// place is a file of the plan with what its comparisons need.
type place struct {
	File
	material *planner.Material // nil where nothing supplies it
	locked   *lockv2.File      // nil where the lock has no such file
	seen     string            // the digest that the planner found on disk, in hex; "" for none
}

// places returns the files of the plan, by destination.
func (r *Review) places() []place {
	var all []place
	if r.initial != nil {
		for _, a := range r.initial.Actions {
			all = append(all, place{material: a.Material,
				File: File{Destination: a.Material.Destination, Component: a.Material.Component, Ownership: a.Material.Ownership, Action: a.Kind}})
		}
	} else {
		for i := range r.managed.Files {
			f := &r.managed.Files[i]
			p := place{material: f.Material, File: File{Destination: f.Destination, Component: f.Component, Ownership: f.Ownership, Action: f.Kind}}
			if f.Kind == planner.Replace || f.Kind == planner.Remove {
				p.seen = f.Current.String()
			}
			all = append(all, p)
		}
	}
	for i := range r.conflicts {
		if c := &r.conflicts[i]; c.Destination != "" {
			all = append(all, r.conflicting(c))
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return strings.Compare(string(a.Destination), string(b.Destination)) })
	return all
}

func (r *Review) conflicting(c *planner.Conflict) place {
	p := place{material: r.material(c.Destination), locked: r.lockedFile(c.Destination), File: File{Destination: c.Destination, Component: c.Component, Conflict: c}}
	switch {
	case p.locked != nil:
		p.Ownership = p.locked.Ownership
	case p.material != nil:
		p.Ownership = p.material.Ownership
	}
	for _, d := range c.Details {
		if d.Name == "current_sha256" && d.Value.Kind == strictjson.String {
			p.seen = d.Value.Text
		}
	}
	return p
}

// material returns what is supplied at the destination; nil for nothing.
func (r *Review) material(d lockv2.Destination) *planner.Material {
	all := r.composition.Materials
	i, found := slices.BinarySearchFunc(all, d, func(m planner.Material, d lockv2.Destination) int {
		return strings.Compare(string(m.Destination), string(d))
	})
	if !found {
		return nil
	}
	return &all[i]
}

// lockedFile returns what the old lock records at the destination; nil for nothing.
func (r *Review) lockedFile(d lockv2.Destination) *lockv2.File {
	if r.managed == nil {
		return nil
	}
	all := r.managed.Old.Lock.Files
	i, found := slices.BinarySearchFunc(all, d, func(f lockv2.File, d lockv2.Destination) int {
		return strings.Compare(string(f.Destination), string(d))
	})
	if !found {
		return nil
	}
	return &all[i]
}

// differs reports whether there is something to compare.
func (p *place) differs() bool {
	if p.Conflict == nil {
		return p.Action == planner.Create || p.Action == planner.Replace || p.Action == planner.Remove
	}
	switch p.Conflict.Code {
	case planner.CodeLocalModification, planner.CodeOldStateInvalid:
		return p.locked != nil
	case planner.CodeDestinationConflict:
		return p.material != nil && (p.Conflict.Reason == planner.ReasonDifferentBytes || p.Conflict.Reason == planner.ReasonExists)
	}
	return p.material != nil
}
