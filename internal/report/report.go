// Package report tells the whole of a plan to those who review it: as GitHub-flavoured Markdown within a budget of bytes, and as one
// self-contained HTML page.
//
// Start with OfInitial or OfManaged, which read every difference once and give a Report, and then Report.Markdown, Report.HTML or
// Report.Document. All are made from the same values, and each is one text for one report, byte for byte, on every run and every
// machine.
//
// The totals are exact, whatever is cut: how many files there are in each Bucket, how many lines come and go. What a report has no
// room for is counted where it would stand. Both forms are safe for any name and any content: what others wrote is text, never markup, and
// characters that nobody would see are escapes, as in package review.
//
// Terms: a Bucket is what becomes of a file; conflict is one of them. A Group is conflicts that are told together.
//
// docs/report.md says what the forms show, and what is left out first.
package report

import (
	"example.org/compose/internal/graph"
	"example.org/compose/internal/review"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Report is a plan as reviewers read it.
type Report struct {
	Operation string // "initial", or a planner.Operation
	Source    lockv2.Source
	From      lockv2.Revision // of the lock; "" for a first composition
	Recipe    lockv2.RecipeID
	OldRecipe lockv2.RecipeID // of the lock; "" for a first composition

	Conflicts  []Group      // in the order of the first conflict of each
	Components []Component  // that come, change and go: in this order, each by id
	Steady     int          // components that stay as they are
	Files      []File       // those not in conflict, by destination
	Graph      *graph.Model // of what the plan goes to; nil leaves it out
	Next       string       // the command that does what was planned or, with conflicts, plans again; "" for none
	Writes     bool         // an apply would write something
}

// Bucket is what becomes of a file.
type Bucket string

// The buckets.
const (
	Conflicting Bucket = "conflict"
	Create      Bucket = "create"
	Replace     Bucket = "replace"
	Remove      Bucket = "remove"
	Adopt       Bucket = "adopt"
	Preserve    Bucket = "preserve"
	Unchanged   Bucket = "unchanged"
)

// Buckets returns all buckets, in the order in which they are read.
func Buckets() []Bucket {
	return []Bucket{Conflicting, Create, Replace, Remove, Adopt, Preserve, Unchanged}
}

// File is a file of the plan.
type File struct {
	Bucket      Bucket
	Destination lockv2.Destination // "" for a conflict about a component
	Component   lockv2.ComponentID // "" for one of the composer's own places
	Ownership   lockv2.Ownership   // "" where it is not known
	Includes    *planner.IncludeChanges
	Comparisons []Comparison
	Why         string       // it is in conflict, where the others of its group have other reasons
	Ways        []review.Way // out of a conflict
}

// Comparison is a difference, perhaps less its last lines.
type Comparison struct {
	review.Comparison
	Left int // lines of its hunks that are not kept
}

// Group is the conflicts that have one code and one reason, or one code and each a reason of its own.
type Group struct {
	Code  string
	Why   string // the reason in words; "" where each has its own
	Files []File
}

// Component is a component that comes, changes or goes.
type Component struct {
	ID       lockv2.ComponentID
	From, To int64 // versions; 0 for none
}

// bucket returns which of Create, Replace and Remove it is.
func (c *Component) bucket() Bucket {
	switch {
	case c.From == 0:
		return Create
	case c.To == 0:
		return Remove
	}
	return Replace
}

// Lines counts the lines of differences.
type Lines struct {
	Added, Removed int
	Uncompared     int // files whose lines can't be compared: binary, too long, unreadable
}

func (l *Lines) add(f *File) {
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if c.Kind == review.Upstream { // of a conflict the consumer's edit counts
			continue
		}
		l.Added += c.Added
		l.Removed += c.Removed
		switch c.Omitted {
		case "", review.Same, review.LineEnds:
		default:
			l.Uncompared++
		}
	}
}

// Lines counts those that an apply would change.
func (r *Report) Lines() Lines {
	var sum Lines
	for i := range r.Files {
		sum.add(&r.Files[i])
	}
	return sum
}

// Lines counts those of a file.
func (f *File) Lines() Lines {
	var sum Lines
	sum.add(f)
	return sum
}

// Count returns how many files a bucket has; of Conflicting, how many conflicts there are.
func (r *Report) Count(b Bucket) int {
	n := 0
	if b == Conflicting {
		for _, g := range r.Conflicts {
			n += len(g.Files)
		}
	}
	for i := range r.Files {
		if r.Files[i].Bucket == b {
			n++
		}
	}
	return n
}

// in returns the files of a bucket.
func (r *Report) in(b Bucket) []*File {
	var files []*File
	for i := range r.Files {
		if r.Files[i].Bucket == b {
			files = append(files, &r.Files[i])
		}
	}
	return files
}

// buckets returns those that a plan of this kind can have.
func (r *Report) buckets() []Bucket {
	var list []Bucket
	for _, b := range Buckets() {
		managed := b == Replace || b == Remove || b == Preserve || b == Unchanged
		if (r.From == "" && !managed) || (r.From != "" && b != Adopt) || r.Count(b) > 0 {
			list = append(list, b)
		}
	}
	return list
}

// cutFiles counts the files whose lines are not all kept.
func (r *Report) cutFiles() int {
	n := 0
	count := func(files []File) {
		for i := range files {
			if files[i].left() > 0 {
				n++
			}
		}
	}
	count(r.Files)
	for _, g := range r.Conflicts {
		count(g.Files)
	}
	return n
}
