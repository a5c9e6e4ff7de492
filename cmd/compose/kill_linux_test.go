package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"golang.org/x/sys/unix"
)

// By default the program is killed at a sample of its calls; with -kill.full at every one.
var killEverywhere = flag.Bool("kill.full", false, "kill the program at every call that changes a file system")

// killCase is a command that is killed.
type killCase struct {
	name    string
	prepare []string // makes the target; nil: it is absent
	command []string
	finish  []string // the same where a marker stands: then it takes no choice
}

// The program is killed as any of its threads enters a call that changes a file system: at the first, at the second, and so on until it
// comes to its end. The same command must then reach the end that it would have reached at once. At some of these points
// that command is killed too, at each of its calls in turn, and typed a third time.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program many times")
	}
	revisions, err := starter.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	r1, r2, r3 := string(revisions[0]), string(revisions[1]), string(revisions[2])
	apply := func(words ...string) []string { return append([]string{"apply", "--format", "json"}, words...) }
	update := apply("--mode", "update", "--revision", r2)
	for _, c := range []killCase{
		{"initial", nil, apply("--recipe", "skill", "--revision", r1), apply("--recipe", "skill", "--revision", r1)},
		{"update", apply("--recipe", "skill", "--revision", r1), update, update},
		{"upgrade", apply("--recipe", "skill", "--include", "capability.cli", "--revision", r2),
			apply("--mode", "upgrade", "--recipe", "skill", "--include", "capability.code-review", "--revision", r3),
			apply("--mode", "upgrade", "--revision", r3)},
	} {
		t.Run(c.name, c.run)
	}
}

func (c killCase) run(t *testing.T) {
	want := c.stand(t)
	start := map[string]string{}
	if c.prepare != nil {
		start = contents(t, want)
	}
	oldLock, _ := os.ReadFile(filepath.Join(want, lockv2.LockPath))
	if exit, out := compose(c.command, want); exit != 0 {
		t.Fatalf("undisturbed: %s", out)
	}
	newLock, err := os.ReadFile(filepath.Join(want, lockv2.LockPath))
	if err != nil {
		t.Fatal(err)
	}
	end := contents(t, want)
	step, secondStep := 11, 29
	if *killEverywhere {
		step, secondStep = 1, 4
	}
	var points table
	twice := 0
	for n := 1; ; n += step {
		dir := c.stand(t)
		first := traced(t, n, c.command, dir)
		if !first.killed {
			wantTree(t, dir, end, "the run that was not killed")
			break
		}
		state := stateOf(t, dir, oldLock, newLock)
		if n%(3*step) == 1 {
			twice += c.killTwice(t, n, secondStep, end)
		}
		state.next = c.ends(t, dir, fmt.Sprintf("killed at call %d (%s)", n, first.last))
		wantTree(t, dir, end, fmt.Sprintf("killed at call %d (%s)", n, first.last))
		points.add(n, first.last, state)
	}
	t.Logf("%s, killed at %d calls, and the second command at %d:\n%s", c.name, points.calls, twice, points.String())
	// Each file that is new or another takes three calls at least, to create, to write and to install it.
	least := 3 * len(changes(start, end)) / step
	if points.calls < least || twice == 0 {
		t.Errorf("killed at %d calls, want %d at least, and the second command at %d", points.calls, least, twice)
	}
}

// next is what is typed when the command was killed.
func (c killCase) next(dir string) []string {
	if _, err := os.Lstat(filepath.Join(dir, lockv2.MarkerPath)); err == nil {
		return c.finish
	}
	return c.command
}

// ends types the command again and returns what it says: that it is done, or, of a first composition, that there is one.
func (c killCase) ends(t *testing.T, dir, when string) string {
	t.Helper()
	exit, out := compose(c.next(dir), dir)
	said := outcome(out)
	if exit != 0 && (c.prepare != nil || said != planner.CodeUnmanagedTargetRequired) {
		t.Fatalf("%s: the same command: %s", when, out)
	}
	return said
}

// killTwice kills the command at call n, and the next one at each of a sample of its calls.
func (c killCase) killTwice(t *testing.T, n, step int, end map[string]string) (kills int) {
	for m := 1; ; m += step {
		dir := c.stand(t)
		traced(t, n, c.command, dir)
		second := traced(t, m, c.next(dir), dir)
		if !second.killed {
			return kills
		}
		kills++
		when := fmt.Sprintf("killed at call %d, and the next at call %d (%s)", n, m, second.last)
		c.ends(t, dir, when)
		wantTree(t, dir, end, when)
	}
}

// stand makes a target in memory where there is a file system for that.
func (c killCase) stand(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("/dev/shm", "kill")
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	dir := filepath.Join(base, "target")
	if c.prepare != nil {
		if exit, out := compose(c.prepare, dir); exit != 0 {
			t.Fatal(out)
		}
	}
	return dir
}

// compose runs the command in this process.
func compose(args []string, target string) (exit int, out string) {
	var stdout, stderr bytes.Buffer
	exit = run(append(args, "--target", target), &stdout, &stderr)
	return exit, stdout.String() + stderr.String()
}

// outcome is the status of an answer, or its code.
func outcome(out string) string {
	var answer struct{ Status, Code string }
	_ = json.Unmarshal([]byte(out), &answer)
	if answer.Code != "" {
		return answer.Code
	}
	return answer.Status
}

// killState is what a kill left.
type killState struct {
	lock   string // none, old, new
	marker bool
	state  string // what inspect calls it
	next   string // what the next command says
}

func stateOf(t *testing.T, dir string, oldLock, newLock []byte) killState {
	t.Helper()
	s := killState{lock: "other"}
	b, err := os.ReadFile(filepath.Join(dir, lockv2.LockPath))
	switch {
	case err != nil:
		s.lock = "none"
	case bytes.Equal(b, newLock):
		s.lock = "new"
	case bytes.Equal(b, oldLock):
		s.lock = "old"
	}
	_, err = os.Lstat(filepath.Join(dir, lockv2.MarkerPath))
	s.marker = err == nil
	_, out := compose([]string{"inspect", "--format", "json"}, dir)
	var answer struct{ State string }
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("inspect: %v: %s", err, out)
	}
	s.state = answer.State
	return s
}

// table is the table of docs/reliability.md.
type table struct {
	rows  []killRow
	calls int
}

type killRow struct {
	from, to   int
	begin, end string // the calls
	killState
}

func (p *table) add(n int, call string, s killState) {
	p.calls++
	if last := len(p.rows) - 1; last >= 0 && p.rows[last].killState == s {
		p.rows[last].to, p.rows[last].end = n, call
		return
	}
	p.rows = append(p.rows, killRow{n, n, call, call, s})
}

func (p *table) String() string {
	var b strings.Builder
	b.WriteString("| killed at call | from, to | lock | marker | inspect says | the same command says | end |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range p.rows {
		marker := "no"
		if r.marker {
			marker = "yes"
		}
		fmt.Fprintf(&b, "| %d to %d | `%s`, `%s` | %s | %s | `%s` | `%s` | the right one |\n", r.from, r.to, r.begin, r.end, r.lock, marker, r.state, r.next)
	}
	return b.String()
}

// contents returns mode and bytes by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		out[rel] = info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out[rel] += " " + string(b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// changes are the regular files of to that are not so in from.
func changes(from, to map[string]string) (paths []string) {
	for path, what := range to {
		if strings.HasPrefix(what, "-") && from[path] != what {
			paths = append(paths, path)
		}
	}
	return paths
}

func wantTree(t *testing.T, dir string, want map[string]string, when string) {
	t.Helper()
	got := contents(t, dir)
	if maps.Equal(got, want) {
		return
	}
	for path := range got {
		if got[path] != want[path] {
			t.Errorf("%s: %s is not as after an undisturbed run", when, path)
		}
	}
	for path := range want {
		if _, there := got[path]; !there {
			t.Errorf("%s: %s is missing", when, path)
		}
	}
	t.FailNow()
}

// trace is what came of a program that was watched.
type trace struct {
	killed bool
	last   string // the call that it was killed at
}

// traced runs the program and kills it with all its threads as one of them enters the n-th call, counted over all of them, that
// changes a file system. The call is not made. It skips the test where tracing is not allowed.
func traced(t *testing.T, n int, args []string, target string) trace {
	t.Helper()
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	p, err := os.StartProcess(self, append(append([]string{"compose"}, args...), "--target", target), &os.ProcAttr{
		Files: []*os.File{null, null, null},
		Env:   append(os.Environ(), "GOTRACEBACK=none"),
		Sys:   &syscall.SysProcAttr{Ptrace: true},
	})
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		t.Skip("tracing is not allowed: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Release() }()
	w := watcher{stopAt: n, started: map[int]bool{p.Pid: true}}
	if err := w.watch(p.Pid); err != nil {
		_ = syscall.Kill(p.Pid, syscall.SIGKILL)
		t.Skip("tracing does not work: ", err)
	}
	return w.trace
}

type watcher struct {
	stopAt, n int
	started   map[int]bool // threads whose first stop was seen
	trace     trace
}

// watch follows a process that waits at its first instruction to its end.
func (w *watcher) watch(pid int) error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, unix.WALL, nil); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACEFORK|unix.PTRACE_O_TRACEVFORK|unix.PTRACE_O_EXITKILL); err != nil {
		return err
	}
	if err := unix.PtraceSyscall(pid, 0); err != nil {
		return err
	}
	for {
		// Only children of this thread: other tests have theirs.
		thread, err := syscall.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ECHILD):
			return nil
		case err != nil:
			return err
		case !status.Stopped():
			continue
		}
		signal := 0
		switch sig := status.StopSignal(); {
		case sig == syscall.SIGTRAP|0x80:
			if call := w.entered(thread); call != "" && !w.trace.killed {
				if w.n++; w.n == w.stopAt {
					w.trace = trace{killed: true, last: call}
					_ = syscall.Kill(pid, syscall.SIGKILL)
					continue // it does not go on with the call
				}
			}
		case sig == syscall.SIGTRAP && status.TrapCause() > 0:
		case sig == syscall.SIGSTOP && !w.started[thread]:
			w.started[thread] = true
		default:
			signal = int(sig)
		}
		_ = unix.PtraceSyscall(thread, signal) // it may have been killed
	}
}

// systemCall is struct ptrace_syscall_info of Linux for a call that is entered.
type systemCall struct {
	op   uint8
	_    [3]uint8
	arch uint32
	_    [2]uint64
	nr   uint64
	args [6]uint64
	_    [2]uint64
}

const (
	getSyscallInfo = 0x420e
	atEntry        = 1
)

// entered returns the name of the call that a thread enters, where it is one that changes a file system.
func (w *watcher) entered(thread int) string {
	var call systemCall
	n, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(call), uintptr(unsafe.Pointer(&call)), 0, 0)
	if errno != 0 || n == 0 || call.op != atEntry {
		return ""
	}
	name := changing[call.nr]
	switch name {
	case "openat":
		if call.args[2]&(unix.O_CREAT|unix.O_TRUNC|unix.O_TMPFILE&^unix.O_DIRECTORY) == 0 {
			return ""
		}
	case "write", "pwrite64":
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, call.args[0]))
		if err != nil || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "/dev/null") || strings.HasPrefix(to, "/proc/") {
			return "" // a pipe, an event, the answer
		}
	}
	return name
}

// changing are the calls that change a file system or make it durable, on all architectures of Linux.
var changing = map[uint64]string{
	unix.SYS_OPENAT: "openat", unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync",
	unix.SYS_SYNCFS: "syncfs", unix.SYS_SYNC: "sync", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_LINKAT: "linkat",
	unix.SYS_UNLINKAT: "unlinkat", unix.SYS_MKDIRAT: "mkdirat", unix.SYS_SYMLINKAT: "symlinkat", unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_FCHMOD: "fchmod",
	unix.SYS_FCHMODAT: "fchmodat", unix.SYS_FCHOWN: "fchown", unix.SYS_FCHOWNAT: "fchownat", unix.SYS_FALLOCATE: "fallocate",
	unix.SYS_COPY_FILE_RANGE: "copy_file_range", unix.SYS_UTIMENSAT: "utimensat",
}
