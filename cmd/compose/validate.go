package main

import (
	"path/filepath"
	"strings"

	"example.org/compose/internal/codehost"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

type validateCommand struct {
	As  string `enum:"sarif,github,gitlab," default:"" placeholder:"sarif|github|gitlab" help:"Write the faults as a code host shows them: a SARIF log, GitHub's workflow commands, or GitLab's code quality report."`
	Out string `placeholder:"FILE" help:"Write that to a file, and answer as without it. A name that ends in .sarif says --as sarif."`

	targetFlag
}

func (c *validateCommand) Help() string {
	return `Needs nothing but the checked-out target: its lock and its files. Every fault is reported, and the exit status is 2 where there is one. For CI.

  compose validate
  compose validate --out compose.sarif
  compose validate --as gitlab --out gl-code-quality-report.json

In what --as writes, paths are relative to the current folder, the root of the checkout.`
}

// The values of --as.
const (
	asSARIF  = "sarif"
	asGitHub = "github"
	asGitLab = "gitlab"
)

func (c *validateCommand) Run(s *session) error {
	as, err := c.form()
	if err != nil {
		return err
	}
	s.working("checking the files")
	report, err := validator.Validate(s.ctx, c.Target)
	if err != nil {
		return err
	}
	exit := exitDone
	if !report.OK() {
		exit = exitRefused
	}
	if as != "" {
		b := c.findings(report, as)
		if c.Out == "" {
			s.line.Stop()
			if _, err := s.stdout.Write(b); err != nil {
				return &commandError{diag.Wrap(codeWriteFailed, "standard output", "the faults can't be written", err)}
			}
			s.exit = exit
			return nil
		}
		if err := writeNamed(s.ctx, c.Out, b); err != nil {
			return &commandError{diag.Wrap(codeWriteFailed, c.Out, "the faults can't be written there; name another file", plainfile.Cause(err))}
		}
	}
	return s.answer(report.Document(), func(w *textWriter) { c.text(w, report) }, exit)
}

// form returns the value of --as, or the one that --out is named for; "" without both.
func (c *validateCommand) form() (string, error) {
	if c.Out == "" {
		return c.As, nil
	}
	if inside(filepath.Join(c.Target, lockv2.StateFolder), c.Out) {
		return "", &usageError{msg: "--out names a place in " + lockv2.StateFolder + " of the target, which is the composer's own; name another file"}
	}
	name := strings.ToLower(filepath.Base(c.Out))
	switch {
	case c.As != "":
		return c.As, nil
	case strings.HasSuffix(name, ".sarif"), strings.HasSuffix(name, ".sarif.json"):
		return asSARIF, nil
	}
	return "", &usageError{msg: "the name of --out does not say which form it is to be; add --as sarif, github or gitlab, or end the name in .sarif"}
}

// findings returns the faults in one of the forms.
func (c *validateCommand) findings(report *validator.Report, as string) []byte {
	root, err := rootfs.Open(c.Target)
	if err == nil {
		defer root.Close()
	} else {
		root = nil // the report says so
	}
	prefix := c.prefix()
	found := codehost.Find(report, root, prefix)
	switch as {
	case asGitHub:
		return codehost.GitHub(found)
	case asGitLab:
		return codehost.GitLab(found)
	}
	return codehost.SARIF(found, version, prefix)
}

// prefix returns the path of the target below the current folder, "" for that folder itself and for any other place:
// no absolute path tells a code host anything.
func (c *validateCommand) prefix() string {
	here, err := filepath.Abs(".")
	if err != nil {
		return ""
	}
	there, err := filepath.Abs(c.Target)
	if err != nil {
		return ""
	}
	prefix, err := filepath.Rel(here, there)
	if err != nil || prefix == "." || !filepath.IsLocal(prefix) {
		return ""
	}
	return filepath.ToSlash(prefix)
}

// text is the human form of a validation.
func (c *validateCommand) text(w *textWriter, r *validator.Report) {
	files := diag.Count(r.Checked, "file")
	switch {
	case r.OK():
		w.line("%s: %s as the lock records", good("valid"), files)
	case r.State == validator.Interrupted:
		w.line("%s: an update or upgrade is not finished", caution("interrupted"))
	case r.Lock == nil:
		w.line("%s: there is nothing to check the files against", bad("invalid"))
	default:
		w.line("%s: %s in %s", bad("invalid"), diag.Count(len(r.Faults), "fault"), files)
	}
	if composition, ok := r.Composition(); ok {
		w.line("Composition %s", composition)
	}
	if len(r.Faults) > 0 {
		w.gap()
		faultsText(w, &c.targetFlag, r.Faults)
	}
}
