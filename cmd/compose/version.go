package main

import "example.org/compose/internal/strictjson"

// version is the version of the program.
const version = "0.1.0-dev"

type versionCommand struct{}

func (c *versionCommand) brief() {}

func (c *versionCommand) Run(s *session) error {
	doc := strictjson.Obj(strictjson.F("name", strictjson.Str("compose")), strictjson.F("version", strictjson.Str(version)))
	return s.answer(doc, func(w *textWriter) { w.line("compose %s", version) }, exitDone)
}
