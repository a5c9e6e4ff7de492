// Command benchcmp times compose beside what a user would pick instead, and beside the limit of each job.
//
//	go run ./internal/benchcmp [-n 1000,10000] [-rounds 5] [-only start,validate,...] [-dir DIR] [-compose PATH] [-json FILE]
//
// The limit of a job is the job with nothing added (internal/benchcmp/limit), in the language of compose. git has to be there; rsync, sha256sum, openssl,
// python3, chezmoi and strace are used where they are. docs/performance.md says how to read what it prints.
//
// Every row is a whole process. After one run that is not counted, all rows of a group run once a round, each round in another order that
// is the same in every run of benchcmp. Whatever changes a target gets a new copy each time, and all is flushed before the clock
// starts. A ratio is the median of the ratios of each round: a neighbour that slows a round down slows both.
//
// Nothing is deleted before the end: on ext4, creating files soon after many were deleted nearby is many times slower.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "benchcmp:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	files   []int
	rounds  int
	only    []string
	dir     string
	compose string
	json    string
	large   large
}

// large are the sizes of the groups that run only when they are named.
type large struct {
	materials int // against a tenth of them
	commits   int
	ballast   int // MiB
	unrelated int // files
}

func parse(args []string) (options, error) {
	o := options{large: large{materials: 100_000, commits: 100_000, ballast: 2000, unrelated: 500_000}}
	flags := flag.NewFlagSet("benchcmp", flag.ContinueOnError)
	n := flags.String("n", "1000,10000", "files in the target, separated by commas")
	only := flags.String("only", strings.Join(groupNames(false), ","), "groups to run; there are also "+strings.Join(groupNames(true), ", ")+", and scale for these four")
	flags.IntVar(&o.rounds, "rounds", 5, "runs of each row that count")
	flags.StringVar(&o.dir, "dir", "", "where to work, on the file system to be measured; the default is the folder for temporary files")
	flags.StringVar(&o.compose, "compose", "", "the program to measure; the default is built from this module")
	flags.StringVar(&o.json, "json", "", "also write every figure to this file")
	flags.Func("share", "a share of the sizes of materials, commits, ballast and unrelated, such as 0.1", func(value string) error {
		share, err := strconv.ParseFloat(value, 64)
		for _, size := range []*int{&o.large.materials, &o.large.commits, &o.large.ballast, &o.large.unrelated} {
			*size = int(float64(*size) * share)
		}
		return err
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rounds < 1 {
		return o, fmt.Errorf("it takes flags alone, and one round at least")
	}
	for text := range strings.SplitSeq(*n, ",") {
		files, err := strconv.Atoi(text)
		if err != nil || files < 10 {
			return o, fmt.Errorf("-n %s: numbers from 10 on, separated by commas", *n)
		}
		o.files = append(o.files, files)
	}
	for name := range strings.SplitSeq(*only, ",") {
		switch {
		case name == "scale":
			o.only = append(o.only, groupNames(true)...)
		case slices.Contains(append(groupNames(true), groupNames(false)...), name):
			o.only = append(o.only, name)
		default:
			return o, fmt.Errorf("-only %s: there is no group %q", *only, name)
		}
	}
	return o, nil
}

// run measures and prints.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(o.dir, "benchcmp-")
	if err != nil {
		return err
	}
	defer func() {
		if cleaning := os.RemoveAll(work); err == nil {
			err = cleaning
		}
	}()
	work, err = filepath.Abs(work)
	if err != nil {
		return err
	}
	spread(work)
	b, err := newBench(ctx, o, work, out)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, b.result.Machine)
	for _, g := range groups {
		if !slices.Contains(o.only, g.name) {
			continue
		}
		if err := g.run(b); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		if ctx.Err() != nil { // rows that were interrupted are no figures
			return fmt.Errorf("%s: %w", g.name, ctx.Err())
		}
	}
	b.judge()
	return b.result.write(o.json)
}

// machine says on what the figures were measured.
func machine(work string) string {
	return fmt.Sprintf("%d cores, %s/%s, %s, Go %s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, processor(), strings.TrimPrefix(runtime.Version(), "go"), fileSystem(work))
}

// processor is what Linux calls it.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // absent elsewhere
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
