package main

type reportCommand struct{}

func (c *reportCommand) Run(s *session) error {
	return &usageError{msg: "compose report is not written yet"}
}
