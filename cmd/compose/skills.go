package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/screen"
	"example.org/compose/internal/skills"
	"example.org/compose/internal/strictjson"
)

type skillsCommand struct {
	Verify skillsVerifyCommand `cmd:"" help:"Check installed skills against skills-lock.json, and against skills-pin.json where it is there."`
	Pin    skillsPinCommand    `cmd:"" help:"Write the sha256-tree-v2 value of each installed skill to skills-pin.json."`
}

// skillFlags say where skills are recorded and installed.
type skillFlags struct {
	Lock string   `placeholder:"FILE" help:"The lock (default: skills-lock.json). Skills are looked for in .agents/skills and .claude/skills beside it."`
	Dir  []string `sep:"none" placeholder:"DIR" help:"Another folder of skill folders; may be repeated."`
}

// lockName returns the path of the lock, given or not.
func (c *skillFlags) lockName() string {
	if c.Lock == "" {
		return skills.LockName
	}
	return c.Lock
}

// pinName returns the path of the pin file that belongs to the lock.
func (c *skillFlags) pinName() string {
	return filepath.Join(filepath.Dir(c.lockName()), skills.PinName)
}

// lock reads the lock; nil where none was named and none is there.
func (c *skillFlags) lock(ctx context.Context) (*skills.Lock, error) {
	name := c.lockName()
	if c.Lock == "" && absent(name) {
		return nil, nil
	}
	b, err := readFile(ctx, name, skills.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return skills.ParseLock(name, b)
}

// pins reads the pin file beside the lock; nil where there is none.
func (c *skillFlags) pins(ctx context.Context) (*skills.Pins, error) {
	name := c.pinName()
	if absent(name) {
		return nil, nil
	}
	b, err := readFile(ctx, name, skills.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return skills.ParsePins(name, b)
}

// verify holds what is installed against the records.
func (c *skillFlags) verify(ctx context.Context, records skills.Records) ([]skills.Result, error) {
	folders, err := skills.Find(filepath.Dir(c.lockName()), c.Dir)
	if err != nil {
		return nil, err
	}
	return skills.Verify(ctx, records, folders)
}

func absent(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

type skillsVerifyCommand struct {
	skillFlags
}

func (c *skillsVerifyCommand) Help() string {
	return "Exit status 0 only if every installed skill is recorded and every recorded skill is installed as it was recorded. docs/skills.md has the rules."
}

func (c *skillsVerifyCommand) Run(s *session) error {
	var records skills.Records
	var err error
	if records.Lock, err = c.lock(s.ctx); err != nil {
		return err
	}
	if records.Pins, err = c.pins(s.ctx); err != nil {
		return err
	}
	if records.Lock == nil && records.Pins == nil {
		return &commandError{diag.New(codeReadFailed, c.lockName(), "there is no such file, and no "+skills.PinName+" beside it; name the lock with --lock")}
	}
	s.working("hashing the skills")
	results, err := c.verify(s.ctx, records)
	if err != nil {
		return err
	}
	exit := exitDone
	if !skills.OK(results) {
		exit = exitRefused
	}
	doc := strictjson.Obj(strictjson.F("skills", strictjson.List(results, skills.Result.Document)))
	return s.answer(doc, func(w *textWriter) { skillsText(w, results) }, exit)
}

type skillsPinCommand struct {
	skillFlags
	Out string `placeholder:"FILE" help:"Where to write (default: skills-pin.json beside the lock, where verify looks for it)."`
}

func (c *skillsPinCommand) Help() string {
	return "The values are the same on every machine and in every locale. A skill that does not match its computedHash is pinned too, with a warning: pin what you have looked at."
}

func (c *skillsPinCommand) Run(s *session) error {
	lock, err := c.lock(s.ctx)
	if err != nil {
		return err
	}
	s.working("hashing the skills")
	results, err := c.verify(s.ctx, skills.Records{Lock: lock})
	if err != nil {
		return err
	}
	pins, err := skills.Pin(results)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = c.pinName()
	}
	if err := writeNamed(s.ctx, out, pins.Encode()); err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, out, "the pin file can't be written", plainfile.Cause(err))}
	}
	// The answer is what verify says from now on.
	if results, err = c.verify(s.ctx, skills.Records{Lock: lock, Pins: pins}); err != nil {
		return err
	}
	for _, r := range results {
		if r.Recorded != "" && r.Verdict != skills.Match {
			s.warn(r.Folder + ": pinned as it is, though it does not match its computedHash; compose skills verify says why")
		}
	}
	doc := strictjson.Obj(
		strictjson.F("pin", strictjson.Str(validText(filepath.ToSlash(out)))),
		strictjson.F("skills", strictjson.List(results, skills.Result.Document)))
	return s.answer(doc, func(w *textWriter) {
		for _, p := range pins.Skills {
			w.line("%s %s  %s", good("+"), p.Value, strong(p.Name))
		}
		w.line("Pinned %s in %s.", diag.Count(len(pins.Skills), "skill"), out)
	}, exitDone)
}

// skillsText is the human form of a verification.
func skillsText(w *textWriter, results []skills.Result) {
	verdicts := map[skills.Verdict]int{}
	for _, r := range results {
		verdicts[r.Verdict]++
		at := r.Folder
		if at == "" {
			at = "-"
		}
		if r.Verdict == skills.Match {
			w.line("%s %s  %s  %s (%s)", good("="), strong(r.Name), at, r.Verdict, r.Form)
		} else {
			w.line("%s %s  %s  %s", bad("!"), strong(r.Name), at, bad(r.Verdict))
		}
		if r.Digest != "" {
			w.line("    %s", r.Digest)
		}
		for _, reason := range r.Reasons {
			w.bullet(4, "%s [%s]", reason.Message, reason.Reason)
			w.names(6, reason.Paths)
		}
	}
	w.line("%s: %d match, %d mismatch, %d missing.", diag.Count(len(results), "skill"), verdicts[skills.Match], verdicts[skills.Mismatch], verdicts[skills.Missing])
}

// names adds paths in one sentence, the many counted.
func (w *textWriter) names(indent int, paths []string) {
	const many = 10
	shown := screen.Shown(len(paths), many, w.verbose)
	text := strings.Join(paths[:shown], ", ")
	if more := len(paths) - shown; more > 0 {
		text += fmt.Sprintf(", and %d more (--verbose lists all)", more)
	}
	if text != "" {
		w.prose(indent, "%s", text)
	}
}
