package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/screen"
	"example.org/compose/lockv2"
	"example.org/compose/txn"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// The scripts of testdata/screens hold what people see, whole, 80 and 120 columns wide. go test -update rewrites them; read the
// difference as a person who uses the command.
func TestScreens(t *testing.T) {
	params := scripts(t, filepath.Join("testdata", "screens"))
	params.Cmds["screen"] = showScreen
	params.Cmds["interrupt"] = interrupt
	testscript.Run(t, params)
}

// showScreen runs compose for people: screen WIDTH STATUS ARGS...
func showScreen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: screen WIDTH STATUS ARGS...")
	}
	ts.Setenv("COLUMNS", args[0])
	exits(ts, false, append([]string{args[1], "compose", "--format", "human"}, args[2:]...))
}

// interrupt TARGET REVISION [SOURCE] leaves a target as an update to a revision of the built-in or another catalog that was killed when its marker was there.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: interrupt TARGET REVISION [SOURCE]")
	}
	c := &planCommand{}
	c.Mode, c.Source, c.Revision, c.Target = modeUpdate, builtinSource, args[1], ts.MkAbs(args[0])
	if len(args) == 3 {
		c.Source = ts.MkAbs(args[2])
	}
	s := &session{ctx: context.Background(), stdout: io.Discard, stderr: io.Discard}
	_, err := c.make(s, func(_ *rootfs.Root, made plan) error {
		p, ok := made.(managedPlan)
		if !ok {
			return fmt.Errorf("a %T", made)
		}
		marker := &txn.Marker{
			Operation: p.Operation, Source: p.Lock.Source,
			OldLockDigest: p.Old.Digest, NewLockDigest: fingerprint.Of[fingerprint.LockFile](p.LockBytes()),
			OldLock: p.Old.Lock, NewLock: &p.Lock, Actions: p.Actions(),
		}
		return os.WriteFile(filepath.Join(c.Target, filepath.FromSlash(lockv2.MarkerPath)), marker.Encode(), 0o644)
	})
	ts.Check(err)
}

// visible shows escape sequences as ^[, so that a golden file with them can be read.
func visible() {
	b, err := io.ReadAll(os.Stdin)
	if err == nil {
		_, err = os.Stdout.Write(bytes.ReplaceAll(b, []byte("\x1b"), []byte("^[")))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Each screen is there in both widths, and no line of it is wider but for what is copied whole: a command, a long path, a digest.
func TestScreensAreMeasured(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "screens", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%q: %v", names, err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		widths := map[string]int{}
		for _, file := range archive.Files {
			of, width, _ := strings.Cut(file.Name, ".")
			most, err := strconv.Atoi(width)
			if err != nil {
				continue // no screen
			}
			differences := strings.HasSuffix(of, "-diff") // whose lines are those of the files
			widths[of] += most
			if small := filepath.Base(name) == "plan.txtar" && slices.Contains([]string{"initial.80", "update.80", "upgrade.80"}, file.Name); small {
				if lines := strings.Count(string(file.Data), "\n"); lines > 24 {
					t.Errorf("%s: %s has %d lines; a small plan fits on a screen", name, file.Name, lines)
				}
			}
			for line := range strings.Lines(string(file.Data)) {
				if line = escapes.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""); screen.Width(line) > most && !differences && !copied.MatchString(line) {
					t.Errorf("%s: %s: wider than %d: %q", name, file.Name, most, line)
				}
			}
		}
		for of, sum := range widths {
			if sum != 80+120 {
				t.Errorf("%s: %s is not there 80 and 120 columns wide", name, of)
			}
		}
	}
}

var (
	escapes = regexp.MustCompile(`\^\[\[[0-9]*m`)
	copied  = regexp.MustCompile(`^( +|compose: hint: )(\$ )?(compose|git|mv|cp|mkdir|rm) |[^ ]{60}`)
)
