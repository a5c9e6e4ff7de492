package main

import (
	"context"
	"os"
	"path/filepath"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
)

type catalogCommand struct {
	Check catalogCheckCommand `cmd:"" help:"Check a catalog and report every fault."`
	Init  catalogInitCommand  `cmd:"" help:"Start a catalog of your own."`
	New   catalogNewCommand   `cmd:"" help:"Add a component or a recipe to a catalog."`
}

type catalogCheckCommand struct {
	sourceFlags
}

func (c *catalogCheckCommand) Help() string {
	return "For those who write components: every fault of the catalog at one revision, each with its code, file, line and JSON pointer. Exit 2 where there is one."
}

func (c *catalogCheckCommand) Run(s *session) error {
	if _, err := os.Lstat(filepath.FromSlash(catalog.IndexPath)); err == nil && c.Source == builtinSource && !s.typed.has("--source") && os.Getenv("COMPOSE_SOURCE") == "" {
		return &usageError{msg: "without --source this checks the catalog inside compose, and the current folder has one of its own; say which: --source . or --source " + builtinSource,
			hint: "compose catalog check --source ."}
	}
	checked, err := refetched(s, &c.sourceFlags, func() (*checkedCatalog, error) { return c.check(s) })
	if err != nil {
		return err
	}
	source, faults := checked.source, checked.faults
	status, exit := "valid", exitDone
	if len(faults) > 0 {
		status, exit = "invalid", exitRefused
	}
	doc := strictjson.Obj(
		strictjson.F("status", strictjson.Str(status)),
		strictjson.F("errors", strictjson.List(faults, catalogFault.document)),
	)
	return s.answer(doc, func(w *textWriter) { catalogText(w, c.Source, source, faults) }, exit)
}

// checkedCatalog is a source, closed again, and the faults of its catalog.
type checkedCatalog struct {
	source *catalog.Source
	faults []catalogFault
}

// check opens the source and looks for faults. What a cache lost is no fault of the catalog, but an error.
func (c *catalogCheckCommand) check(s *session) (*checkedCatalog, error) {
	work, err := c.openSource(s)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	faults, err := checkCatalog(s.ctx, work.source)
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		if work.source.Refetch(f) != nil {
			return nil, f
		}
	}
	located, err := locateFaults(s.ctx, work.source, faults)
	return &checkedCatalog{work.source, located}, err
}

// checkCatalog returns every fault of the catalog, and of a catalog without faults which recipes can't be composed.
func checkCatalog(ctx context.Context, source *catalog.Source) ([]diag.Coded, error) {
	var list []diag.Coded
	faults, err := catalog.Check(ctx, source)
	for _, f := range faults {
		list = append(list, f)
	}
	if err != nil || len(list) > 0 {
		return list, err
	}
	loaded, err := catalog.Load(ctx, source)
	if err != nil {
		return nil, err
	}
	recipes, err := planner.CheckRecipes(ctx, loaded)
	for _, f := range recipes {
		list = append(list, f)
	}
	return list, err
}

// catalogText is the human form of a catalog check.
func catalogText(w *textWriter, location string, s *catalog.Source, faults []catalogFault) {
	which := "catalog"
	if location == builtinSource {
		which = "built-in catalog"
	}
	for _, f := range faults {
		w.gap()
		f.text(w)
	}
	w.gap()
	if len(faults) > 0 {
		w.line("The %s at %s has %s.", which, w.revision(s.Revision()), bad(diag.Count(len(faults), "fault")))
		return
	}
	w.line("The %s at %s is %s.", which, w.revision(s.Revision()), good("valid"))
}
