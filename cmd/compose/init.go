package main

type initCommand struct{}

func (c *initCommand) Run(s *session) error {
	return &usageError{msg: "compose init is not written yet"}
}
