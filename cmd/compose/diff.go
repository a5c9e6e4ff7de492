package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"github.com/rogpeppe/go-internal/diff"
)

// maxDiff is the longest file, in bytes, whose lines are compared: a person reads no longer difference, and comparing lines
// takes several times the memory of the text.
const maxDiff = 1 << 20

// edit is one file that a plan would change, or in which a consumer's bytes stand in the way of that.
type edit struct {
	destination lockv2.Destination
	material    *planner.Material // supplies the new bytes; nil for a removal
}

func (p initialPlan) edits() []edit {
	var list []edit
	for _, a := range p.Actions {
		if a.Kind == planner.Create {
			list = append(list, edit{a.Material.Destination, a.Material})
		}
	}
	return append(list, conflictEdits(p.Composition, p.Conflicts)...)
}

func (p managedPlan) edits() []edit {
	var list []edit
	for _, a := range p.Actions() {
		list = append(list, edit{a.Destination, a.Material})
	}
	return append(list, conflictEdits(p.Composition, p.Conflicts)...)
}

func (p initialPlan) composition() *planner.Composition { return p.Composition }
func (p managedPlan) composition() *planner.Composition { return p.Composition }

// conflictEdits returns the files in conflict that comp has bytes for.
func conflictEdits(comp *planner.Composition, conflicts []planner.Conflict) []edit {
	wanted := make(map[lockv2.Destination]bool, len(conflicts))
	for _, c := range conflicts {
		wanted[c.Destination] = true
	}
	var list []edit
	for i := range comp.Materials {
		if m := &comp.Materials[i]; wanted[m.Destination] {
			list = append(list, edit{m.Destination, m})
		}
	}
	return list
}

// writeDiff adds, for each file that the plan would change, the difference between what stands in the target and what would.
func writeDiff(ctx context.Context, w *textWriter, root *rootfs.Root, p plan) error {
	for _, e := range p.edits() {
		before, was, err := current(root, e.destination)
		if err != nil {
			w.line("%s: %s", e.destination, err)
			continue
		}
		var after []byte
		is := "/dev/null"
		if e.material != nil {
			if after, err = supplied(ctx, p.composition(), e.material); err != nil {
				return err
			}
			is = "b/" + string(e.destination)
		}
		switch {
		case len(before) > maxDiff || len(after) > maxDiff:
			w.line("%s: too long to compare line by line", e.destination)
		case bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(after, 0) >= 0:
			w.line("%s: binary files differ", e.destination)
		default:
			w.diff(was, is, diff.Diff(was, before, is, after))
		}
	}
	return nil
}

// current returns what stands at the destination, at most a byte past maxDiff, and the name that a diff has for it.
func current(root *rootfs.Root, d lockv2.Destination) ([]byte, string, error) {
	f, _, err := root.OpenFile(d)
	var fault *rootfs.Error
	if errors.As(err, &fault) && fault.Reason == rootfs.Missing {
		return nil, "/dev/null", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxDiff+1))
	return b, "a/" + string(d), err
}

// supplied returns the bytes of a material, at most one past maxDiff.
func supplied(ctx context.Context, comp *planner.Composition, m *planner.Material) ([]byte, error) {
	r, err := comp.Open(ctx, m)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxDiff+1))
}

// diff adds a unified diff, without the line that repeats the two names. Characters that would steer a terminal are shown.
func (w *textWriter) diff(was, is string, text []byte) {
	body := strings.TrimPrefix(string(text), fmt.Sprintf("diff %s %s\n", was, is))
	for line := range strings.Lines(body) {
		for i, part := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
			if i > 0 {
				w.WriteByte('\t')
			}
			w.WriteString(printable(part))
		}
		w.WriteByte('\n')
	}
}
