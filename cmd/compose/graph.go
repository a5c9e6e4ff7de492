package main

import (
	"errors"
	"path/filepath"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/graph"
	"example.org/compose/internal/plainfile"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

type graphCommand struct {
	selectionFlags
	As         string `enum:"mermaid,dot,svg," default:"" placeholder:"mermaid|dot|svg" help:"Draw it in this language (default: mermaid on a terminal, as --out is named in a file)."`
	Out        string `placeholder:"FILE" help:"Write the picture to a file."`
	Repository string `placeholder:"OWNER/NAME" help:"The catalog's identity, where its catalog.json names none."`

	sourceFlags
	targetFlag
}

func (c *graphCommand) Help() string {
	return `Draws the recipe, the components and why each is in, what they require, what they can't be together with, and their files by folder. Of a choice, or, without one, of the target's lock at its revision.

  compose graph --recipe skill
  compose graph --recipe skill --out composition.svg
  compose graph --target my-skill --as dot

With --format json and without --as the answer is the graph as a document.`
}

// The values of --as.
const (
	asMermaid = "mermaid"
	asDOT     = "dot"
	asSVG     = "svg"
)

func (c *graphCommand) Run(s *session) error {
	choice := &choiceFlags{Mode: modeInitial, selectionFlags: c.selectionFlags, Repository: c.Repository, sourceFlags: c.sourceFlags, targetFlag: c.targetFlag}
	if err := choice.check(); err != nil {
		return err
	}
	if err := (&planCommand{choiceFlags: *choice, Out: c.Out}).checkOut(); err != nil {
		return err
	}
	as, err := c.language()
	if err != nil {
		return err
	}
	m, err := refetched(s, &choice.sourceFlags, func() (*graph.Model, error) { return graphOf(s, choice) })
	if err != nil {
		return err
	}
	switch {
	case c.Out != "":
		if err := writeNamed(s.ctx, c.Out, draw(m, as)); err != nil {
			return &commandError{diag.Wrap(codeWriteFailed, c.Out, "the picture can't be written there; name another file", plainfile.Cause(err))}
		}
		return s.answer(m.Document(), func(w *textWriter) {
			w.line("Wrote %s: recipe %q with %s.", c.Out, m.Recipe.ID, diag.Count(len(m.Components), "component"))
		}, exitDone)
	case c.As == "" && s.format == formatJSON:
		return s.answer(m.Document(), nil, exitDone)
	}
	s.line.Stop()
	if _, err := s.stdout.Write(draw(m, as)); err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, "standard output", "the picture can't be written", err)}
	}
	return nil
}

// language returns the value of --as, or the one that --out is named for.
func (c *graphCommand) language() (string, error) {
	if c.As != "" || c.Out == "" {
		return c.As, nil
	}
	switch strings.ToLower(filepath.Ext(c.Out)) {
	case ".mmd", ".mermaid":
		return asMermaid, nil
	case ".dot", ".gv":
		return asDOT, nil
	case ".svg":
		return asSVG, nil
	}
	return "", &usageError{msg: "the name of --out does not say which language it is to be; add --as mermaid, dot or svg, or end the name in .mmd, .dot or .svg"}
}

func draw(m *graph.Model, as string) []byte {
	switch as {
	case asDOT:
		return m.DOT()
	case asSVG:
		return m.SVG()
	}
	return m.Mermaid()
}

// graphOf resolves the choice, or that of the target's lock.
func graphOf(s *session, choice *choiceFlags) (*graph.Model, error) {
	root, err := openTarget(choice.Target)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var locked *planner.Managed
	if !choice.chosen() {
		if locked, err = lockedChoice(planner.ReadManaged(root)); err != nil {
			return nil, choice.pending(root, err)
		}
		if choice.Revision == "" {
			choice.Revision = string(locked.Lock.Source.Revision)
		}
	}
	if err := choice.usePolicy(root); err != nil {
		return nil, err
	}
	var config resolver.Config
	if locked != nil {
		config = planner.UpdateConfig(locked.Lock)
	} else if config, err = choice.configuration(s.ctx, nil); err != nil {
		return nil, err
	}
	work, err := choice.openSource(s)
	if err != nil {
		if locked != nil {
			err = choice.notHere(err, locked.Lock)
		}
		return nil, err
	}
	defer work.Close()
	if err := work.load(s.ctx, choice.Repository); err != nil {
		return nil, err
	}
	if locked != nil {
		if err := work.catalog.CheckSuccessor(s.ctx, work.repository, locked.Lock.Source); err != nil {
			return nil, err
		}
	}
	return graph.Of(work.catalog, work.repository, config)
}

// lockedChoice says what to do where there is neither a choice nor a lock.
func lockedChoice(locked *planner.Managed, err error) (*planner.Managed, error) {
	var coded diag.Coded
	if errors.As(err, &coded) && coded.Code() == planner.CodeManagedLockRequired {
		return nil, &commandError{diag.New(codeConfigRequired, "",
			"the target has no lock to take the choice from; give one with --recipe ID or --config FILE, or name a managed target with --target DIR")}
	}
	return locked, err
}
