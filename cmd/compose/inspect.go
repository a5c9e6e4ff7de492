package main

import (
	"example.org/compose/validator"
)

type inspectCommand struct {
	targetFlag
}

func (c *inspectCommand) Help() string {
	return "Reads the target alone, no catalog. Exit 2 where the target is invalid or interrupted; the answer lists the faults and the commands that help."
}

func (c *inspectCommand) Run(s *session) error {
	report, err := validator.Validate(s.ctx, c.Target)
	if err != nil {
		return err
	}
	return s.answer(report.InspectDocument(), func(w *textWriter) { inspectText(w, report) }, stateExit(report.State))
}

type validateCommand struct {
	targetFlag
}

func (c *validateCommand) Help() string {
	return "Needs nothing but the checked-out target: its lock and its files. Every fault is reported, and the exit status is 2 where there is one. For CI."
}

func (c *validateCommand) Run(s *session) error {
	report, err := validator.Validate(s.ctx, c.Target)
	if err != nil {
		return err
	}
	exit := exitDone
	if report.State != validator.Valid {
		exit = exitRefused
	}
	return s.answer(report.Document(), func(w *textWriter) { report.WriteText(w) }, exit)
}

// stateExit is the exit status of inspect.
func stateExit(state validator.State) int {
	switch state {
	case validator.Absent, validator.Unmanaged, validator.Valid:
		return exitDone
	}
	return exitRefused
}
