package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/graph"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/report"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

type reportCommand struct {
	choiceFlags
	As       string `enum:"markdown,html," default:"" placeholder:"markdown|html" help:"Write it in this form (default: as --out is named, else markdown)."`
	Out      string `placeholder:"FILE" help:"Write the report to a file."`
	MaxBytes int    `default:"60000" placeholder:"N" help:"Markdown of at most so many bytes (default: 60000, which GitHub takes as a comment)."`
	ExitCode bool   `help:"Exit 1 when apply would write anything, 0 when it would not."`
}

func (c *reportCommand) Help() string {
	return `Makes the same plan as compose plan, with the same exit status, and writes it for those who review it: conflicts with the ways out, exact totals, components, files, the lines that change and the graph. Markdown fits into a comment or a job summary, and counts what there is no room for; HTML is one page that opens anywhere, without a network.

  compose report --mode update > comment.md
  compose report --mode update --out report.html
  compose report --mode upgrade --config composition.json --as markdown --max-bytes 20000

With --format json and without --as the answer is the totals as a document.`
}

// The values of --as.
const (
	asMarkdown = "markdown"
	asHTML     = "html"
)

func (c *reportCommand) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.MaxBytes < report.MinMarkdown {
		return &usageError{msg: fmt.Sprintf("--max-bytes %d is too little for the totals; give %d or more", c.MaxBytes, report.MinMarkdown)}
	}
	planned := &planCommand{choiceFlags: c.choiceFlags, Out: c.Out}
	if err := planned.checkOut(); err != nil {
		return err
	}
	as, err := c.form()
	if err != nil {
		return err
	}
	r, err := refetched(s, &planned.sourceFlags, func() (*report.Report, error) { return c.made(s, planned) })
	if err != nil {
		return err
	}
	text, cut := c.write(r, as)
	exit := exitDone
	switch {
	case len(r.Conflicts) > 0:
		exit = exitRefused
	case c.ExitCode && r.Writes:
		exit = exitChanges
	}
	switch {
	case c.Out != "":
		if err := writeNamed(s.ctx, c.Out, text); err != nil {
			return &commandError{diag.Wrap(codeWriteFailed, c.Out, "the report can't be written there; name another file", plainfile.Cause(err))}
		}
		return s.answer(r.Document(as, len(text), cut), func(w *textWriter) { c.written(w, r, as, len(text), cut) }, exit)
	case c.As == "" && s.format == formatJSON:
		return s.answer(r.Document("", 0, report.Cut{}), nil, exit)
	}
	s.line.Stop()
	if _, err := s.stdout.Write(text); err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, "standard output", "the report can't be written", err)}
	}
	s.exit = exit
	return nil
}

// form returns the value of --as, or the one that --out is named for.
func (c *reportCommand) form() (string, error) {
	switch strings.ToLower(filepath.Ext(c.Out)) {
	case ".html", ".htm":
		if c.As == "" {
			return asHTML, nil
		}
	case ".md", ".markdown", "":
	default:
		if c.As == "" {
			return "", &usageError{msg: "the name of --out does not say which form the report is to have; add --as markdown or html, or end the name in .md or .html"}
		}
	}
	if c.As == "" {
		return asMarkdown, nil
	}
	return c.As, nil
}

// made plans, and reads what a report tells.
func (c *reportCommand) made(s *session, planned *planCommand) (*report.Report, error) {
	var r *report.Report
	_, err := planned.makeFrom(s, func(root *rootfs.Root, work *composeWork, p plan) error {
		options := report.Options{Place: planned.reviewed(), Why: whyOf, Next: planned.again("compose", "apply")}
		if len(p.conflicts()) > 0 {
			options.Next = planned.again("compose", "plan")
		}
		s.working("comparing lines")
		var err error
		r, err = p.report(s.ctx, root, work, options)
		return err
	})
	return r, err
}

// report tells the whole of a first plan.
func (p initialPlan) report(ctx context.Context, root *rootfs.Root, work *composeWork, o report.Options) (*report.Report, error) {
	var err error
	if o.Graph, err = work.graph(&p.Composition.Lock); err != nil {
		return nil, err
	}
	return report.OfInitial(ctx, p.InitialPlan, root, o)
}

// report tells the whole of an update or upgrade.
func (p managedPlan) report(ctx context.Context, root *rootfs.Root, work *composeWork, o report.Options) (*report.Report, error) {
	var err error
	if o.Graph, err = work.graph(&p.Lock); err != nil {
		return nil, err
	}
	return report.OfManaged(ctx, p.ManagedPlan, root, o)
}

// graph returns what a lock of this work is resolved to.
func (w *composeWork) graph(lock *lockv2.Lock) (*graph.Model, error) {
	return graph.Of(w.catalog, w.repository, planner.UpdateConfig(lock))
}

// write returns the report in a form, and what it leaves out.
func (c *reportCommand) write(r *report.Report, as string) ([]byte, report.Cut) {
	if as == asHTML {
		return r.HTML()
	}
	return r.Markdown(c.MaxBytes)
}

// written says what the file holds.
func (c *reportCommand) written(w *textWriter, r *report.Report, as string, size int, cut report.Cut) {
	if as == asHTML {
		w.line("Wrote %s: one HTML page.", c.Out)
	} else {
		w.line("Wrote %s: Markdown, %d of at most %s.", c.Out, size, diag.Count(c.MaxBytes, "byte"))
	}
	if left := cut.String(r); left != "" {
		w.prose(0, "%s %s.", caution("Left out:"), left)
	}
	if n := r.Count(report.Conflicting); n > 0 {
		w.line("%s: nothing is written to the target until none is left.", bad(diag.Count(n, "conflict")))
	}
}
