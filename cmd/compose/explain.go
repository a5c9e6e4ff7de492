package main

type explainCommand struct{}

func (c *explainCommand) Run(s *session) error {
	return &usageError{msg: "compose explain is not written yet"}
}
