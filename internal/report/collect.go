package report

import (
	"cmp"
	"context"
	"slices"

	"example.org/compose/internal/graph"
	"example.org/compose/internal/review"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Bounds of the differences that a report keeps. A browser opens a page of that many lines in a second; nobody reads more.
const (
	maxFileLines = 1_500
	maxLines     = 40_000
	maxText      = 6 << 20 // bytes of all lines
)

// Options are what a plan does not know of itself.
type Options struct {
	Place review.Place
	Graph *graph.Model                   // nil leaves it out
	Why   func(*planner.Conflict) string // says why a conflict is one; nil takes its message
	Next  string                         // the command that does what was planned or, with conflicts, plans again
}

// OfInitial reports a first composition in root, which is nil for an absent target. Errors are those of review.Review.Files.
func OfInitial(ctx context.Context, p *planner.InitialPlan, root *rootfs.Root, o Options) (*Report, error) {
	lock := &p.Composition.Lock
	r := &Report{Operation: "initial", Source: lock.Source, Recipe: lock.Intent.Recipe, Graph: o.Graph, Next: o.Next, Writes: len(p.Conflicts) == 0}
	for _, c := range lock.Components {
		r.Components = append(r.Components, Component{ID: c.ID, To: c.Version})
	}
	return r, r.read(ctx, review.OfInitial(p, root), p.Conflicts, nil, o)
}

// OfManaged reports an update or upgrade of the target in root. Errors are those of review.Review.Files.
func OfManaged(ctx context.Context, p *planner.ManagedPlan, root *rootfs.Root, o Options) (*Report, error) {
	old, lock := p.Old.Lock, &p.Lock
	r := &Report{
		Operation: string(p.Operation), Source: lock.Source, From: old.Source.Revision, Recipe: lock.Intent.Recipe, OldRecipe: old.Intent.Recipe,
		Steady: len(p.Components.Unchanged), Graph: o.Graph, Next: o.Next, Writes: len(p.Conflicts) == 0 && !p.Noop(),
	}
	for _, id := range p.Components.Added {
		r.Components = append(r.Components, Component{ID: id, To: versionOf(lock, id)})
	}
	for _, c := range p.Components.Changed {
		r.Components = append(r.Components, Component{ID: c.From.ID, From: c.From.Version, To: c.To.Version})
	}
	for _, id := range p.Components.Removed {
		r.Components = append(r.Components, Component{ID: id, From: versionOf(old, id)})
	}
	includes := make(map[lockv2.Destination]*planner.IncludeChanges)
	for i := range p.Files {
		if f := &p.Files[i]; f.Includes != nil {
			includes[f.Destination] = f.Includes
		}
	}
	return r, r.read(ctx, review.OfManaged(p, root), p.Conflicts, includes, o)
}

// versionOf is the version of a component of a lock.
func versionOf(l *lockv2.Lock, id lockv2.ComponentID) int64 {
	for _, c := range l.Components {
		if c.ID == id {
			return c.Version
		}
	}
	return 0
}

// read fills files and conflicts.
func (r *Report) read(ctx context.Context, from *review.Review, conflicts []planner.Conflict, includes map[lockv2.Destination]*planner.IncludeChanges, o Options) error {
	var files []*File
	inConflict := make(map[*planner.Conflict]*File)
	kept := keeper{text: maxText, lines: maxLines}
	for f, err := range from.Files(ctx) {
		if err != nil {
			return err
		}
		file := &File{Bucket: bucketOf(f), Destination: f.Destination, Component: f.Component, Ownership: f.Ownership, Includes: includes[f.Destination]}
		for _, c := range f.Comparisons {
			file.Comparisons = append(file.Comparisons, Comparison{Comparison: c})
		}
		kept.keep(file)
		if f.Conflict != nil {
			inConflict[f.Conflict] = file
		} else {
			files = append(files, file)
		}
	}
	r.Files = make([]File, len(files))
	for i, f := range files {
		r.Files[i] = *f
	}
	groups := make(map[[2]string]int)
	for i := range conflicts {
		c := &conflicts[i]
		file := cmp.Or(inConflict[c], &File{Bucket: Conflicting, Destination: c.Destination, Component: c.Component})
		file.Ways = from.Ways(c, o.Place)
		why := c.Message
		if o.Why != nil {
			why = o.Why(c)
		}
		at, there := groups[[2]string{c.Code, why}]
		if !there {
			at = len(r.Conflicts)
			groups[[2]string{c.Code, why}] = at
			r.Conflicts = append(r.Conflicts, Group{Code: c.Code, Why: why})
		}
		r.Conflicts[at].Files = append(r.Conflicts[at].Files, *file)
	}
	r.gather()
	return nil
}

// gather puts the groups of one conflict that have the same code into one group, where each says its own reason.
func (r *Report) gather() {
	single := make(map[string]int)
	for _, g := range r.Conflicts {
		if len(g.Files) == 1 {
			single[g.Code]++
		}
	}
	first := make(map[string]int)
	groups := r.Conflicts[:0]
	for _, g := range r.Conflicts {
		if len(g.Files) > 1 || single[g.Code] == 1 {
			groups = append(groups, g)
			continue
		}
		g.Files[0].Why, g.Why = g.Why, ""
		at, there := first[g.Code]
		if !there {
			first[g.Code] = len(groups)
			groups = append(groups, g)
			continue
		}
		groups[at].Files = append(groups[at].Files, g.Files...)
	}
	r.Conflicts = groups
}

func bucketOf(f *review.File) Bucket {
	if f.Conflict != nil {
		return Conflicting
	}
	if f.Action == planner.AdoptIdentical {
		return Adopt
	}
	return Bucket(f.Action)
}

// keeper drops the lines of what comes when there is too much, but new files first: a change is what a reviewer looks for.
type keeper struct {
	text, lines int     // room
	creates     []*File // that are kept
}

// keep takes a file's lines, as far as there is room for them.
func (k *keeper) keep(f *File) {
	for i := range f.Comparisons {
		f.Comparisons[i].cut(maxFileLines)
	}
	lines, text := f.kept()
	for f.Bucket != Create && (lines > k.lines || text > k.text) && len(k.creates) > 0 {
		last := k.creates[len(k.creates)-1]
		k.creates = k.creates[:len(k.creates)-1]
		l, t := last.kept()
		k.lines, k.text = k.lines+l, k.text+t
		last.drop()
	}
	if lines > k.lines || text > k.text {
		f.drop()
		return
	}
	k.lines, k.text = k.lines-lines, k.text-text
	if f.Bucket == Create {
		k.creates = append(k.creates, f)
	}
}

// kept counts the lines that are held, and their bytes.
func (f *File) kept() (lines, text int) {
	for i := range f.Comparisons {
		for _, h := range f.Comparisons[i].Hunks {
			lines += len(h.Lines)
			for j := range h.Lines {
				text += len(h.Lines[j].Text)
			}
		}
	}
	return lines, text
}

func (f *File) drop() {
	for i := range f.Comparisons {
		f.Comparisons[i].cut(0)
	}
}

// cut keeps at most so many lines of the hunks.
func (c *Comparison) cut(most int) {
	for i := range c.Hunks {
		h := &c.Hunks[i]
		if len(h.Lines) <= most {
			most -= len(h.Lines)
			continue
		}
		c.Left += len(h.Lines) - most
		if h.Lines = slices.Clip(h.Lines[:most]); most > 0 {
			h.Lines = slices.Clone(h.Lines) // lets go of the rest
			most = 0
			continue
		}
		for _, rest := range c.Hunks[i+1:] {
			c.Left += len(rest.Lines)
		}
		c.Hunks = slices.Clone(c.Hunks[:i])
		return
	}
}
