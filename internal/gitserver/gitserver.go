// Package gitserver runs real git servers for tests, on loopback: git's http-backend behind net/http, git's daemon, and OpenSSH.
// Each can be told to misbehave. All end with the test.
package gitserver

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Kind is how a server misbehaves.
type Kind int

// The kinds of faults.
const (
	None    Kind = iota
	Stall        // send nothing more, and keep the connection
	Garbage      // send what is no git protocol, and end as if all were well
	Cut          // end the connection
)

// Fault is a way to misbehave after so many bytes of an answer.
type Fault struct {
	Kind  Kind
	After int64
	// Of says in which answers: "info/refs" or "git-upload-pack" of http; "" for all.
	Of string
}

// garbage is as long as what programs read at once.
var garbage = strings.Repeat("\x1b[31mnot git\xff\x00", 8192)

// faulty writes an answer as a fault has it.
type faulty struct {
	to    io.Writer
	fault Fault
	sent  int64
	flush func()
	// stall returns when the server is to end.
	stall func()
	// cut ends the connection, and does not return or makes further writes fail.
	cut func()
}

func (f *faulty) Write(b []byte) (int, error) {
	if f.fault.Kind == None || f.sent+int64(len(b)) < f.fault.After {
		n, err := f.to.Write(b)
		f.sent += int64(n)
		return n, err
	}
	n, err := f.to.Write(b[:max(0, f.fault.After-f.sent)])
	f.sent += int64(n)
	if err != nil {
		return n, err
	}
	f.flush()
	switch f.fault.Kind {
	case Stall:
		f.stall()
	case Garbage:
		io.WriteString(f.to, garbage)
		f.flush()
	case Cut:
		f.cut()
	}
	return n, errFault
}

var errFault = fmt.Errorf("the server misbehaves as it was told")

// setting is a value that a test changes while its server runs.
type setting[T any] struct {
	mu    sync.Mutex
	value T
}

func (s *setting[T]) set(value T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = value
}

func (s *setting[T]) get() T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// environment is what git runs in: no configuration but that of the test, and repositories of any owner.
func environment(home string, config []string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	config = append([]string{"safe.directory=*"}, config...)
	for i, line := range config {
		key, value, _ := strings.Cut(line, "=")
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(config)))
}

// needGit skips the test where there is no git; .ci/run installs it.
func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
}
