package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/benchcmp/sample"
)

// bounds are what one file may cost, a tenth to a third above what it costs: so much more does each further file take, on the way from 100
// files to 1,000, on Linux with two cores. Who makes a job dearer finds its line here, and who makes it cheaper lowers it; with -v the tests say what they measure.
var bounds = map[string]price{
	"validate": {allocations: 1, bytes: 750, calls: 4.5},
	"no-op":    {allocations: 8, bytes: 5300, calls: 6},
	"plan":     {allocations: 12, bytes: 8800, calls: 6.3},
	"update":   {allocations: 29, bytes: 11_000, calls: 20},
	"fresh":    {allocations: 26, bytes: 8000, calls: 11},
}

// price is what a job takes: a run, or for each file.
type price struct{ allocations, bytes, calls float64 }

// maxFlushes is how often a change of many files makes something durable, however many they are. Fewer than some dozen are flushed one
// by one, so that on a busy disk they wait for nobody else's.
const maxFlushes = 12

// tenfold is how many times as much ten times the files may take. A file beyond a thousand may take twice what one before
// it took, so that a dear start hides nothing.
const (
	tenfold = 15
	further = 2
)

// complexityJobs in the order of their cost.
var complexityJobs = []string{"validate", "no-op", "plan", "update", "fresh"}

// Ten times the work does not cost fifteen times the allocations.
func TestComplexity(t *testing.T) {
	if testing.Short() {
		t.Skip("composes 10,000 files")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // each worker has its buffers
	sizes := []int{100, 1000, 10_000}
	costs := map[string][]price{}
	for _, files := range sizes {
		bed := newBed(t, files)
		for _, job := range complexityJobs {
			bed.allocated(t, job) // what is made once is made now
			costs[job] = append(costs[job], bed.allocated(t, job))
		}
	}
	for _, job := range complexityJobs {
		wantGrowth(t, job+": allocations", sizes, costs[job], bounds[job], func(c price) float64 { return c.allocations })
		wantGrowth(t, job+": bytes allocated", sizes, costs[job], bounds[job], func(c price) float64 { return c.bytes })
	}
}

// wantGrowth holds one figure of the costs at each size, the next ten times the one before, against the bounds.
func wantGrowth(t *testing.T, what string, sizes []int, costs []price, bound price, figure func(price) float64) {
	t.Helper()
	var line strings.Builder
	each := make([]float64, len(costs)) // of a file beyond the size before
	for i, c := range costs {
		fmt.Fprintf(&line, "  %d files: %.0f", sizes[i], figure(c))
		if i == 0 {
			continue
		}
		if figure(c) > tenfold*figure(costs[i-1]) {
			t.Errorf("%s: %.0f for %d files, %.0f for %d", what, figure(costs[i-1]), sizes[i-1], figure(c), sizes[i])
		}
		each[i] = (figure(c) - figure(costs[i-1])) / float64(sizes[i]-sizes[i-1])
		fmt.Fprintf(&line, ", %.1f for each further one", each[i])
		if i > 1 && each[i] > further*each[i-1] {
			t.Errorf("%s: %.1f for each of %d files, %.1f for each of %d", what, each[i-1], sizes[i-1], each[i], sizes[i])
		}
	}
	t.Logf("%s:%s", what, &line)
	if runtime.GOOS == "linux" && each[1] > figure(bound) {
		t.Errorf("%s: %.1f for each file, at most %.1f are allowed", what, each[1], figure(bound))
	}
}

// bed is a catalog with two revisions, checked out at each, and a target composed from the first.
type bed struct {
	dir, target string
	targets     int
}

func newBed(t *testing.T, files int) *bed {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir, err := os.MkdirTemp("/dev/shm", "complexity") // flushing takes no time there
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &bed{dir: dir, target: filepath.Join(dir, "target")}
	repository := filepath.Join(dir, "catalog.git")
	var stream bytes.Buffer
	if err := sample.New(sample.Options{Files: files, Scale: 0.1}).Import(&stream, sample.Whole); err != nil {
		t.Fatal(err)
	}
	env := append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	for _, args := range [][]string{
		{"init", "-q", "--bare", "-b", "main", repository},
		{"-C", repository, "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--done"},
		{"-c", "advice.detachedHead=false", "clone", "-q", "--branch", "A", repository, filepath.Join(dir, "A")},
		{"-c", "advice.detachedHead=false", "clone", "-q", "--branch", "B", repository, filepath.Join(dir, "B")},
	} {
		cmd := exec.Command("git", args...)
		cmd.Env = env
		if slices.Contains(args, "fast-import") {
			cmd.Stdin = &stream
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	b.run(t, b.command(t, "fresh", b.target))
	return b
}

// command is the command line of a job, on a target of its own where it changes one.
func (b *bed) command(t *testing.T, job, target string) []string {
	t.Helper()
	if target == "" {
		b.targets++
		target = filepath.Join(b.dir, fmt.Sprint("target-", b.targets))
		switch job {
		case "update":
			if err := os.CopyFS(target, os.DirFS(b.target)); err != nil {
				t.Fatal(err)
			}
		case "fresh":
		default:
			target = b.target
		}
	}
	words := map[string][]string{
		"validate": {"validate"},
		"no-op":    {"apply", "--mode", "update", "--source", filepath.Join(b.dir, "A")},
		"plan":     {"plan", "--mode", "upgrade", "--recipe", sample.Recipe, "--source", filepath.Join(b.dir, "B")},
		"update":   {"apply", "--mode", "upgrade", "--recipe", sample.Recipe, "--source", filepath.Join(b.dir, "B")},
		"fresh":    {"apply", "--recipe", sample.Recipe, "--source", filepath.Join(b.dir, "A")},
	}[job]
	return append(slices.Clone(words), "--format", "json", "--target", target)
}

// run runs a command in this process.
func (b *bed) run(t *testing.T, args []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if exit := run(args, &stdout, &stderr); exit != exitDone {
		t.Fatalf("%s: exit status %d\n%s%s", args, exit, &stdout, &stderr)
	}
}

// allocated counts what a job allocates in this process.
func (b *bed) allocated(t *testing.T, job string) price {
	t.Helper()
	args := b.command(t, job, "")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.run(t, args)
	runtime.ReadMemStats(&after)
	return price{allocations: float64(after.Mallocs - before.Mallocs), bytes: float64(after.TotalAlloc - before.TotalAlloc)}
}
