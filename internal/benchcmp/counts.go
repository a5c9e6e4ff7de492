package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"example.org/compose/internal/benchcmp/calls"
	"example.org/compose/internal/benchcmp/sample"
)

// counts are system calls of compose.
func (b *bench) counts() error {
	for _, files := range b.options.files {
		t, err := b.bed(sample.Options{Files: files})
		if err != nil {
			return err
		}
		values := map[string]float64{}
		for _, job := range jobs {
			c, err := t.calls(job, "")
			if errors.Is(err, calls.ErrUntraceable) {
				fmt.Fprintln(b.out, "\ncounts:", err)
				return nil
			}
			if err != nil {
				return err
			}
			values[job+": flushes"] = float64(c.Flushes())
			values[job+": programs"] = float64(c.Programs())
			values[job+": calls a file"] = float64(c.Work()) / float64(files)
		}
		b.counted("counts", files, values)
	}
	return nil
}

// calls counts those of a job; on a given target where it changes none.
func (t *bed) calls(job, target string) (calls.Calls, error) {
	c, err := t.job(job).make()
	if err == nil && target != "" {
		c, err = t.composing(job, target)
	}
	if err != nil {
		return nil, err
	}
	return calls.Count(t.b.ctx, t.b.program(c.dir, c.argv...), filepath.Join(t.b.work, "summary"))
}

// growth is what ten times the files cost, as far as two numbers of files were timed.
func (b *bench) growth() error {
	least, most := slices.Min(b.options.files), slices.Max(b.options.files)
	values := map[string]float64{}
	for _, job := range jobs {
		at := map[int]float64{}
		for _, g := range b.result.Groups {
			if r := g.row(job); r != nil {
				at[g.Files] = median(g.figuresOf(job).WallMS)
			}
		}
		if least < most && at[least] > 0 && at[most] > 0 {
			values[job] = at[most] / at[least] * 10 * float64(least) / float64(most)
		}
	}
	if len(values) > 0 {
		b.counted("growth", most, values)
	}
	return nil
}

// memory is the peak where every file is 16 times as long, over that where it is not.
func (b *bench) memory() error {
	files := b.options.files[0]
	values := map[string]float64{}
	for _, job := range jobs {
		var peaks [2]int64
		for i, scale := range []float64{1, 16} {
			o := sample.Options{Files: files}
			if scale > 1 {
				o.Scale = scale
			}
			t, err := b.bed(o)
			if err != nil {
				return err
			}
			for range 3 {
				c, err := t.job(job).make()
				if err != nil {
					return err
				}
				s, err := b.spend(c)
				if err != nil {
					return err
				}
				peaks[i] = max(peaks[i], s.Peak)
			}
		}
		if peaks[0] > 0 {
			values[job] = float64(peaks[1]) / float64(peaks[0])
		}
	}
	b.counted("memory", files, values)
	return nil
}
