package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"unicode"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/screen"
	"golang.org/x/term"
)

// asker asks a person, line by line. What it says goes to standard error: standard output is the answer's.
type asker struct {
	ctx     context.Context
	in      *bufio.Reader
	out     io.Writer
	screen  screen.Screen
	verbose bool
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 10

// newAsker returns nil where there is nobody to ask: standard input or standard error is no terminal.
func newAsker(s *session) *asker {
	if !s.err.Terminal || !term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	s.line.Stop() // the questions take its place
	return &asker{ctx: s.ctx, in: bufio.NewReader(os.Stdin), out: s.stderr, screen: s.err, verbose: s.verbose}
}

// say shows some lines before a question.
func (a *asker) say(text func(w *textWriter)) error {
	w := &textWriter{screen: a.screen, verbose: a.verbose}
	text(w)
	_, err := a.out.Write(w.Bytes())
	return a.broken(err)
}

func (a *asker) broken(err error) error {
	if err != nil {
		err = &commandError{diag.Wrap(codeWriteFailed, "standard error", "the question can't be shown; nothing was written", err)}
	}
	return err
}

// answer shows a prompt and reads one line, without white space around it.
func (a *asker) answer(prompt string) (string, error) {
	if _, err := io.WriteString(a.out, a.screen.Render(screen.Text{{Style: screen.Bold, Text: printable(prompt)}})+" "); err != nil {
		return "", a.broken(err)
	}
	line, err := unblocked(a.ctx, func() (string, error) { return readAnswer(a.in) })
	if err == nil {
		return strings.TrimSpace(line), nil
	}
	_, _ = io.WriteString(a.out, "\n") // the shell's prompt begins a line of its own
	if a.ctx.Err() != nil {
		return "", &commandError{diag.New(codeInterrupted, "", context.Cause(a.ctx).Error()+" before every question had an answer; nothing was written")}
	}
	if err == io.EOF {
		return "", &usageError{msg: "the input ended before every question had an answer; nothing was written"}
	}
	return "", &commandError{diag.Wrap(codeReadFailed, "standard input", "the answer can't be read; nothing was written", err)}
}

// readAnswer reads to the end of a line, and forgets what goes beyond the bound. A line without an end is none: who left in the middle
// of it did not mean it.
func readAnswer(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= maxAnswer {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return string(line), err
		}
	}
}

// ask asks until read takes the answer. An empty answer is the fallback, where there is one.
func ask[T any](a *asker, prompt string, fallback *T, read func(text string) (T, error)) (T, error) {
	for {
		text, err := a.answer(prompt)
		if err != nil || text == "" && fallback != nil {
			if err == nil {
				return *fallback, nil
			}
			var none T
			return none, err
		}
		value, err := readClean(text, read)
		if err == nil {
			return value, nil
		}
		if err := a.say(func(w *textWriter) { w.prose(2, "%s", caution(err.Error())) }); err != nil {
			return value, err
		}
	}
}

// readClean refuses what a key such as an arrow leaves in a line, and what is too long to be meant.
func readClean[T any](text string, read func(string) (T, error)) (value T, err error) {
	switch {
	case len(text) > maxAnswer:
		return value, &usageError{msg: "that is too long; type a shorter answer"}
	case text != validText(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) }):
		return value, &usageError{msg: "the answer holds a key that is no character; type it again"}
	}
	return read(text)
}

// confirm asks for yes or no.
func (a *asker) confirm(prompt string, fallback bool) (bool, error) {
	options := "[y/N]"
	if fallback {
		options = "[Y/n]"
	}
	return ask(a, prompt+" "+options, &fallback, func(text string) (bool, error) {
		switch strings.ToLower(text) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		return false, &usageError{msg: "type y or n, or Enter for what stands in capitals"}
	})
}
