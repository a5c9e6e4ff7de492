package main

import (
	"context"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/review"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/screen"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// maxDiffs is about how many bytes of differences are shown: they are held in memory, and nobody reads more.
const maxDiffs = 32 << 20

func (p initialPlan) review(root *rootfs.Root) *review.Review {
	return review.OfInitial(p.InitialPlan, root)
}
func (p managedPlan) review(root *rootfs.Root) *review.Review {
	return review.OfManaged(p.ManagedPlan, root)
}

// reviewed is how the commands of a way out name target and source.
func (c *choiceFlags) reviewed() review.Place {
	source := *c
	source.Revision, source.Target = "", "."
	return review.Place{Target: c.Target, Source: source.located(nil)}
}

// differences returns a writer of differences for the stream that they are shown on.
func (s *session) differences() *textWriter {
	if s.format == formatJSON {
		return &textWriter{screen: s.err, verbose: s.verbose}
	}
	return &textWriter{screen: s.out, verbose: s.verbose}
}

// writeDiff adds what there is to see of each file in conflict, then the difference between what stands in the target and what would
// for each that the plan replaces or removes, and last the new files, the lines of which only verbose shows: they are the catalog's own.
func writeDiff(ctx context.Context, w *textWriter, r *review.Review) error {
	changed := &textWriter{screen: w.screen, verbose: w.verbose}
	created := &textWriter{screen: w.screen, verbose: w.verbose}
	var added []string
	beyond := lockv2.Destination("") // the first file of those that are too many
	for file, err := range r.Files(ctx) {
		if err != nil {
			return err
		}
		switch {
		case len(file.Comparisons) == 0:
			continue
		case file.Action == planner.Create && !w.verbose:
			added = append(added, newFile(file))
			continue
		case w.Len()+changed.Len()+created.Len() > maxDiffs:
			beyond = file.Destination
		case file.Conflict != nil:
			w.comparisons(file)
		case file.Action == planner.Create:
			created.comparisons(file)
		default:
			changed.comparisons(file)
		}
		if beyond != "" {
			break // before more is read
		}
	}
	w.Write(changed.Bytes())
	w.Write(created.Bytes())
	if len(added) > 0 {
		w.gap()
		w.list(len(added), "new file", func(i int) { w.line("%s", added[i]) })
		w.line("%s", faint("--verbose shows the lines of new files."))
	}
	if beyond != "" {
		w.gap()
		w.prose(0, "The differences from %s on are not shown: there are too many. Apply, and look at them in git.", beyond)
	}
	w.gap()
	return nil
}

// newFile says in a line what there is of a file that the plan creates.
func newFile(f *review.File) string {
	c := &f.Comparisons[0]
	size := diag.Count(c.Added, "line")
	if c.Omitted == review.Binary || c.Omitted == review.TooLong {
		size = diag.Count(int(c.New.Size), "byte")
	}
	return strings.Join(append([]string{string(f.Destination) + ": new file, " + size}, c.Notes...), "; ")
}

// comparisons adds what there is to see of a file, each set off.
func (w *textWriter) comparisons(f *review.File) {
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		w.gap()
		if c.Kind != review.Change {
			w.line("%s: %s", strong(f.Destination), c.Title())
		}
		for _, note := range c.Notes {
			w.line("%s: %s", f.Destination, faint(note))
		}
		switch {
		case c.Why != "":
			w.line("%s: %s: %s", f.Destination, c.Omitted, c.Why)
		case c.Omitted != "":
			w.line("%s: %s", f.Destination, c.Omitted)
		case len(c.Hunks) > 0:
			w.hunks(c)
		}
	}
}

// hunks adds a unified diff.
func (w *textWriter) hunks(c *review.Comparison) {
	w.line("%s", strong("--- "+c.Old.Name))
	w.line("%s", strong("+++ "+c.New.Name))
	for _, h := range c.Hunks {
		w.line("%s", faint(h.Header()))
		for i := range h.Lines {
			l := &h.Lines[i]
			w.put(0, diffLine(l))
			if l.NoNewline {
				w.line("%s", faint(`\ No newline at end of file`))
			}
		}
	}
}

// diffLine is a line in the colour of its side, with the escapes in it set off.
func diffLine(l *review.Line) screen.Text {
	style := screen.Plain
	switch l.Op {
	case review.Added:
		style = screen.Green
	case review.Removed:
		style = screen.Red
	}
	var text screen.Text
	before, done := string(l.Op), 0
	if l.Skipped > 0 {
		text = append(spans("%s%s", marked{style, before}, faint("("+diag.Count(l.Skipped, "character")+") ... ")), text...)
		before = ""
	}
	for _, e := range l.Escapes {
		text = append(text, screen.Span{Style: style, Text: before + l.Text[done:e.Start]}, screen.Span{Style: screen.Yellow, Text: l.Text[e.Start:e.End]})
		before, done = "", e.End
	}
	text = append(text, screen.Span{Style: style, Text: before + l.Text[done:]})
	if l.Cut > 0 {
		text = append(text, spans("%s", faint(" ... ("+diag.Count(l.Cut, "more character")+")"))...)
	}
	return text
}
