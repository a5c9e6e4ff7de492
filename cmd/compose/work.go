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
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// openUnmanaged opens a target for a first composition: nil when it is absent.
func openUnmanaged(target string) (*rootfs.Root, error) {
	root, err := openTarget(target)
	if err != nil {
		return nil, err
	}
	if err := planner.CheckUnmanaged(root); err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

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
	config     resolver.Config
	repository string
	source     *catalog.Source
	catalog    *catalog.Catalog
	made       *planner.Composition // once it is computed
}

// open reads the configuration and loads the catalog, in the order in which faults are reported.
func (c *choiceFlags) open(ctx context.Context) (*composeWork, error) {
	config, err := c.configuration()
	if err != nil {
		return nil, err
	}
	source, err := catalog.Open(ctx, c.Source, c.Revision)
	if err != nil {
		return nil, err
	}
	work := &composeWork{config: config, source: source}
	if work.catalog, err = catalog.Load(ctx, source); err == nil {
		work.repository, err = work.catalog.Identity(c.Repository)
	}
	if err != nil {
		source.Close()
		return nil, err
	}
	return work, nil
}

// Close releases the source.
func (w *composeWork) Close() error { return w.source.Close() }

// plan plans a first composition in root; what does not depend on the target is computed once.
func (w *composeWork) plan(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
	if w.made == nil {
		made, err := planner.Materialize(ctx, w.catalog, w.repository, w.config)
		if err != nil {
			return nil, err
		}
		w.made = made
	}
	return planner.Initial(ctx, w.made, root)
}

// configuration reads the consumer's choice.
func (c *choiceFlags) configuration() (resolver.Config, error) {
	switch {
	case c.Recipe != "":
		return resolver.FromSelection(c.Recipe, c.Include, c.Exclude)
	case c.Config != "":
		b, err := readConfiguration(c.Config)
		if err != nil {
			return resolver.Config{}, err
		}
		return resolver.ParseConfig(c.Config, b)
	}
	return resolver.Config{}, &commandError{diag.New(codeConfigRequired, "",
		"a first composition needs a choice: --config FILE or --recipe ID").WithHint("compose plan --recipe skill")}
}

// readConfiguration reads a configuration file whole, up to its bound.
func readConfiguration(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, readError(name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, catalog.MaxFile+1))
	if err != nil {
		return nil, readError(name, err)
	}
	if len(b) > catalog.MaxFile {
		return nil, &commandError{diag.New(codeInvalidConfig, name, fmt.Sprintf("the configuration has more than %d bytes", catalog.MaxFile))}
	}
	return b, nil
}

// readError says that a file which the user named can't be read.
func readError(name string, err error) error {
	cause := err
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		cause = path.Err // the name is said already
	}
	return &commandError{diag.Wrap(codeReadFailed, name, "the file can't be read", cause)}
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
