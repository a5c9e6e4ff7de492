package main

import (
	"context"

	"example.org/compose/internal/review"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/screen"
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
		return &textWriter{screen: s.err}
	}
	return &textWriter{screen: s.out}
}

// writeDiff adds, for each file that the plan would change, the difference between what stands in the target and what would, and for
// each file in conflict what there is to see.
func writeDiff(ctx context.Context, w *textWriter, r *review.Review) error {
	for file, err := range r.Files(ctx) {
		switch {
		case err != nil:
			return err
		case len(file.Comparisons) == 0:
		case w.Len() > maxDiffs:
			w.gap()
			w.prose(0, "The differences from %s on are not shown: there are too many. Apply, and look at them in git.", file.Destination)
			return nil
		default:
			w.comparisons(file)
		}
	}
	w.gap()
	return nil
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
		text = append(spans("%s%s", marked{style, before}, faint("("+count(l.Skipped, "character")+") ... ")), text...)
		before = ""
	}
	for _, e := range l.Escapes {
		text = append(text, screen.Span{Style: style, Text: before + l.Text[done:e.Start]}, screen.Span{Style: screen.Yellow, Text: l.Text[e.Start:e.End]})
		before, done = "", e.End
	}
	text = append(text, screen.Span{Style: style, Text: before + l.Text[done:]})
	if l.Cut > 0 {
		text = append(text, spans("%s", faint(" ... ("+count(l.Cut, "more character")+")"))...)
	}
	return text
}
