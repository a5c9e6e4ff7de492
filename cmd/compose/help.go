package main

type helpCommand struct{}

func (c *helpCommand) Run(s *session) error {
	return &usageError{msg: "compose help is not written yet"}
}
