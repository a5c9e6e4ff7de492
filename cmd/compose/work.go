package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// openTarget opens a target: nil when it is absent.
func openTarget(target string) (*rootfs.Root, error) {
	state, err := rootfs.Probe(target)
	if state == rootfs.Absent {
		return nil, nil
	}
	var root *rootfs.Root
	if state == rootfs.Folder {
		root, err = rootfs.Open(target)
	}
	if err != nil {
		return nil, &commandError{diag.Wrap(codeInvalidTarget, "", "the target is no folder to compose in", err)}
	}
	return root, nil
}

// composeWork is a choice and the catalog to resolve it in.
type composeWork struct {
	operation  planner.Operation // of an update or upgrade
	config     resolver.Config   // not of an update: that takes it from the lock
	repository string
	source     *catalog.Source
	catalog    *catalog.Catalog
	made       *planner.Composition // of a first composition, once it is computed
}

// open reads the configuration and loads the catalog, in the order in which faults are reported. Where no
// configuration is given, the choice is that of the saved plan, if there is one.
func (c *choiceFlags) open(ctx context.Context, saved *planner.SavedPlan) (*composeWork, error) {
	var config resolver.Config
	if c.Mode != modeUpdate {
		var err error
		if config, err = c.configuration(ctx, saved); err != nil {
			return nil, err
		}
	}
	work, err := c.openSource(ctx)
	if err != nil {
		return nil, err
	}
	work.operation, work.config = planner.Operation(c.Mode), config
	if err := work.load(ctx, c.Repository); err != nil {
		work.Close()
		return nil, err
	}
	return work, nil
}

// openSource opens the source alone.
func (c *sourceFlags) openSource(ctx context.Context) (*composeWork, error) {
	source, err := catalog.OpenWith(ctx, c.Source, c.Revision, gitrepo.OptionsOf(os.Getenv))
	if err != nil {
		return nil, err
	}
	return &composeWork{source: source}, nil
}

// load loads the catalog and finds the source's identity.
func (w *composeWork) load(ctx context.Context, given string) error {
	loaded, err := catalog.Load(ctx, w.source)
	if err != nil {
		return err
	}
	w.catalog = loaded
	w.repository, err = loaded.Identity(given)
	return err
}

// Close releases the source.
func (w *composeWork) Close() error { return w.source.Close() }

// checkLocked refuses a source that is not the one a target was composed from.
func (w *composeWork) checkLocked(repository string) error {
	if w.repository == repository {
		return nil
	}
	return &commandError{diag.New(codeIdentityMismatch, "", fmt.Sprintf(
		"the target was composed from %q, and the source is %q; name the right source with --source", repository, w.repository))}
}

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

// reconcile plans an update or upgrade of the target in root.
func (w *composeWork) reconcile(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error) {
	old, err := planner.ReadManaged(root)
	if err != nil {
		return nil, err
	}
	if err := w.checkLocked(old.Lock.Source.Repository); err != nil {
		return nil, err
	}
	if err := w.source.CheckDescends(ctx, old.Lock.Source.Revision); err != nil {
		return nil, err
	}
	config := w.config
	if w.operation == planner.Update {
		config = planner.UpdateConfig(old.Lock)
	}
	made, err := planner.Materialize(ctx, w.catalog, w.repository, config)
	if err != nil {
		return nil, err
	}
	return planner.Reconcile(ctx, w.operation, old, made, root)
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

// readFile reads a file that the user named, and stops one byte past limit. It may be a FIFO, so the end of ctx ends the
// wait too; the goroutine that waits on is left to the end of the process.
func readFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	type result struct {
		b   []byte
		err error
	}
	read := make(chan result, 1)
	go func() {
		f, err := os.Open(name)
		if err != nil {
			read <- result{err: readError(name, err)}
			return
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err != nil {
			err = readError(name, err)
		}
		read <- result{b, err}
	}()
	select {
	case got := <-read:
		return got.b, got.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// readError says that a file which the user named can't be read.
func readError(name string, err error) error {
	return &commandError{diag.Wrap(codeReadFailed, name, "the file can't be read", pathCause(err))}
}

// pathCause is the cause of err without the names that os adds: the message says them already.
func pathCause(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// waitFlag is a duration that is not negative.
type waitFlag struct{ time.Duration }

// UnmarshalText reads a duration such as 30s.
func (w *waitFlag) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no duration such as 30s or 2m", text)
	}
	w.Duration = d
	return nil
}

// progress returns a function that tells people how far a long run is, now and then; nil where nobody looks.
func (s *session) progress() func(done, total int) {
	if !isTerminal(s.stderr) {
		return nil
	}
	last := time.Now()
	return func(done, total int) {
		if now := time.Now(); now.Sub(last) >= 2*time.Second {
			last = now
			fmt.Fprintf(s.stderr, "compose: %d of %d files\n", done, total)
		}
	}
}
