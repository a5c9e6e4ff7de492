package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/compose/internal/review"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// word is how a bucket is called.
type word struct{ sign, title, one, many string } // one and many: of a number of files, in a sentence

// said returns the words of a bucket.
func (b Bucket) said() word {
	switch b {
	case Conflicting:
		return word{"!", "Conflict", "in conflict", "in conflict"}
	case Create:
		return word{"+", "Create", "to create", "to create"}
	case Replace:
		return word{"~", "Replace", "to replace", "to replace"}
	case Remove:
		return word{"−", "Remove", "to remove", "to remove"}
	case Adopt:
		return word{"=", "Adopt as it is", "to adopt as it is", "to adopt as they are"}
	case Preserve:
		return word{"·", "Left to you", "left to you", "left to you"}
	}
	return word{"·", "Unchanged", "unchanged", "unchanged"}
}

// operation names the kind of plan.
func (r *Report) operation() string {
	switch planner.Operation(r.Operation) {
	case planner.Update:
		return "Update"
	case planner.Upgrade:
		return "Upgrade"
	}
	return "First composition"
}

// heading says what the plan is of, each name within before and after.
func (r *Report) heading(name func(string) string) string {
	recipe := name(string(r.Recipe))
	if r.OldRecipe != "" && r.OldRecipe != r.Recipe {
		recipe = name(string(r.OldRecipe)) + " → " + recipe
	}
	return r.operation() + " of recipe " + recipe
}

// revisions says from where to where the plan goes, after the name of the catalog.
func (r *Report) revisions(name func(string) string) string {
	to := name(short(r.Source.Revision))
	switch r.From {
	case "":
		return " at " + to
	case r.Source.Revision:
		return " at " + to + ", as before"
	}
	return ", " + name(short(r.From)) + " → " + to
}

// short returns enough of a revision to find it.
func short(r lockv2.Revision) string { return string(r[:min(len(r), 12)]) }

// verdict says in a few words what the plan comes to, and in a sentence what follows.
func (r *Report) verdict() (words, follows string) {
	switch n := r.Count(Conflicting); {
	case n > 0:
		return count(n, "conflict"), "Nothing is written until none is left."
	case !r.Writes:
		return "Nothing to do", "The target is as the catalog wants it."
	case r.Count(Create)+r.Count(Replace)+r.Count(Remove) == 0:
		return "No conflicts", "The lock alone changes."
	}
	return "No conflicts", "An apply does all of it, or nothing."
}

// String says "+3 −1", and how many files could not be compared.
func (l Lines) String() string {
	var parts []string
	switch {
	case l.Added > 0 && l.Removed > 0:
		parts = append(parts, fmt.Sprintf("+%s −%s", thousands(l.Added), thousands(l.Removed)))
	case l.Added > 0:
		parts = append(parts, "+"+thousands(l.Added))
	case l.Removed > 0:
		parts = append(parts, "−"+thousands(l.Removed))
	}
	if l.Uncompared > 0 {
		parts = append(parts, count(l.Uncompared, "file")+" not comparable by lines")
	}
	return strings.Join(parts, ", ")
}

// change says what happens to a component.
func (c *Component) change() string {
	switch c.bucket() {
	case Create:
		return fmt.Sprintf("added, version %d", c.To)
	case Remove:
		return fmt.Sprintf("removed, version %d", c.From)
	}
	if c.From == c.To {
		return fmt.Sprintf("version %d, with another descriptor", c.To)
	}
	return fmt.Sprintf("version %d → %d", c.From, c.To)
}

// components counts what changes: "1 added, 2 changed, 9 as before".
func (r *Report) components() string {
	n := map[Bucket]int{}
	for i := range r.Components {
		n[r.Components[i].bucket()]++
	}
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{n[Create], "added"}, {n[Replace], "changed"}, {n[Remove], "removed"}, {r.Steady, "as before"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(parts, ", ")
}

// name is what a conflict is about: its destination, or else its component.
func (f *File) name() string {
	if f.Destination == "" {
		return string(f.Component)
	}
	return string(f.Destination)
}

// supplier says which component a file is of, and whose its bytes are where that is not the catalog.
func (f *File) supplier() string {
	text := string(f.Component)
	if f.Destination == "" {
		text = "component"
	}
	if f.Ownership != lockv2.Managed && f.Ownership != "" {
		text += ", " + string(f.Ownership)
	}
	return strings.TrimPrefix(text, ", ")
}

// include is an included file that made a difference to a composed material.
type include struct{ path, change string }

// included lists the included files that made a difference.
func (f *File) included() []include {
	var list []include
	if f.Includes != nil {
		for _, part := range []struct {
			change string
			paths  []string
		}{{"added", f.Includes.Added}, {"changed", f.Includes.Changed}, {"removed", f.Includes.Removed}} {
			for _, path := range part.paths {
				list = append(list, include{path, part.change})
			}
		}
	}
	return list
}

// instead says what stands in the place of a comparison's lines; "" where they are there.
func (c *Comparison) instead() string {
	switch {
	case c.Why != "":
		return c.Omitted.String() + ": " + c.Why
	case c.Omitted != "":
		return c.Omitted.String()
	case len(c.Hunks) == 0 && c.Left == 0 && c.Kind == review.Change && !c.Old.Present:
		return "the new file is empty"
	case len(c.Hunks) == 0 && c.Left == 0:
		return "no line differs"
	}
	return ""
}

// count says "1 file" or "3 files".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands writes a number as people read it: 12,345.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// extent says in a word or two how large the difference of a file is; "" where there is none to see.
func (f *File) extent() string {
	lines := f.Lines()
	if lines.Uncompared == 0 {
		return lines.String()
	}
	for i := range f.Comparisons {
		switch f.Comparisons[i].Omitted {
		case review.Binary:
			return "binary"
		case review.TooLong:
			return "too long"
		}
	}
	return "not readable"
}

// left counts the lines of a file that the report does not keep.
func (f *File) left() int {
	n := 0
	for i := range f.Comparisons {
		n += f.Comparisons[i].Left
	}
	return n
}

// upper makes a sentence of what was written to stand after a name.
func upper(s string) string {
	if s == "" {
		return ""
	}
	return upperFirst(s) + "."
}

func upperFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 || first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
