package main

import (
	"context"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
)

type catalogCommand struct {
	Check catalogCheckCommand `cmd:"" help:"Check a catalog and report every fault."`
}

type catalogCheckCommand struct {
	sourceFlags
}

func (c *catalogCheckCommand) Help() string {
	return "For those who write components: every fault of the catalog at one revision, each with its code, file and JSON pointer. Exit 2 where there is one."
}

func (c *catalogCheckCommand) Run(s *session) error {
	source, faults, err := c.check(s)
	if err != nil {
		return err
	}
	status, exit := "valid", exitDone
	if len(faults) > 0 {
		status, exit = "invalid", exitRefused
	}
	doc := strictjson.Obj(
		strictjson.F("status", strictjson.Str(status)),
		strictjson.F("errors", strictjson.List(faults, catalogFault)),
	)
	return s.answer(doc, func(w *textWriter) { catalogText(w, source, faults) }, exit)
}

// check opens the source and returns it, closed again, with its faults.
func (c *catalogCheckCommand) check(s *session) (*catalog.Source, []diag.Coded, error) {
	work, err := c.openSource(s)
	if err != nil {
		return nil, nil, err
	}
	defer work.Close()
	faults, err := checkCatalog(s.ctx, work.source)
	return work.source, faults, err
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
func catalogText(w *textWriter, s *catalog.Source, faults []diag.Coded) {
	for _, f := range faults {
		w.line("  ! %s [%s]", f.Error(), f.Code())
	}
	if len(faults) > 0 {
		w.line("The catalog at %s has %s.", s.Revision(), count(len(faults), "fault"))
		return
	}
	w.line("The catalog at %s is valid.", s.Revision())
}

// catalogFault is one entry of the document of a catalog check: FILE#/pointer is told apart into path and pointer.
func catalogFault(e diag.Coded) strictjson.Value {
	path, pointer := e.Path(), ""
	if located, ok := e.(*catalog.Error); ok {
		path, pointer = located.Where()
	}
	members := []strictjson.Member{
		strictjson.F("code", strictjson.Str(e.Code())),
		strictjson.F("path", strictjson.Str(validText(path))),
	}
	if pointer != "" {
		members = append(members, strictjson.F("pointer", strictjson.Str(validText(pointer))))
	}
	return strictjson.Obj(append(members, strictjson.F("message", strictjson.Str(validText(e.Error()))))...)
}
