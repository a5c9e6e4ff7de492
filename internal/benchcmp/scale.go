package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.org/compose/internal/benchcmp/calls"
	"example.org/compose/internal/benchcmp/sample"
)

// materials compares many with a tenth of them.
func (b *bench) materials() error {
	var groups [2]*group
	for i, files := range []int{b.options.large.materials / 10, b.options.large.materials} {
		t, err := b.bed(sample.Options{Files: files})
		if err != nil {
			return err
		}
		var rows []*row
		for _, job := range jobs {
			rows = append(rows, t.job(job))
		}
		groups[i] = b.measure("materials", files, 1, rows...)
	}
	values := map[string]float64{}
	for _, job := range jobs {
		few, many := groups[0].figuresOf(job), groups[1].figuresOf(job)
		if few.Error == "" && many.Error == "" {
			values[job] = median(many.WallMS) / median(few.WallMS)
			values[job+": MiB"] = many.PeakMiB
		}
	}
	b.counted("tenfold", b.options.large.materials, values)
	return nil
}

// commits asks whether a revision descends from another over a long history, without and with a commit-graph.
func (b *bench) commits() error {
	t, err := b.bed(sample.Options{Files: 50, Commits: b.options.large.commits})
	if err != nil {
		return err
	}
	source, err := t.source(sample.B)
	if err != nil {
		return err
	}
	for _, name := range []string{"commits", "commits, commit-graph"} {
		if name != "commits" {
			if err := b.call(source, "git", "commit-graph", "write", "--reachable"); err != nil {
				return err
			}
		}
		b.measure(name, 50, 1, always("git merge-base --is-ancestor A B", source, "git", "merge-base", "--is-ancestor", "A", "B"), t.job(plan))
	}
	return nil
}

// ballast plans from a small catalog in a large repository. The other repository has 1 MiB beside the catalog and is otherwise made in
// the same way.
func (b *bench) ballast() error {
	small, err := b.bed(sample.Options{Files: b.options.files[0], Ballast: 1})
	if err != nil {
		return err
	}
	large, err := b.bed(sample.Options{Files: b.options.files[0], Ballast: b.options.large.ballast})
	if err != nil {
		return err
	}
	alone, among := small.job(plan), large.job(plan)
	among.name = inLarge
	b.measure("ballast", b.options.files[0], 1, alone, among)
	return nil
}

const inLarge = "the same, in a large repository"

// unrelated counts the calls on a target that holds many files of somebody else.
func (b *bench) unrelated() error {
	t, err := b.bed(sample.Options{Files: b.options.files[0]})
	if err != nil {
		return err
	}
	composed, err := t.target()
	if err != nil {
		return err
	}
	values := map[string]float64{}
	for _, job := range []string{validate, plan, upgrade} {
		var work [2]int
		for i, files := range []int{0, b.options.large.unrelated} {
			target, err := t.copy(composed)
			if err != nil {
				return err
			}
			if err := litter(filepath.Join(target, "unrelated"), files); err != nil {
				return err
			}
			c, err := t.calls(job, target)
			if errors.Is(err, calls.ErrUntraceable) {
				fmt.Fprintln(b.out, "\nunrelated:", err)
				return nil
			}
			if err != nil {
				return err
			}
			work[i] = c.Work()
		}
		values[job] = float64(work[1]) / float64(work[0])
	}
	b.counted("unrelated", b.options.large.unrelated, values)
	return nil
}

// litter makes files, a thousand to a folder.
func litter(dir string, files int) error {
	for i := range files {
		folder := filepath.Join(dir, fmt.Sprint(i/1000))
		if i%1000 == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}
