package main

type completionCommand struct{}

func (c *completionCommand) Run(s *session) error {
	return &usageError{msg: "compose completion is not written yet"}
}
