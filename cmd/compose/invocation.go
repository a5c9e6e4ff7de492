package main

import (
	"os"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
)

// commandLineOf is a command that can be copied, word by word.
type commandLineOf []string

// flag adds a flag with its value, but for an empty one.
func (l *commandLineOf) flag(name, value string) {
	if value != "" {
		*l = append(*l, name, diag.Quote(value))
	}
}

func (l commandLineOf) String() string { return strings.Join(l, " ") }

// again is a command, such as "compose apply", with the mode, choice, source and target of this run.
func (c *choiceFlags) again(words ...string) string {
	line := commandLineOf(words)
	if c.Mode != modeInitial {
		line.flag("--mode", c.Mode)
	}
	line.flag("--config", c.Config)
	line.choose(c.Recipe, c.Include, c.Exclude)
	return c.located(line)
}

// choose adds a recipe with what is selected besides.
func (l *commandLineOf) choose(recipe string, include, exclude []string) {
	l.flag("--recipe", recipe)
	for _, id := range include {
		l.flag("--include", id)
	}
	for _, id := range exclude {
		l.flag("--exclude", id)
	}
}

// located ends a command with what this run was told of the source and the target, as far as another run has to be told.
func (c *choiceFlags) located(line commandLineOf) string {
	if c.Source != usualSource() {
		line.flag("--source", catalog.Shown(c.Source))
	}
	line.flag("--revision", c.Revision)
	line.flag("--repository", c.Repository)
	if c.Cache != os.Getenv("COMPOSE_CACHE") {
		line.flag("--cache", c.Cache)
	}
	if c.Offline && os.Getenv("COMPOSE_OFFLINE") == "" {
		line = append(line, "--offline")
	}
	for _, name := range c.RequireSigned {
		line.flag("--require-signed", name)
	}
	return c.at(line)
}

// usualSource is the source of a command line that names none.
func usualSource() string {
	if source := os.Getenv("COMPOSE_SOURCE"); source != "" {
		return source
	}
	return builtinSource
}

// at ends a command with the target.
func (t *targetFlag) at(line commandLineOf) string {
	if t.Target != "." {
		line.flag("--target", t.Target)
	}
	return line.String()
}

// git is a git command in the target, on some of its files: FILE stands for the many.
func (t *targetFlag) git(words string, files []lockv2.Destination) string {
	const many = 5
	line := commandLineOf{"git"}
	if t.Target != "." {
		line.flag("-C", t.Target)
	}
	line = append(line, words)
	if len(files) > many {
		files = []lockv2.Destination{"FILE"}
	}
	for _, file := range files {
		line = append(line, diag.Quote(string(file)))
	}
	return line.String()
}
