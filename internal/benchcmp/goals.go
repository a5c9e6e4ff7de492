package main

import (
	"fmt"
	"math"
)

// goal is a line of the table in docs/performance.md.
type goal struct {
	job, over string // as the table says it
	most      float64

	group string // where it is measured
	row   string // there, or a name among the values of the group
	base  string // the row that it is compared with; "" where the value is the answer, or the peak
	peak  bool   // MiB
	files int    // the number that it holds for; 0 means any
}

// goals are what compose is to reach.
var goals = []goal{
	{"compose version", "git --version", 2, "start", version, "git --version", false, 0},
	{"validate", "limit", 1.15, "validate", validate, "limit: hash and compare", false, 0},
	{"validate, 50 files", "git status, index fresh", 1.5, "small", validate, "git status, index fresh", false, 0},
	{"plan", "limit", 1.3, "plan", plan, "limit: hash all, trees of A and B, changed blobs", false, 0},
	{"plan", "git status, all touched, + git diff", 0.75, "plan", plan, "git status, every file touched, and git diff A B", false, 10_000},
	{"update", "limit", 1.2, "update", upgrade, "limit: hash old, write, flush, rename, flush, hash new", false, 0},
	{"update", "git checkout B", 2.5, "update", upgrade, "git checkout B", false, 0},
	{"update", "rsync --fsync", 0.25, "update", upgrade, "rsync -rc --delete --fsync", false, 0},
	{"update", "chezmoi apply", 0.08, "update", upgrade, "chezmoi apply", false, 0},
	{"update", "naive Python", 0.18, "update", upgrade, "python3, naive", false, 0},
	{"fresh", "limit", 1.2, "fresh", fresh, "limit: write, flush, rename, flush, hash new", false, 0},
	{"no-op update", "validate", 1.2, "validate", noop, validate, false, 0},
	{"flushes of an update", "count", 12, "counts", upgrade + ": flushes", "", false, 0},
	{"flushes of a fresh one", "count", 12, "counts", fresh + ": flushes", "", false, 0},
	{"programs started by an update", "count", 1, "counts", upgrade + ": programs", "", false, 0},
	{"growth of validate", "a tenth of the files", 11, "growth", validate, "", false, 0},
	{"growth of a no-op update", "a tenth of the files", 11, "growth", noop, "", false, 0},
	{"growth of plan", "a tenth of the files", 11, "growth", plan, "", false, 0},
	{"growth of update", "a tenth of the files", 11, "growth", upgrade, "", false, 0},
	{"growth of fresh", "a tenth of the files", 11, "growth", fresh, "", false, 0},
	{"peak memory of validate", "files a 16th as long", 1.1, "memory", validate, "", false, 0},
	{"peak memory of plan", "files a 16th as long", 1.1, "memory", plan, "", false, 0},
	{"peak memory of update", "files a 16th as long", 1.1, "memory", upgrade, "", false, 0},
	{"peak memory of fresh", "files a 16th as long", 1.1, "memory", fresh, "", false, 0},
	{"peak memory of validate", "MiB", 40, "validate", validate, "", true, 10_000},
	{"peak memory of a no-op update", "MiB", 40, "validate", noop, "", true, 10_000},
	{"peak memory of plan", "MiB", 40, "plan", plan, "", true, 10_000},
	{"peak memory of update", "MiB", 40, "update", upgrade, "", true, 10_000},
	{"peak memory of fresh", "MiB", 40, "fresh", fresh, "", true, 10_000},
	{"100,000 materials, validate", "MiB", 512, "tenfold", validate + ": MiB", "", false, 0},
	{"100,000 materials, plan", "MiB", 512, "tenfold", plan + ": MiB", "", false, 0},
	{"100,000 materials, update", "MiB", 512, "tenfold", upgrade + ": MiB", "", false, 0},
	{"100,000 materials, fresh", "MiB", 512, "tenfold", fresh + ": MiB", "", false, 0},
	{"100,000 materials, validate", "a tenth of the files", 11, "tenfold", validate, "", false, 0},
	{"100,000 materials, plan", "a tenth of the files", 11, "tenfold", plan, "", false, 0},
	{"100,000 materials, update", "a tenth of the files", 11, "tenfold", upgrade, "", false, 0},
	{"100,000 materials, fresh", "a tenth of the files", 11, "tenfold", fresh, "", false, 0},
	{"100,000 commits, plan", "git merge-base --is-ancestor", 3, "commits", plan, "git merge-base --is-ancestor A B", false, 0},
	{"the same, with a commit-graph", "git merge-base --is-ancestor", 3, "commits, commit-graph", plan, "git merge-base --is-ancestor A B", false, 0},
	{"repository of 2 GB, plan", "the catalog alone", 1.5, "ballast", inLarge, plan, false, 0},
	{"500,000 unrelated files, validate", "none, calls", 1, "unrelated", validate, "", false, 0},
	{"500,000 unrelated files, plan", "none, calls", 1, "unrelated", plan, "", false, 0},
	{"500,000 unrelated files, update", "none, calls", 1, "unrelated", upgrade, "", false, 0},
}

// verdict is what came of a goal in one group.
type verdict struct {
	Job, Over      string
	Files          int
	Measured, Most float64
	CPU            float64 `json:",omitempty"` // the same ratio of processor time, which a busy machine changes less
	Met            bool
	Missing        bool `json:",omitempty"` // a program is missing, or a row failed
}

// judge holds what was measured against the goals, and prints them.
func (b *bench) judge() {
	fmt.Fprintf(b.out, "\n%-36s %-38s %7s %9s %8s %6s\n", "goals", "over", "files", "measured", "at most", "cpu x")
	for _, wanted := range goals {
		for _, g := range b.result.Groups {
			if g.Name != wanted.group || wanted.files != 0 && wanted.files != g.Files {
				continue
			}
			v := wanted.verdict(g)
			b.result.Goals = append(b.result.Goals, v)
			said := "NOT MET"
			switch {
			case v.Missing:
				said = "not measured"
			case v.Met:
				said = "met"
			}
			fmt.Fprintf(b.out, "%-36s %-38s %7d %9s %8.2f %6s  %s\n", v.Job, v.Over, v.Files, number(v.Measured), v.Most, number(v.CPU), said)
		}
	}
}

// verdict measures a goal by a group.
func (w goal) verdict(g *group) verdict {
	v := verdict{Job: w.job, Over: w.over, Files: g.Files, Most: w.most}
	row, base := g.row(w.row), g.row(w.base)
	switch {
	case w.peak && row != nil:
		v.Measured = float64(row.peak) / (1 << 20)
	case w.base != "" && row != nil && base != nil:
		v.Measured, v.CPU = ratio(row, base)
	default:
		v.Measured = g.Values[w.row]
	}
	v.Measured = math.Round(v.Measured*100) / 100 // what is printed is what counts
	v.Missing = v.Measured == 0
	v.Met = !v.Missing && v.Measured <= w.most
	return v
}
