package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/internal/starter"
	"example.org/compose/policy"
	"github.com/alecthomas/kong"
)

const builtinSource = starter.Location

const description = `Keeps repositories in step with one catalog of components, without ever losing a local edit.

The lifecycle is inspect, plan, apply, validate. Try it with nothing but this program:

  compose plan  --recipe skill --target my-skill
  compose apply --recipe skill --target my-skill
  compose validate --target my-skill

Exit status: 0 done; 1 apply would change something (plan --exit-code); 2 conflict, invalid state or error; 3 a first composition whose validation failed; 130, 143 stopped by a signal: the same command goes on.`

// commandLine holds the flags that every command has.
type commandLine struct {
	Format  string `enum:"human,json," default:"" placeholder:"human|json" help:"Output: human or json. Without it: human on a terminal, json otherwise."`
	Color   string `enum:"auto,always,never" default:"auto" placeholder:"auto|always|never" help:"Colour: auto is on a terminal, unless $$NO_COLOR is set."`
	Verbose bool   `help:"Show everything: long lists are not folded, ids are whole."`
	Quiet   bool   `help:"No progress and no warnings; the answer and errors stay."`
}

// command is one command of the command line.
type command struct {
	name, help string
	declare    func() any // a new kong struct
}

// runner is a command that can be run: the last one of a line.
type runner interface{ Run(s *session) error }

// brief is a command that is over before anybody could stop it. It listens to no signals: to begin takes two threads.
type brief interface {
	runner
	brief()
}

// commands returns all commands, in the order of the help.
func commands() []command {
	return []command{
		{"inspect", "Say what state a target is in and what to do next.", func() any { return &inspectCommand{} }},
		{"plan", "Show what apply would do; changes nothing.", func() any { return &planCommand{} }},
		{"apply", "Compose a target: install its files and write the lock.", func() any { return &applyCommand{} }},
		{"validate", "Check a target against its lock, without the catalog.", func() any { return &validateCommand{} }},
		{"explain", "Say where a file comes from, why it is there, and what an update would do to it.", func() any { return &explainCommand{} }},
		{"graph", "Draw the resolved composition as Mermaid, DOT or SVG.", func() any { return &graphCommand{} }},
		{"report", "Write a plan for reviewers, as Markdown or as one HTML page.", func() any { return &reportCommand{} }},
		{"init", "Write a configuration, by asking or from flags.", func() any { return &initCommand{} }},
		{"hash", "Print content identities of texts and folders.", func() any { return &hashCommand{} }},
		{"skills", "Check installed agent skills against skills-lock.json, and pin them.", func() any { return &skillsCommand{} }},
		{"catalog", "Work on a catalog.", func() any { return &catalogCommand{} }},
		{"source", "Ask a server what a branch or a tag names now.", func() any { return &sourceCommand{} }},
		{"cache", "Show, check and prune the fetched catalogs.", func() any { return &cacheCommand{} }},
		{"demo", "Play the whole lifecycle on the built-in catalog, a killed update included.", func() any { return &demoCommand{} }},
		{"completion", "Print the completion of a shell.", func() any { return &completionCommand{} }},
		{"help", "Explain a topic, a command or the code of a message.", func() any { return &helpCommand{} }},
		{"version", "Print the version.", func() any { return &versionCommand{} }},
	}
}

// grammar returns what kong has to know for a command line. Where the line begins with a command, or with flags that
// every command has, that command is enough: to declare all of them takes longer than most commands do.
func grammar(args []string) []kong.Option {
	all := commands()
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		if args = args[1:]; len(args) > 1 && !strings.HasPrefix(args[0], "--") && !slices.ContainsFunc(all, func(c command) bool { return c.name == args[0] }) {
			args = args[1:] // the value of the flag
		}
	}
	if len(args) > 0 {
		if i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] }); i >= 0 {
			all = all[i : i+1]
		}
	}
	var options []kong.Option
	for _, c := range all {
		options = append(options, kong.DynamicCommand(c.name, c.help, "", c.declare()))
	}
	return options
}

// targetFlag is the flag of every command that looks at a target.
type targetFlag struct {
	Target string `default:"." placeholder:"DIR" help:"The repository or folder to keep in step (default: the current folder)."`
}

// sourceFlags name a catalog and its revision.
type sourceFlags struct {
	Source   string `env:"COMPOSE_SOURCE" default:"${source}" placeholder:"REPOSITORY" help:"The catalog: a git repository, local or by its URL, or ${source} (default: $$COMPOSE_SOURCE, else ${source})."`
	Revision string `placeholder:"ID" help:"The full commit id to compose from (default: a local source's HEAD, which must have no uncommitted changes). A URL needs it."`
	remoteFlags
	signedFlag

	policy *policy.Policy  // of the target, where there is one
	opened *catalog.Source // the last one
}

// remoteFlags say how a catalog that is named by its URL is reached.
type remoteFlags struct {
	cacheFlag
	Offline bool `env:"COMPOSE_OFFLINE" help:"Never ask a server: what is not in the cache is an error."`
}

// cacheFlag names the folder of fetched sources.
type cacheFlag struct {
	Cache string `env:"COMPOSE_CACHE" placeholder:"DIR" help:"Where fetched catalogs are kept (default: $$COMPOSE_CACHE, else compose in the user's cache folder)."`
}

// choiceFlags are what plan and apply take.
type choiceFlags struct {
	Mode string `enum:"initial,update,upgrade" default:"initial" placeholder:"MODE" help:"initial (default), update or upgrade; never inferred."`
	selectionFlags
	Repository string `placeholder:"OWNER/NAME" help:"The catalog's identity, where its catalog.json names none."`

	sourceFlags
	targetFlag
}

// selectionFlags are the consumer's choice.
type selectionFlags struct {
	Config  string   `placeholder:"FILE" help:"The configuration: recipe, components and parameters as JSON."`
	Recipe  string   `placeholder:"ID" help:"A recipe, instead of --config."`
	Include []string `sep:"none" placeholder:"COMPONENT" help:"With --recipe: also select this component; may be repeated."`
	Exclude []string `sep:"none" placeholder:"COMPONENT" help:"With --recipe: leave out this default component; may be repeated."`
}

// waitFlag is a duration that is not negative.
type waitFlag struct{ time.Duration }

// UnmarshalText reads a duration such as 30s.
func (w *waitFlag) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no duration such as 30s or 2m", text)
	}
	w.Duration = d
	return nil
}

// usageError is a command line that says nothing that can be done.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }
func (e *usageError) Code() string  { return codeUsage }
func (e *usageError) Path() string  { return "" }
func (e *usageError) Hint() string  { return e.hint }

// usageOf turns a parse error into a usageError that says where to read on.
func usageOf(err error) error {
	command := "compose"
	if parse := (*kong.ParseError)(nil); errors.As(err, &parse) && parse.Context != nil {
		if words := parse.Context.Command(); words != "" {
			name, _, _ := strings.Cut(words, " <")
			command += " " + name
		}
	}
	msg := err.Error()
	if command == "compose" && strings.HasPrefix(msg, "expected one of ") { // kong names only the first few
		var names []string
		for _, c := range commands() {
			names = append(names, c.name)
		}
		msg = "there is no command; give one of " + strings.Join(names, ", ")
	}
	return &usageError{msg: msg, hint: command + " --help"}
}

// rawText takes an argument exactly as it was given. kong's own way goes through JSON, which changes bytes that are
// no UTF-8: the name of another folder.
type rawText struct{}

func (rawText) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	text, ok := token.Value.(string)
	if !ok {
		return fmt.Errorf("expected a text but got %v", token.Value)
	}
	target.SetString(text)
	return nil
}

// checkFlags refuses a flag that is given twice, of which one would be forgotten, and an empty value: most likely a variable
// of a script that is not set, which must not mean the same as no flag.
func checkFlags(command *kong.Context) error {
	seen := map[string]bool{}
	for _, at := range command.Path {
		if at.Flag == nil {
			continue
		}
		name := "--" + at.Flag.Name
		if seen[name] && !at.Flag.IsSlice() {
			return &usageError{msg: name + " is given more than once; give it once"}
		}
		seen[name] = true
		empty := at.Flag.Target.Kind() == reflect.String && at.Flag.Target.String() == ""
		if texts, ok := at.Flag.Target.Interface().([]string); ok {
			empty = slices.Contains(texts, "")
		}
		if empty {
			return &usageError{msg: name + " has an empty value; leave it out, or give it one"}
		}
	}
	return nil
}

// check finds flags that contradict each other.
func (c *selectionFlags) check() error {
	switch {
	case c.Config != "" && c.Recipe != "":
		return &usageError{msg: "--config and --recipe exclude each other: --recipe stands for a configuration file; give one of them"}
	case c.Recipe == "" && len(c.Include)+len(c.Exclude) > 0:
		return &usageError{msg: "--include and --exclude go with --recipe; with --config, write them into the file's components"}
	}
	return nil
}

// chosen reports whether a configuration was given.
func (c *selectionFlags) chosen() bool { return c.Config != "" || c.Recipe != "" }
