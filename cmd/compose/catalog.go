package main

import (
	"example.org/compose/catalog"
	"example.org/compose/internal/strictjson"
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
	work, err := c.openSource(s.ctx)
	if err != nil {
		return err
	}
	defer work.Close()
	source := work.source
	faults, err := catalog.Check(s.ctx, source)
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
