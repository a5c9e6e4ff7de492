// Package manual turns one description of a command line into completion, man pages and a reference page, and holds
// the topics of compose help.
//
// Start with Program, which whoever parses the command line fills in: cmd/compose does so from its parser's model, so
// that nothing is described twice. Program.Locate says what the last of some words is to be, Script is what a shell
// has to know, Page and Reference are texts for readers. Topics and Entry give texts as Blocks, which fit any width.
//
// Terms: a flag with a value names it by a placeholder, and FILE, DIR and REPOSITORY say that a shell knows the values
// itself. A candidate is one word that may stand at a place.
//
// What a candidate is made of may be hostile: file names, ids of a catalog. Nothing that could steer a terminal is
// ever one, and Line.Replies quotes what a shell would take for more than a word.
package manual

import "strings"

// Program is a command line, whole.
type Program struct {
	Name, Summary string
	About         string // paragraphs, and lines indented by two blanks that stand as they are
	Flags         []Flag // of every command
	Commands      []*Command
}

// Command is a command, or a group of commands, which has no flags and arguments of its own.
type Command struct {
	Words    []string // how it is called, without the program: "catalog", "new", "component"
	Summary  string
	About    string // as of Program; "" where the summary says it all
	Args     []Arg
	Flags    []Flag
	Commands []*Command
	Default  string // the last word of the command that is meant without one; else ""
}

// Name returns the words of the command.
func (c *Command) Name() string { return strings.Join(c.Words, " ") }

// last is the word that tells the command from its siblings.
func (c *Command) last() string { return c.Words[len(c.Words)-1] }

// Arg is an argument that has no flag.
type Arg struct {
	Value   string // the placeholder: DESTINATION
	Help    string
	Choices []string // all that it takes; empty where that is not known
	Repeats bool     // there may be several; the last one alone
	Needed  bool
}

// Flag is a flag by its name without dashes.
type Flag struct {
	Name    string
	Value   string // the placeholder; "" where it takes no value
	Help    string
	Choices []string
	Repeats bool
}

// Leaves returns the commands that do something, in their order.
func (p *Program) Leaves() []*Command {
	var all []*Command
	p.walk(func(c *Command) {
		if len(c.Commands) == 0 {
			all = append(all, c)
		}
	})
	return all
}

// Find returns the command or group of these words, or nil.
func (p *Program) Find(words ...string) *Command {
	var found *Command
	p.walk(func(c *Command) {
		if c.Name() == strings.Join(words, " ") {
			found = c
		}
	})
	return found
}

// walk visits groups and commands, a group before what is in it.
func (p *Program) walk(visit func(*Command)) {
	var down func([]*Command)
	down = func(list []*Command) {
		for _, c := range list {
			visit(c)
			down(c.Commands)
		}
	}
	down(p.Commands)
}

// usage is how an argument is written in a synopsis.
func (a *Arg) usage() string {
	text := a.Value
	if a.Repeats {
		text += "..."
	}
	if !a.Needed {
		text = "[" + text + "]"
	}
	return text
}

// usage is how a flag is written.
func (f *Flag) usage() string {
	if f.Value == "" {
		return "--" + f.Name
	}
	return "--" + f.Name + " " + f.Value
}

// Usage is how a command is written: with its arguments, and [flags] where it has flags of its own.
func (p *Program) Usage(c *Command) string {
	words := append([]string{p.Name}, c.Words...)
	for i := range c.Args {
		words = append(words, c.Args[i].usage())
	}
	if len(c.Commands) > 0 {
		words = append(words, "COMMAND")
	}
	return strings.Join(append(words, "[flags]"), " ")
}
