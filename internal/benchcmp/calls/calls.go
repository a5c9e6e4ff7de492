// Package calls counts the system calls of a program by strace, on Linux.
//
// Start with Count. What the scheduler and the memory of a program ask for depends on its neighbours, so Work leaves it out: the rest is
// what the program does, and nearly the same in each run.
package calls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// ErrUntraceable says that nothing could be counted: strace is missing, or the system lets nobody be traced.
var ErrUntraceable = errors.New("system calls can't be counted here")

// Calls are numbers of calls by name.
type Calls map[string]int

// Count runs a program under strace, with all that it starts, and counts. The summary is written to the file of that name.
// A program that fails, and one that can't be traced, is an error; the second wraps ErrUntraceable.
func Count(ctx context.Context, cmd *exec.Cmd, summary string) (Calls, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUntraceable, err)
	}
	traced := exec.CommandContext(ctx, strace, append([]string{"-f", "-qq", "-c", "-o", summary, cmd.Path}, cmd.Args[1:]...)...)
	traced.Dir, traced.Env = cmd.Dir, cmd.Env
	said, err := traced.CombinedOutput()
	if err != nil {
		if bytes.Contains(said, []byte("ptrace")) || bytes.Contains(said, []byte("PTRACE")) {
			return nil, fmt.Errorf("%w: %s", ErrUntraceable, bytes.TrimSpace(said))
		}
		return nil, fmt.Errorf("%s: %w: %s", cmd.Path, err, bytes.TrimSpace(said))
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

// parse reads a summary: below a line of dashes, a line for each call has share, seconds, microseconds for each, number, maybe the number of
// errors, and the name.
func parse(summary string) (Calls, error) {
	_, rows, found := strings.Cut(summary, "\n------ ")
	_, rows, _ = strings.Cut(rows, "\n")
	c := Calls{}
	for line := range strings.Lines(rows) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		name := fields[len(fields)-1]
		if strings.HasPrefix(name, "--") { // the total comes below it
			break
		}
		n, err := strconv.Atoi(fields[3])
		if err != nil {
			return nil, fmt.Errorf("strace says %q: %w", line, err)
		}
		c[name] = n
	}
	if !found || len(c) == 0 {
		return nil, fmt.Errorf("strace says %q", summary)
	}
	return c, nil
}

// Flushes counts the calls that make something durable.
func (c Calls) Flushes() int { return c["fsync"] + c["fdatasync"] + c["syncfs"] + c["sync"] }

// Programs counts the programs that were started, the first one with them.
func (c Calls) Programs() int { return c["execve"] + c["execveat"] }

// Work counts the calls that the program makes for its job.
func (c Calls) Work() int {
	sum := 0
	for name, n := range c {
		if !slices.Contains(upkeep, name) {
			sum += n
		}
	}
	return sum
}

// upkeep are calls that a runtime makes as it sees fit: threads, sleeping and waking, signals, memory.
var upkeep = []string{
	"arch_prctl", "brk", "clone", "clone3", "epoll_pwait", "exit", "exit_group", "futex", "getpid", "gettid", "madvise", "mincore", "mmap", "mprotect",
	"munmap", "nanosleep", "prctl", "prlimit64", "restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity",
	"sched_yield", "set_robust_list", "set_tid_address", "sigaltstack", "tgkill", "timer_create", "timer_delete", "timer_settime",
}

// String lists the calls that are not upkeep, the most frequent first.
func (c Calls) String() string {
	names := slices.SortedFunc(maps.Keys(c), func(a, b string) int {
		if c[a] != c[b] {
			return c[b] - c[a]
		}
		return strings.Compare(a, b)
	})
	var list []string
	for _, name := range names {
		if !slices.Contains(upkeep, name) {
			list = append(list, fmt.Sprintf("%s %d", name, c[name]))
		}
	}
	return strings.Join(list, ", ")
}
