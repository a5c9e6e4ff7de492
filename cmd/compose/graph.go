package main

type graphCommand struct{}

func (c *graphCommand) Run(s *session) error {
	return &usageError{msg: "compose graph is not written yet"}
}
