package main

import (
	"context"
	"os"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/policy"
	"example.org/compose/resolver"
)

// composeWork is a choice and the catalog to resolve it in.
type composeWork struct {
	operation  planner.Operation // of an update or upgrade
	config     resolver.Config   // not of an update: that takes it from the lock
	repository string
	source     *catalog.Source
	catalog    *catalog.Catalog
	policy     *policy.Policy
	made       *planner.Composition // of a first composition, once it is computed
}

// open reads the configuration and loads the catalog, in the order in which faults are reported. Where no
// configuration is given, the choice is that of the saved plan, if there is one.
func (c *choiceFlags) open(s *session, saved *planner.SavedPlan) (*composeWork, error) {
	var config resolver.Config
	if c.Mode != modeUpdate {
		var err error
		if config, err = c.configuration(s.ctx, saved); err != nil {
			return nil, err
		}
	}
	if err := c.checkCachePlace(); err != nil {
		return nil, err
	}
	work, err := c.openSource(s)
	if err != nil {
		return nil, err
	}
	work.operation, work.config = planner.Operation(c.Mode), config
	if err := work.load(s.ctx, c.Repository); err != nil {
		work.Close()
		return nil, err
	}
	return work, nil
}

// openSource opens the source alone, if it is one that policy and flags allow.
func (c *sourceFlags) openSource(s *session) (*composeWork, error) {
	if err := c.checkLocation(); err != nil {
		return nil, err
	}
	s.working("reading the catalog")
	cache, err := c.cacheOptions(s)
	if err != nil {
		return nil, err
	}
	cache.Allow = c.allows
	source, err := catalog.OpenWith(s.ctx, c.Source, c.Revision, catalog.Options{Git: gitrepo.OptionsOf(os.Getenv), Cache: cache})
	if err != nil {
		return nil, err
	}
	for _, note := range source.Notes() {
		s.warn(catalog.Shown(c.Source) + ": " + note)
	}
	c.opened = source
	if err := c.checkSigned(s.ctx, source, c.policy); err != nil {
		source.Close()
		return nil, err
	}
	return &composeWork{source: source, policy: c.policy}, nil
}

// load loads the catalog and finds the source's identity.
func (w *composeWork) load(ctx context.Context, given string) error {
	loaded, err := catalog.Load(ctx, w.source)
	if err != nil {
		return err
	}
	w.catalog = loaded
	if w.repository, err = loaded.Identity(given); err != nil {
		return err
	}
	return w.policy.CheckRepository(w.repository)
}

// Close releases the source.
func (w *composeWork) Close() error { return w.source.Close() }

// initial plans a first composition in root; what does not depend on the target is computed once.
func (w *composeWork) initial(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
	if w.made == nil {
		made, err := planner.Materialize(ctx, w.catalog, w.repository, w.config)
		if err != nil {
			return nil, err
		}
		w.made = made
	}
	return planner.Initial(ctx, w.made, root)
}

// reconcile plans an update or upgrade of the target in root. seen is what a look that began earlier finds there; nil for none.
func (w *composeWork) reconcile(ctx context.Context, root *rootfs.Root, seen *planner.Snapshot) (*planner.ManagedPlan, error) {
	if seen == nil {
		old, err := planner.ReadManaged(root)
		if err != nil {
			return nil, err
		}
		seen = planner.Observe(ctx, root, old)
		defer seen.Close()
	}
	old := seen.Managed.Lock
	if err := w.catalog.CheckSuccessor(ctx, w.repository, old.Source); err != nil {
		return nil, err
	}
	config := w.config
	if w.operation == planner.Update {
		config = planner.UpdateConfig(old)
	}
	made, err := seen.Materialize(ctx, w.catalog, w.repository, config)
	if err != nil {
		return nil, err
	}
	return seen.Reconcile(ctx, w.operation, made)
}

// configuration reads the consumer's choice.
func (c *choiceFlags) configuration(ctx context.Context, saved *planner.SavedPlan) (resolver.Config, error) {
	switch {
	case c.Recipe != "":
		return resolver.FromSelection(c.Recipe, c.Include, c.Exclude)
	case c.Config != "":
		b, err := readFile(ctx, c.Config, resolver.MaxConfig)
		if err != nil {
			return resolver.Config{}, err
		}
		return resolver.ParseConfig(c.Config, b)
	case saved != nil:
		return saved.Config()
	}
	return resolver.Config{}, &commandError{diag.New(codeConfigRequired, "",
		"a first composition needs a choice: --config FILE, or --recipe ID for a recipe as it is")}
}
