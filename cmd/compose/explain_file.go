package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/fingerprint"
	"example.org/compose/internal/history"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// explainedFile is what there is to say of one file.
type explainedFile struct {
	destination lockv2.Destination
	component   lockv2.ComponentID // that supplies it; of the lock where that alone is known
	ownership   lockv2.Ownership
	origin      *origin      // nil where it is not known
	lost        error        // why origin is nil, where that is not explanation.why
	locked      *lockv2.File // nil: not in the lock
	version     int64        // of the lock's component
	current     current
	planned     *plannedFile // nil without a plan
}

// origin is where a file comes from, at one revision.
type origin struct {
	revision      lockv2.Revision
	version       int64
	reason        resolver.Reason
	material      *catalog.Material
	includes      []string             // of a composed one: the files that it includes, at any depth, by path
	registrations []lockv2.ComponentID // of a generated one: the components that register something, by id
	change        *history.Change      // nil where it is not known, or where there never was anything
	unknown       error                // why change is not known
}

// plannedFile is what a plan does with a file.
type plannedFile struct {
	action    planner.ActionKind // "" for a conflict
	to        fingerprint.Material
	reason    string // of preserve
	includes  *planner.IncludeChanges
	conflict  *planner.Conflict
	component *planner.Conflict // of the file's component, which stops the plan too; nil for none
}

// current is what stands in the target.
type current struct {
	state string        // one of the states below, or the reason of fault
	fault *rootfs.Error // why there is no file that could be read; nil for none
	sum   rootfs.Sum
}

// What may stand at a destination, beside the reasons why there is no file.
const (
	asLocked    = "as-locked"
	modified    = "modified"
	lineEndings = "line-endings-only"
	present     = "present" // where the lock has nothing
)

// explainer looks at one file after the other.
type explainer struct {
	*explanation
	working func(format string, args ...any) // says what a long run is at
	root    *rootfs.Root
	work    *composeWork
	log     *history.Log
	buf     []byte

	now    *supplied // at the bound revision; nil where it is not known
	before *supplied // at the locked revision, once it was asked for
	gone   error     // why before is nil
	asked  bool

	planned map[lockv2.Destination]plannedFile // of the plan, once it was asked for
	stopped map[lockv2.ComponentID]*planner.Conflict
}

// supplied is what a choice supplies from a catalog.
type supplied struct {
	catalog *catalog.Catalog
	reasons *resolver.Explanation
	files   map[lockv2.Destination]supply
}

type supply struct {
	component *catalog.Component
	material  *catalog.Material
}

func supplies(c *catalog.Catalog, cfg resolver.Config) (*supplied, error) {
	reasons, err := resolver.Explain(c, cfg)
	if err != nil {
		return nil, err
	}
	all := &supplied{c, reasons, map[lockv2.Destination]supply{}}
	for _, id := range reasons.Components() {
		component := c.Component(id)
		for i := range component.Materials {
			m := &component.Materials[i]
			all.files[m.Destination] = supply{component, m}
		}
	}
	return all, nil
}

// ask asks the catalog what it supplies, and plans. What keeps an update from being planned is kept as what is not known; of a
// choice that was given it is an error.
func (x *explainer) ask(ctx context.Context, work *composeWork) error {
	x.work, x.bound = work, &lockv2.Source{Repository: work.repository, Revision: work.source.Revision()}
	cfg := work.config
	if x.old == nil || x.choice.Mode == modeUpgrade {
		x.recipe = cfg.Intent.Recipe
	} else {
		cfg = planner.UpdateConfig(x.old.Lock)
	}
	keep := func(err error) error {
		if ctx.Err() != nil || x.choice.chosen() || x.choice.mended(err) {
			return err
		}
		x.why = err
		return nil
	}
	var err error
	if x.now, err = supplies(work.catalog, cfg); err != nil {
		if err := keep(err); err != nil {
			return err
		}
	}
	if x.log, err = history.Open(work.source.Repository()); err != nil {
		return err
	}
	x.working("comparing with the target")
	if x.plan, err = x.made(ctx, work, x.root); err != nil {
		return keep(err)
	}
	return nil
}

// at finds out about one file.
func (x *explainer) at(ctx context.Context, d lockv2.Destination) error {
	f := explainedFile{destination: d}
	if x.old != nil {
		i, found := slices.BinarySearchFunc(x.old.Lock.Files, d, func(f lockv2.File, d lockv2.Destination) int {
			return strings.Compare(string(f.Destination), string(d))
		})
		if found {
			f.locked = &x.old.Lock.Files[i]
			f.component, f.ownership, f.version = f.locked.Component, f.locked.Ownership, versionOf(x.old.Lock, f.locked.Component)
		}
	}
	from, found := x.now.at(d)
	if !found && f.locked == nil {
		return x.stranger(ctx, d)
	}
	of := x.now
	if !found && x.work != nil {
		if of, f.lost = x.earlier(ctx); of != nil {
			from, found = of.at(d)
		}
	}
	if found {
		f.component, f.ownership = from.component.ID, from.material.Ownership
		var err error
		if f.origin, err = x.origin(ctx, of, from); err != nil {
			if ctx.Err() != nil || x.choice.chosen() || x.choice.mended(err) {
				return err
			}
			f.lost = err
		}
	}
	if err := x.look(ctx, &f); err != nil {
		return err
	}
	f.planned = x.does(d, f.component)
	x.files = append(x.files, f)
	return nil
}

// at returns who supplies a destination; nobody where s is nil.
func (s *supplied) at(d lockv2.Destination) (supply, bool) {
	if s == nil {
		return supply{}, false
	}
	from, found := s.files[d]
	return from, found
}

// earlier returns what the catalog supplied at the locked revision.
func (x *explainer) earlier(ctx context.Context) (*supplied, error) {
	if x.asked {
		return x.before, x.gone
	}
	x.asked = true
	x.before, x.gone = func() (*supplied, error) {
		if err := x.work.catalog.CheckSuccessor(ctx, x.bound.Repository, x.old.Lock.Source); err != nil {
			return nil, err
		}
		earlier, err := x.work.catalog.Earlier(ctx, x.old.Lock.Source.Revision)
		if err != nil {
			return nil, err
		}
		before, err := earlier.Load(ctx)
		if err != nil {
			return nil, err
		}
		return supplies(before, planner.UpdateConfig(x.old.Lock))
	}()
	return x.before, x.gone
}

// origin tells where a file comes from.
func (x *explainer) origin(ctx context.Context, of *supplied, from supply) (*origin, error) {
	o := &origin{revision: of.catalog.Revision(), version: from.component.Version, material: from.material}
	o.reason, _ = of.reasons.Of(from.component.ID)
	files := []history.File{{Path: from.material.Path()}}
	switch {
	case from.material.Generator != "":
		files = nil
		for _, id := range of.reasons.Components() {
			component := of.catalog.Component(id)
			files = append(files, history.File{Path: component.Path(), Part: history.Registrations})
			if len(component.Registrations) > 0 {
				o.registrations = append(o.registrations, id)
			}
		}
	case from.material.Compose != "":
		included, err := of.catalog.Included(ctx, from.material)
		if err != nil {
			return nil, err
		}
		for _, f := range included {
			o.includes = append(o.includes, f.Path)
			files = append(files, history.File{Path: f.Path})
		}
	}
	x.working("looking at the history of %s", from.material.Destination)
	if o.change, o.unknown = x.log.Last(ctx, o.revision, files); o.unknown != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return o, nil
}

// look finds out what stands in the target.
func (x *explainer) look(ctx context.Context, f *explainedFile) error {
	if x.buf == nil {
		x.buf = make([]byte, 256<<10)
	}
	sum, err := x.root.DigestLF(ctx, f.destination, x.buf)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var fault *rootfs.Error
	switch {
	case errors.As(err, &fault):
		f.current.state, f.current.fault = string(fault.Reason), fault
		if fault.Reason == rootfs.Changed {
			f.current.state = string(rootfs.Unreadable)
		}
		return nil
	case err != nil:
		return err
	case f.locked == nil:
		f.current.state = present
	case sum.Digest == f.locked.Digest:
		f.current.state = asLocked
	case sum.LF == f.locked.Digest && f.ownership != lockv2.Seed:
		f.current.state = lineEndings
	default:
		f.current.state = modified
	}
	f.current.sum = sum
	return nil
}

// index finds what the plan does with each file and each component, once.
func (x *explainer) index() {
	x.planned = make(map[lockv2.Destination]plannedFile)
	x.stopped = make(map[lockv2.ComponentID]*planner.Conflict)
	switch made := x.plan.(type) {
	case initialPlan:
		for _, a := range made.Actions {
			x.planned[a.Material.Destination] = plannedFile{action: a.Kind, to: a.Material.Digest}
		}
	case managedPlan:
		for i := range made.Files {
			f := &made.Files[i]
			x.planned[f.Destination] = plannedFile{action: f.Kind, to: f.To, reason: f.Reason, includes: f.Includes}
		}
	}
	conflicts := x.plan.conflicts()
	for i := range conflicts {
		if c := &conflicts[i]; c.Destination != "" {
			x.planned[c.Destination] = plannedFile{conflict: c}
		} else {
			x.stopped[c.Component] = c
		}
	}
}

// does returns what the plan does with a file of a component; nil without a plan.
func (x *explainer) does(d lockv2.Destination, component lockv2.ComponentID) *plannedFile {
	if x.plan == nil {
		return nil
	}
	if x.planned == nil {
		x.index()
	}
	p := x.planned[d]
	p.component = x.stopped[component]
	return &p
}
