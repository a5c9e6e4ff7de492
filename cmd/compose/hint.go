package main

import (
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/planner"
)

// typedLine is the command line of this run, word by word, without the program.
type typedLine []string

// choosing are the flags that make a choice.
var choosing = [...]string{"--config", "--recipe", "--include", "--exclude"}

// has reports whether one of some flags was given.
func (t typedLine) has(flags ...string) bool {
	return slices.ContainsFunc(t, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return slices.Contains(flags, name)
	})
}

// with is the same command without some flags, each of which takes a value, and with more words, which are quoted already.
func (t typedLine) with(more string, without ...string) string {
	line := commandLineOf{"compose"}
	for i := 0; i < len(t); i++ {
		name, value, joined := strings.Cut(t[i], "=")
		switch {
		case slices.Contains(without, name) || name == "--format" || name == "--color": // how it is shown is not what is done
			if !joined {
				i++
			}
		case name == "--source" && joined:
			line = append(line, diag.Quote(name+"="+catalog.Shown(value))) // without a password
		case i > 0 && t[i-1] == "--source":
			line = append(line, diag.Quote(catalog.Shown(t[i])))
		default:
			line = append(line, diag.Quote(t[i]))
		}
	}
	if more != "" {
		line = append(line, more)
	}
	return line.String()
}

// withoutParameter is the line without the value of one parameter.
func (t typedLine) withoutParameter(name string) typedLine {
	var line typedLine
	for i := 0; i < len(t); i++ {
		switch {
		case t[i] == "--parameter" && i+1 < len(t) && strings.HasPrefix(t[i+1], name+"="):
			i++
		case !strings.HasPrefix(t[i], "--parameter="+name+"="):
			line = append(line, t[i])
		}
	}
	return line
}

// hint is the further step that an error suggests, as a whole command: libraries know no more of one than a flag.
func (s *session) hint(fault diag.Coded) string {
	hint := fault.Hint()
	switch {
	case strings.HasPrefix(hint, "--parameter "): // is repeated, but for one name
		name, _, _ := strings.Cut(strings.TrimPrefix(hint, "--parameter "), "=")
		return s.typed.withoutParameter(name).with(hint)
	case strings.HasPrefix(hint, "--"):
		name, _, _ := strings.Cut(hint, " ")
		return s.typed.with(hint, name)
	case hint != "":
		return hint
	}
	chosen := s.typed.has("--config", "--recipe")
	switch fault.Code() {
	case planner.CodeUnmanagedTargetRequired:
		if chosen {
			return s.typed.with("--mode "+modeUpgrade, "--mode", "--plan")
		}
		return s.typed.with("--mode "+modeUpdate, "--mode", "--plan")
	case planner.CodeManagedLockRequired:
		if chosen {
			return s.typed.with("", "--mode", "--plan")
		}
		return s.typed.with("--recipe ID", "--mode", "--plan")
	case codeConfigRequired:
		return s.typed.with("--recipe ID")
	case codeUpdateConfig:
		return s.typed.with("", choosing[:]...)
	}
	return ""
}
