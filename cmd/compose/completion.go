package main

import (
	"example.org/compose/internal/diag"
	"example.org/compose/internal/manual"
	"example.org/compose/internal/strictjson"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" placeholder:"SHELL" help:"bash, zsh or fish."`
}

func (c *completionCommand) Help() string {
	return `Prints a script for a shell, which then completes commands, flags and their values, recipes and components of the source, and files of the target. Nothing is asked of a server: a catalog named by its URL is looked at in the cache.

  source <(compose completion bash)
  compose completion zsh > ~/.zfunc/_compose
  compose completion fish > ~/.config/fish/completions/compose.fish

The script is printed as it is, wherever it goes; with --format json it is in a document.`
}

func (c *completionCommand) brief() {}

func (c *completionCommand) Run(s *session) error {
	script := (&manual.Program{Name: "compose"}).Script(c.Shell)
	if s.asked == formatJSON {
		return s.answer(strictjson.Obj(strictjson.F("shell", strictjson.Str(c.Shell)), strictjson.F("script", strictjson.Str(script))), nil, exitDone)
	}
	s.line.Stop()
	if _, err := s.stdout.Write([]byte(script)); err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, "standard output", "the script can't be written", err)}
	}
	return nil
}
