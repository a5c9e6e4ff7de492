package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"example.org/compose/internal/benchcmp/sample"
)

// bench is one run of benchcmp.
type bench struct {
	ctx            context.Context
	options        options
	work           string
	environ        []string
	compose, limit string // programs
	python         string
	out            io.Writer
	result         result

	beds map[sample.Options]*bed
	made int // folders, for their names
}

// newBench builds the programs.
func newBench(ctx context.Context, o options, work string, out io.Writer) (*bench, error) {
	b := &bench{ctx: ctx, options: o, work: work, out: out, beds: map[sample.Options]*bed{}}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, err
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	b.limit, b.compose = filepath.Join(work, "limit"+suffix), o.compose
	programs := map[string]string{b.limit: "example.org/compose/internal/benchcmp/limit"}
	if b.compose == "" {
		b.compose = filepath.Join(work, "compose"+suffix)
		programs[b.compose] = "example.org/compose/cmd/compose"
	}
	var err error
	if b.compose, err = filepath.Abs(b.compose); err != nil {
		return nil, err
	}
	for to, pkg := range programs { // as .ci/release does
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", to, pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s: %w\n%s", pkg, err, said)
		}
	}
	b.environ = environment(work)
	b.python = "python3"
	if path, err := b.program("", "python3", "-c", "import sys; print(sys.executable)").Output(); err == nil {
		b.python = strings.TrimSpace(string(path)) // what is found first may be a script that looks for it
	}
	b.result.Machine = machine(work)
	return b, nil
}

// environment is what every program gets: nobody's configuration, and nothing that steers git, Go or compose.
func environment(home string) []string {
	var list []string
	for _, v := range os.Environ() {
		steers := false
		for _, prefix := range []string{"GIT_", "COMPOSE_", "XDG_", "GODEBUG=", "GOGC=", "GOMAXPROCS=", "GOMEMLIMIT=", "LC_", "LANG"} {
			steers = steers || strings.HasPrefix(v, prefix)
		}
		if !steers {
			list = append(list, v)
		}
	}
	return append(list, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
}

// folder returns the name of a new folder, which it does not make.
func (b *bench) folder(label string) string {
	b.made++
	return filepath.Join(b.work, fmt.Sprintf("%05d-%s", b.made, label))
}

// spent is what a program took, as limit spend writes it.
type spent struct {
	Wall, CPU time.Duration
	Peak      int64
}

// command is a program to measure.
type command struct {
	argv   []string
	dir    string // "" is the work folder
	target string // what it changes, if anything
}

// spend runs a command and measures it.
func (b *bench) spend(c command) (s spent, err error) {
	to := filepath.Join(b.work, "spent")
	if err := b.call(c.dir, append([]string{b.limit, "spend", to}, c.argv...)...); err != nil {
		return s, err
	}
	text, err := os.ReadFile(to)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// call runs a program that is not measured. What it says is part of the error, if there is one.
func (b *bench) call(dir string, argv ...string) error {
	cmd := b.program(dir, argv...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if err != nil {
		text := strings.Join(strings.Fields(said.String()), " ")
		err = fmt.Errorf("%s: %w: %s", filepath.Base(argv[0]), err, text[max(0, len(text)-300):])
	}
	return err
}

// program is a command in the environment of all.
func (b *bench) program(dir string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, b.environ
	if dir == "" {
		cmd.Dir = b.work
	}
	return cmd
}

// bed returns the catalog of that size, which is made once.
func (b *bench) bed(o sample.Options) (*bed, error) {
	if made := b.beds[o]; made != nil {
		return made, nil
	}
	t, err := newBed(b, o)
	if err == nil {
		b.beds[o] = t
	}
	return t, err
}
