// Command compose keeps a repository in step with one catalog of components.
//
// The command is thin: a subcommand parses its flags, calls one library function and renders the value that
// it gets, for people or as one JSON document. docs/cli.md has the reference.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"reflect"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	collectLate()
	// An empty variable, such as one of a CI system that is not set for this run, is the same as none.
	for _, name := range []string{"COMPOSE_SOURCE", "COMPOSE_CACHE", "COMPOSE_OFFLINE", "COMPOSE_IDLE_TIMEOUT"} {
		if os.Getenv(name) == "" {
			_ = os.Unsetenv(name)
		}
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program but for the exit: it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == completeWord { // a shell asks, each time a key is pressed
		complete(args[1:], stdout)
		return exitDone
	}
	s := &session{ctx: context.Background(), stdout: stdout, stderr: stderr, typed: args}
	s.look(args, os.Getenv)

	var line commandLine
	exited := false
	parser, err := kong.New(&line, append(grammar(args),
		kong.Name("compose"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { exited = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.KindMapper(reflect.String, rawText{}),
		kong.Vars{"source": builtinSource},
	)...)
	if err != nil {
		return s.fail(&usageError{msg: "the command line is misdeclared: " + err.Error()})
	}
	parsed, err := parser.Parse(args)
	if exited { // help was asked for and printed
		return exitDone
	}
	if err != nil {
		return s.fail(usageOf(err))
	}
	s.verbose, s.quiet, s.asked = line.Verbose, line.Quiet, format(line.Format)
	if err := checkFlags(parsed); err != nil {
		return s.fail(err)
	}
	command := parsed.Selected().Target.Addr().Interface().(runner)
	if _, short := command.(brief); !short {
		s.ctx = untilSignal()
	}
	if err := command.Run(s); err != nil {
		return s.fail(err)
	}
	return s.exit
}

// interruption is the cause of a context that a signal ended.
type interruption struct{ signal syscall.Signal }

func (i *interruption) Error() string {
	name := "SIGINT"
	if i.signal == syscall.SIGTERM {
		name = "SIGTERM"
	}
	return "stopped by " + name
}

func (i *interruption) Code() string { return codeInterrupted }
func (i *interruption) Path() string { return "" }
func (i *interruption) Hint() string {
	return "run the same command again: it goes on where this run stopped"
}

// untilSignal returns the context that ends at the first SIGINT or SIGTERM. A second one has its usual effect: every
// instant is a safe one to be killed at. The process listens to its end, since signal.Stop takes as long as a small command.
var untilSignal = sync.OnceValue(func() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		sig := <-signals
		signal.Stop(signals)
		cancel(&interruption{signal: sig.(syscall.Signal)})
	}()
	return ctx
})
