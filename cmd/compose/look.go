package main

import (
	"slices"
	"strings"

	"example.org/compose/internal/screen"
)

// look finds how a session shows what it has to say, before the command line is parsed: a line that can't be parsed is
// reported in the same way.
func (s *session) look(args []string, getenv func(string) string) {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	color := screen.Color(lastOf(args, "--color", string(screen.Auto), string(screen.Always), string(screen.Never)))
	s.out, s.err = screen.Detect(s.stdout, color, getenv), screen.Detect(s.stderr, color, getenv)
	if s.format = format(lastOf(args, "--format", string(formatHuman), string(formatJSON))); s.format == "" {
		s.format = formatJSON
		if s.out.Terminal {
			s.format = formatHuman
		}
	}
	s.verbose, s.quiet = slices.Contains(args, "--verbose"), slices.Contains(args, "--quiet")
	if !s.quiet {
		s.line = screen.NewProgress(s.stderr, s.err)
	}
}

// lastOf returns the value that a flag is given in args, the last one; "" where that is none of values.
func lastOf(args []string, flag string, values ...string) string {
	found := ""
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			found = value
		} else if arg == flag && i+1 < len(args) {
			found = args[i+1]
		}
	}
	if slices.Contains(values, found) {
		return found
	}
	return ""
}
