package validator_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

// targetVariable makes this binary a program that validates the target at its value.
const targetVariable = "VALIDATOR_TEST_TARGET"

func TestMain(m *testing.M) {
	if dir := os.Getenv(targetVariable); dir != "" {
		report, err := validator.Validate(context.Background(), dir)
		if err != nil {
			panic(err)
		}
		fmt.Print(report.State)
		return
	}
	os.Exit(m.Run())
}

// many writes a valid target of n files, each perFolder of them in a folder of its own, which is two below the one that holds all.
func many(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	lock := targettest.Lock()
	lock.Files = lock.Files[:1] // of the state component
	targettest.File(t, dir, string(lock.Files[0].Destination), "managed by compose\n")
	for i := range n - 1 {
		d := fmt.Sprintf("a/%05d/b/file%05d.txt", i/perFolder, i)
		targettest.File(t, dir, d, d)
		lock.Files = append(lock.Files, lockv2.File{Destination: lockv2.Destination(d), Component: "artifact.app-core", Ownership: lockv2.Managed, Digest: digest([]byte(d))})
	}
	encoded, err := lockv2.Encode(lock)
	if err != nil {
		t.Fatal(err)
	}
	targettest.File(t, dir, lockv2.LockPath, string(encoded))
	return dir
}

const perFolder = 20

// A file costs four system calls, a folder on the way two, and everything around them a few dozen.
func TestSystemCalls(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	count := func(dir, state string) map[string]int {
		table := filepath.Join(t.TempDir(), "table")
		cmd := exec.CommandContext(t.Context(), strace, "-f", "-c", "-e", "trace=%file,%desc", "-o", table, self)
		cmd.Env = append(os.Environ(), targetVariable+"="+dir)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "ptrace") {
			t.Skipf("tracing is not allowed: %s", out)
		}
		if err != nil || string(out) != state {
			t.Fatalf("%v\n%s", err, out)
		}
		b, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		calls := map[string]int{}
		for line := range strings.Lines(string(b)) {
			fields := strings.Fields(line) // the share of the time, seconds, microseconds a call, calls, errors or nothing, name
			if len(fields) < 5 {
				continue
			}
			if n, err := strconv.Atoi(fields[3]); err == nil && fields[len(fields)-1] != "total" {
				calls[fields[len(fields)-1]] = n
			}
		}
		return calls
	}
	const few, more = 20, 100
	none, least, most := count(filepath.Join(t.TempDir(), "none"), "absent"), count(many(t, few), "managed-valid"), count(many(t, few+more), "managed-valid")
	if least["openat2"] < few {
		t.Skip("no openat2 here")
	}
	around := -4 * few
	for name, n := range most {
		want := 0
		switch name {
		case "openat2", "close":
			want = more + 2*more/perFolder
		case "fstat", "read":
			want = more
		case "mmap", "munmap": // the size of the heap
			continue
		}
		around += least[name] - none[name]
		if n -= least[name]; n != want {
			t.Errorf("%d more files make %d more calls of %s, want %d", more, n, name, want)
		}
	}
	if around > 60 {
		t.Errorf("%d calls around the files: %v, for no target %v", around, least, none)
	}
	t.Logf("%d calls around the files", around)
}
