package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/starter"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

type demoCommand struct {
	Dir string `placeholder:"DIR" help:"Play in this folder, which must not exist yet, and keep it (default: a temporary one, removed at the end)."`
}

func (c *demoCommand) Help() string {
	return `Runs this program on the built-in catalog, step by step: a first composition, a local edit that is kept, an update that is killed and finished, a conflict that changes nothing, an upgrade. Each step is a real process, and the kill is a real one.`
}

func (c *demoCommand) Run(s *session) error {
	program, err := os.Executable()
	if err != nil {
		return &commandError{diag.Wrap(codeReadFailed, "", "the program does not find itself", err)}
	}
	revisions, err := starter.Revisions()
	if err != nil {
		return err
	}
	d := &demo{session: s, program: program}
	if c.Dir == "" {
		d.dir, err = os.MkdirTemp("", "compose-demo-")
		defer os.RemoveAll(d.dir)
	} else {
		d.dir, err = c.Dir, os.Mkdir(c.Dir, 0o777)
	}
	if err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, c.Dir, "the folder of the demo can't be made", plainfile.Cause(err))}
	}
	s.working("playing the lifecycle")
	d.play(revisions)
	if d.err != nil {
		return d.err
	}
	doc := strictjson.Obj(strictjson.F("status", strictjson.Str("done")), strictjson.F("steps", strictjson.List(d.steps, demoStep.document)))
	return s.answer(doc, func(w *textWriter) { d.text(w) }, exitDone)
}

// demo plays the lifecycle. After the first fault its steps do nothing.
type demo struct {
	session *session
	program string
	dir     string
	steps   []demoStep
	err     error
}

// demoStep is one thing that was done, and what it showed.
type demoStep struct {
	what    string
	command string // as a person would type it in the folder; "" for an edit by hand
	exit    int
	saw     []string
}

func (t demoStep) document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("what", strictjson.Str(t.what)),
		strictjson.F("command", strictjson.Str(t.command)),
		strictjson.F("exit", strictjson.Int(int64(t.exit))),
		strictjson.F("saw", strictjson.Strs(t.saw)),
	)
}

func (d *demo) text(w *textWriter) {
	for i, t := range d.steps {
		w.hanging(0, spans("%d. ", i+1), "%s", strong(t.what))
		if t.command != "" {
			w.commandAt(4, "$ "+t.command)
		}
		for _, line := range t.saw {
			w.line("    %s", line)
		}
	}
	w.gap()
	w.prose(0, "Nothing of yours was lost, and every state on the way was one that the next command understood.")
}

// The files that the demo edits.
const (
	demoSeed    = "README.md"
	demoManaged = "scripts/check-skill.sh"
)

// play is the lifecycle of one skill repository.
func (d *demo) play(revisions []lockv2.Revision) {
	first, second, last := string(revisions[0]), string(revisions[1]), string(revisions[len(revisions)-1])
	d.run("Look at a folder that is not there yet", exitDone, d.field("state"), "inspect")
	d.run("Compose a skill at the first revision of the built-in catalog", exitDone, d.field("status"), "apply", "--recipe", "skill", "--revision", first)
	d.run("Validate it: the lock and the files are enough", exitDone, d.field("status"), "validate")
	d.edit("Write your own words into a seed", demoSeed, "\nMy own words.\n")
	kept := d.digest(demoSeed)
	d.kill("Update to the second revision, and kill the update", "apply", "--mode", "update", "--revision", second)
	d.run("Look again", exitRefused, d.interrupted, "inspect")
	d.run("Type the same command again", exitDone, d.field("status"), "apply", "--mode", "update", "--revision", second)
	d.run("Validate it", exitDone, d.field("status"), "validate")
	d.same("Your words are where you left them", demoSeed, kept)
	original := d.edit("Edit a file that the catalog manages", demoManaged, "# a local change\n")
	edited := d.digest(demoManaged)
	d.run("Update to it again: what is not expected is a conflict, and nothing is written", exitRefused, d.conflict, "apply", "--mode", "update", "--revision", second)
	d.same("The edit is untouched", demoManaged, edited)
	d.restore("Take the edit back", demoManaged, original)
	d.run("Upgrade to the last revision, whose release notes are a new version", exitDone, d.field("status"), "apply", "--mode", "upgrade", "--recipe", "skill", "--revision", last)
	d.run("Validate it", exitDone, d.field("status"), "validate")
	d.same("Your words are where you left them", demoSeed, kept)
	d.run("Upgrade to it once more: there is nothing to do", exitDone, d.field("status"), "apply", "--mode", "upgrade", "--recipe", "skill", "--revision", last)
}

func (d *demo) target() string { return filepath.Join(d.dir, "my-skill") }

// start prepares the program with the source and target of the demo.
func (d *demo) start(args []string) *exec.Cmd {
	full := append(append([]string{}, args...), "--target", d.target(), "--format", "json")
	if args[0] == "apply" {
		full = append(full, "--source", builtinSource)
	}
	return exec.CommandContext(d.session.ctx, d.program, full...)
}

// shown is the command as a person would type it.
func shown(args []string) string {
	words := append([]string{"compose"}, args...)
	for i, word := range words {
		if len(word) == 40 {
			words[i] = word[:12] + "..."
		}
	}
	return strings.Join(append(words, "--target", "my-skill"), " ")
}

// run runs the program, wants an exit status, and notes what see finds in the answer.
func (d *demo) run(what string, exit int, see func(strictjson.Value) []string, args ...string) {
	if d.err != nil {
		return
	}
	var out, diagnostics bytes.Buffer
	command := d.start(args)
	command.Stdout, command.Stderr = &out, &diagnostics
	err := command.Run()
	if d.session.ctx.Err() != nil {
		d.err = context.Cause(d.session.ctx)
		return
	}
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		d.fail(what, err.Error())
		return
	}
	doc, err := strictjson.Parse(out.Bytes(), 0)
	if err != nil || command.ProcessState.ExitCode() != exit {
		d.fail(what, fmt.Sprintf("exit status %d, wanted %d: %s%s", command.ProcessState.ExitCode(), exit, out.String(), diagnostics.String()))
		return
	}
	d.steps = append(d.steps, demoStep{what: what, command: shown(args), exit: exit, saw: see(doc)})
}

// kill starts the program and kills it as soon as its marker is there. A run that was faster is undone and tried again.
func (d *demo) kill(what string, args ...string) {
	if d.err != nil {
		return
	}
	const attempts = 100
	before := filepath.Join(d.dir, "before")
	if err := os.CopyFS(before, os.DirFS(d.target())); err != nil {
		d.fail(what, err.Error())
		return
	}
	defer os.RemoveAll(before)
	marker := filepath.Join(d.target(), filepath.FromSlash(lockv2.MarkerPath))
	for range attempts {
		command := d.start(args)
		if err := command.Start(); err != nil {
			d.fail(what, err.Error())
			return
		}
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		for running := true; running; {
			if _, err := os.Lstat(marker); err == nil {
				_ = command.Process.Kill() // an error says that it has just ended, which Wait tells too
				<-ended
				break
			}
			select {
			case <-ended:
				running = false
			case <-d.session.ctx.Done():
				_ = command.Process.Kill()
				<-ended
				d.err = context.Cause(d.session.ctx)
				return
			case <-time.After(20 * time.Microsecond):
			}
		}
		if _, err := os.Lstat(marker); err == nil {
			d.steps = append(d.steps, demoStep{what: what, command: shown(args), exit: -1, saw: []string{"killed, while its marker " + lockv2.MarkerPath + " was there"}})
			return
		}
		if err := errors.Join(os.RemoveAll(d.target()), os.CopyFS(d.target(), os.DirFS(before))); err != nil {
			d.fail(what, err.Error())
			return
		}
	}
	d.fail(what, fmt.Sprintf("%d updates ended before they could be killed", attempts))
}

// edit appends text to a file and returns what was in it before.
func (d *demo) edit(what, name, text string) []byte {
	if d.err != nil {
		return nil
	}
	path := filepath.Join(d.target(), filepath.FromSlash(name))
	before, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(bytes.Clone(before), text...), 0o644)
	}
	if err != nil {
		d.fail(what, err.Error())
		return nil
	}
	d.steps = append(d.steps, demoStep{what: what, saw: []string{name + " edited"}})
	return before
}

// restore puts bytes back into a file.
func (d *demo) restore(what, name string, b []byte) {
	if d.err != nil {
		return
	}
	if err := os.WriteFile(filepath.Join(d.target(), filepath.FromSlash(name)), b, 0o644); err != nil {
		d.fail(what, err.Error())
		return
	}
	d.steps = append(d.steps, demoStep{what: what, saw: []string{name + " restored"}})
}

// digest identifies the bytes of a file.
func (d *demo) digest(name string) string {
	b, err := os.ReadFile(filepath.Join(d.target(), filepath.FromSlash(name)))
	if err != nil && d.err == nil {
		d.fail("read "+name, err.Error())
	}
	return fingerprint.Of[fingerprint.Material](b).String()
}

// same checks that a file still has the bytes that it had.
func (d *demo) same(what, name, digest string) {
	if d.err != nil {
		return
	}
	if now := d.digest(name); now != digest {
		d.fail(what, fmt.Sprintf("%s has SHA-256 %s, wanted %s", name, now, digest))
		return
	}
	d.steps = append(d.steps, demoStep{what: what, saw: []string{name + " " + digest[:12] + "..."}})
}

func (d *demo) fail(what, saw string) {
	d.err = &commandError{diag.New(codeInternal, "", fmt.Sprintf("the demo went another way at %q: %s", what, saw))}
}

// field shows one member of an answer.
func (d *demo) field(name string) func(strictjson.Value) []string {
	return func(doc strictjson.Value) []string {
		v, _ := doc.Get(name)
		return []string{name + ": " + v.Text}
	}
}

// interrupted shows how far an interrupted run came.
func (d *demo) interrupted(doc strictjson.Value) []string {
	lines := d.field("state")(doc)
	transaction, _ := doc.Get("transaction")
	for _, name := range []string{"done", "pending", "blocked"} {
		list, _ := transaction.Get(name)
		lines = append(lines, fmt.Sprintf("%s: %d", name, len(list.Items)))
	}
	return lines
}

// conflict shows the first conflict.
func (d *demo) conflict(doc strictjson.Value) []string {
	lines := d.field("status")(doc)
	if list, _ := doc.Get("conflicts"); len(list.Items) > 0 {
		code, _ := list.Items[0].Get("code")
		destination, _ := list.Items[0].Get("destination")
		lines = append(lines, code.Text+" "+destination.Text)
	}
	return lines
}
