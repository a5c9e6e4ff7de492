package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"time"
)

// row is one way to do a job.
type row struct {
	name  string
	tool  string                    // the row is left out where this program is missing
	make  func() (command, error)   // prepares a run
	check func(target string) error // looks at what the first run left

	runs []spent
	peak int64
	err  error
}

// always is the row of a command that changes nothing.
func always(name, dir string, argv ...string) *row {
	return &row{name: name, tool: argv[0], make: func() (command, error) { return command{argv: argv, dir: dir}, nil }}
}

// measure runs the rows of a group, batch times in a row where one run is too short to tell, and prints them. The first is the limit.
func (b *bench) measure(name string, files, batch int, rows ...*row) *group {
	rows = slices.DeleteFunc(rows, func(r *row) bool {
		if r == nil || r.tool == "" {
			return r == nil
		}
		_, err := exec.LookPath(r.tool)
		return err != nil
	})
	for _, r := range rows {
		r.err = b.first(r)
	}
	order := rand.New(rand.NewPCG(1, 1))
	for range b.options.rounds {
		for _, i := range order.Perm(len(rows)) {
			if r := rows[i]; r.err == nil {
				r.err = b.round(r, batch)
			}
		}
	}
	g := &group{Name: name, Files: files}
	for i, r := range rows {
		g.Rows = append(g.Rows, r.figures())
		if i > 0 {
			g.Rows[i].OverFirst, g.Rows[i].CPUOverFirst = ratio(r, rows[0])
		}
	}
	g.rows = rows
	b.result.Groups = append(b.result.Groups, g)
	g.print(b.out)
	return g
}

// first is the run that does not count.
func (b *bench) first(r *row) error {
	c, err := r.make()
	if err != nil {
		return err
	}
	s, err := b.spend(c)
	r.peak = s.Peak
	if err == nil && r.check != nil {
		err = r.check(c.target)
	}
	return err
}

// round runs a row.
func (b *bench) round(r *row, batch int) error {
	var sum spent
	for range batch {
		c, err := r.make()
		if err != nil {
			return err
		}
		if batch == 1 {
			flushAll(b.work)
		}
		s, err := b.spend(c)
		if err != nil {
			return err
		}
		sum.Wall += s.Wall
		sum.CPU += s.CPU
		r.peak = max(r.peak, s.Peak)
	}
	sum.Wall, sum.CPU = sum.Wall/time.Duration(batch), sum.CPU/time.Duration(batch)
	r.runs = append(r.runs, sum)
	return nil
}

// ratio is the median of the ratios of each round, of the time on the wall and of that on the processors; 0 where there is none.
func ratio(r, base *row) (wall, cpu float64) {
	if r.err != nil || base.err != nil {
		return 0, 0
	}
	var walls, cpus []float64
	for i := range min(len(r.runs), len(base.runs)) {
		walls = append(walls, float64(r.runs[i].Wall)/float64(base.runs[i].Wall))
		cpus = append(cpus, float64(r.runs[i].CPU)/float64(max(base.runs[i].CPU, 1)))
	}
	return median(walls), median(cpus)
}

// median is the upper one of an even number.
func median[T cmp.Ordered](list []T) (m T) {
	if len(list) == 0 {
		return m
	}
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// figures are what is shown of a row.
func (r *row) figures() figures {
	f := figures{Name: r.name, PeakMiB: float64(r.peak) / (1 << 20)}
	if r.err != nil {
		f.Error = fmt.Sprint(r.err)
		return f
	}
	for _, s := range r.runs {
		f.WallMS = append(f.WallMS, s.Wall.Seconds()*1e3)
		f.CPUMS = append(f.CPUMS, s.CPU.Seconds()*1e3)
	}
	return f
}
