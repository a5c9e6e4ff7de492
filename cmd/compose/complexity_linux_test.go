package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"example.org/compose/internal/benchcmp/calls"
)

// Ten times the work does not cost fifteen times the system calls, a change of many files is flushed in a few calls, and no other program
// is started.
func TestComplexityOfCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("composes thousands of files")
	}
	program, err := exec.LookPath("compose") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	sizes := []int{100, 1000, 10_000}
	costs := map[string][]price{}
	for _, files := range sizes {
		bed := newBed(t, files)
		jobs := complexityJobs
		if files > 1000 { // tracing costs more than the calls
			jobs = jobs[:3]
		}
		for _, job := range jobs {
			c, err := calls.Count(t.Context(), exec.Command(program, bed.command(t, job, "")...), filepath.Join(t.TempDir(), "summary"))
			if errors.Is(err, calls.ErrUntraceable) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d files: %v", job, files, c)
			if n := c.Programs(); n != 1 {
				t.Errorf("%s: %d programs run, want compose alone", job, n)
			}
			if n := c.Flushes(); n > maxFlushes && files >= 1000 {
				t.Errorf("%s, %d files: %d flushes", job, files, n)
			}
			costs[job] = append(costs[job], price{calls: float64(c.Work())})
		}
	}
	for _, job := range complexityJobs {
		wantGrowth(t, job+": system calls", sizes, costs[job], bounds[job], func(c price) float64 { return c.calls })
	}
}
