package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/screen"
	"example.org/compose/internal/strictjson"
	"example.org/compose/txn"
)

// Codes that only the command gives.
const (
	codeUsage          = "USAGE"
	codeInterrupted    = "INTERRUPTED"
	codeInternal       = "INTERNAL"
	codeConfigRequired = "CONFIG_REQUIRED"
	codeReadFailed     = "READ_FAILED"
	codeWriteFailed    = "WRITE_FAILED"
	codeInvalidTarget  = "INVALID_TARGET"
)

// The exit statuses, whatever the format.
const (
	exitDone        = 0 // done; a plan without conflicts too
	exitChanges     = 1 // plan --exit-code: apply would write something
	exitRefused     = 2 // a conflict, an invalid state, any error
	exitUnvalidated = 3 // a first composition whose validation failed
	exitSignal      = 128
)

type format string

const (
	formatHuman format = "human"
	formatJSON  format = "json"
)

// session is what a command needs of its surroundings, and what became of it.
type session struct {
	ctx            context.Context
	stdout, stderr io.Writer
	format         format
	asked          format // by --format; "" where that is not given
	verbose, quiet bool
	typed          typedLine

	out, err screen.Screen    // what stdout and stderr are
	line     *screen.Progress // nil where nobody looks
	exit     int
}

// commandError is an error that the command itself finds.
type commandError struct{ diag.Base }

// answer prints the one document of a command, in the format asked for, and sets the exit status.
func (s *session) answer(doc strictjson.Value, text func(*textWriter), exit int) error {
	write := func() error { return strictjson.Write(s.stdout, doc) }
	if s.format == formatHuman {
		w := &textWriter{screen: s.out, verbose: s.verbose}
		text(w)
		write = func() error { _, err := s.stdout.Write(w.Bytes()); return err }
	}
	s.line.Stop()
	if err := write(); err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, "standard output", "the answer can't be written; what the command did stands", err)}
	}
	s.exit = exit
	return nil
}

// fail reports err and returns the exit status that goes with it.
func (s *session) fail(err error) int {
	exit := exitRefused
	var coded diag.Coded
	found := errors.As(err, &coded)
	if stopped := (*interruption)(nil); errors.As(context.Cause(s.ctx), &stopped) {
		exit = exitSignal + int(stopped.signal)
		if !found || coded.Code() != codeInterrupted { // else it says where the run stopped, and what goes on
			if found {
				s.warn(err.Error())
			}
			err, coded, found = stopped, stopped, true
		}
	}
	if !found {
		coded = &commandError{diag.New(codeInternal, "", "this is a fault of compose itself, please report it: "+err.Error())}
	}
	if e := (*txn.Error)(nil); exit == exitRefused && errors.As(err, &e) && e.Code() == txn.CodeValidationFailed && !e.Unfinished {
		exit = exitUnvalidated
	}
	s.line.Stop()
	if s.format == formatHuman {
		s.diagnose("error", screen.Red, giturl.Scrub(err.Error())+" ["+coded.Code()+"]")
		if hint := s.hint(coded); hint != "" {
			s.diagnose("hint", screen.Cyan, giturl.Scrub(hint))
		}
		s.faults(err)
		return exit
	}
	if err := strictjson.Write(s.stdout, errorDocument(err, coded, s.hint(coded))); err != nil {
		fmt.Fprintf(s.stderr, "compose: error: standard output: %v [%s]\n", err, codeWriteFailed)
	}
	return exit
}

// errorDocument is the document of an error. err is the whole, coded the part of it that has the code.
func errorDocument(err error, coded diag.Coded, hint string) strictjson.Value {
	members := []strictjson.Member{
		strictjson.F("status", strictjson.Str("error")),
		strictjson.F("code", strictjson.Str(coded.Code())),
		strictjson.F("message", strictjson.Str(validText(giturl.Scrub(err.Error())))),
	}
	if hint != "" {
		members = append(members, strictjson.F("hint", strictjson.Str(validText(giturl.Scrub(hint)))))
	}
	if path := coded.Path(); path != "" {
		members = append(members, strictjson.F("path", strictjson.Str(validText(giturl.Scrub(path)))))
	}
	if detailed, ok := coded.(interface{ Details() []strictjson.Member }); ok {
		if details := detailed.Details(); len(details) > 0 {
			members = append(members, strictjson.F("details", strictjson.Obj(details...)))
		}
	}
	return strictjson.Obj(members...)
}

// warn tells people something that is no part of the answer.
func (s *session) warn(msg string) {
	if !s.quiet {
		s.line.Around(func() { s.diagnose("warning", screen.Yellow, giturl.Scrub(msg)) })
	}
}

// faults lists what a validation found, where it is more than the message has room for.
func (s *session) faults(err error) {
	const named = 5
	var failed *txn.Error
	if !errors.As(err, &failed) || len(failed.Faults) <= named {
		return
	}
	w := &textWriter{screen: s.err, verbose: s.verbose}
	w.list(len(failed.Faults), "fault", func(i int) {
		f := &failed.Faults[i]
		w.line("  %s %s %s", bad("!"), f.Destination, faint(f.Code))
	})
	s.stderr.Write(w.Bytes())
}

// diagnose writes one message to standard error: in one line, so that whatever looks for it finds it whole, but on
// a terminal, where it is wrapped.
func (s *session) diagnose(kind string, style screen.Style, msg string) {
	w := &textWriter{screen: s.err}
	text := spans("compose: %s %s", marked{style, kind + ":"}, msg)
	if command := strings.HasPrefix(msg, "compose ") || strings.HasPrefix(msg, "git "); command || !s.err.Measured {
		w.put(0, text)
	} else {
		for i, line := range text.Wrap(s.err.Width() - 2) {
			w.put(2*min(i, 1), line)
		}
	}
	s.stderr.Write(w.Bytes())
}
