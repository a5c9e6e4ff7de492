package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/benchcmp/calls"
	"github.com/alecthomas/kong"
)

// linked returns the packages that the program is made of.
func linked(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// asProgram returns the test binary by the name under which it is the program.
func asProgram(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("compose") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(program, args...)
}

// What a package makes before main, it makes at every start, needed or not. A package of compose makes next to nothing, and what those of
// others make is known.
func TestLittleIsMadeBeforeMain(t *testing.T) {
	ours, others := 0, 0
	packages := linked(t)
	command := asProgram(t, "version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	command.Stderr = &trace
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(trace.String()) {
		pkg, size, allocs := "", 0, 0
		var at, took float64
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &pkg, &at, &took, &size, &allocs); n != 5 {
			continue
		}
		if !slices.Contains(packages, pkg) || pkg == "example.org/compose/cmd/compose" {
			continue // of the tests, or the package that they are in
		}
		switch first, _, _ := strings.Cut(pkg, "/"); {
		case first == "example.org":
			ours += allocs
			if allocs > 2 { // two are the closures of one sync.OnceValues
				t.Errorf("%s makes %d things before main, of %d bytes; make them when they are asked for", pkg, allocs, size)
			}
		case strings.Contains(first, "."):
			others += allocs
		}
	}
	t.Logf("%d allocations before main in packages of compose, %d in those of other modules", ours, others)
	if ours > 6 {
		t.Errorf("%d allocations before main in packages of compose", ours)
	}
	if others == 0 || others > 770 {
		t.Errorf("%d allocations before main in packages of other modules; want at most 770, and some", others)
	}
}

// Some packages look up methods by name, so that the linker keeps every method of every type, or are large and no part of what compose does.
func TestWhatIsNotLinked(t *testing.T) {
	packages := linked(t)
	for _, pkg := range []string{"encoding/gob", "expvar", "go/parser", "html/template", "net/http/pprof", "net/rpc", "plugin", "runtime/pprof", "testing", "text/template"} {
		if slices.Contains(packages, pkg) {
			t.Errorf("%s is linked", pkg)
		}
	}
}

// The smallest command shows what every command pays inside main.
func TestVersionIsSmall(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() { run([]string{"version"}, io.Discard, io.Discard) }); n > 700 {
		t.Errorf("%v allocations", n)
	}
	c, err := calls.Count(t.Context(), asProgram(t, "version"), filepath.Join(t.TempDir(), "summary"))
	if errors.Is(err, calls.ErrUntraceable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Log(c)
	if c.Work() > 80 || c["write"] != 1 {
		t.Errorf("%d system calls, %d of them write: %v", c.Work(), c["write"], c)
	}
}

// run calls the last command of a line by its interface, which kong does not ask for.
func TestEveryCommandRuns(t *testing.T) {
	parser, err := kong.New(&commandLine{}, append(grammar(nil), kong.Name("compose"), kong.Vars{"source": builtinSource})...)
	if err != nil {
		t.Fatal(err)
	}
	leaves := parser.Model.Leaves(false)
	if len(leaves) < len(commands()) {
		t.Errorf("%d commands", len(leaves))
	}
	for _, leaf := range leaves {
		if _, runs := leaf.Target.Addr().Interface().(runner); !runs {
			t.Errorf("compose %s has no Run(*session) error", leaf.Path())
		}
	}
}
