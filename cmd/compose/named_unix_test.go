//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A plan written to standard output by name, and the answer after it, are both in the file that standard output is.
func TestOutToStandardOutput(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip("no /dev/stdout here")
	}
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// testscript runs the program by the name under which the test binary is called.
	compose := filepath.Join(dir, "compose")
	if err := os.Symlink(program, compose); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	command := exec.Command(compose, "plan", "--recipe", "skill", "--target", filepath.Join(dir, "new"), "--out", "/dev/stdout", "--format", "json")
	command.Stdout = out
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	if half := len(b) / 2; half == 0 || !bytes.Equal(b[:half], b[half:]) {
		t.Errorf("%d bytes, of which the halves differ", len(b))
	}
}

// A FIFO that nobody reads holds no command longer than a signal: the run says that it was stopped.
func TestOutToFIFOIsStopped(t *testing.T) {
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	compose := filepath.Join(dir, "compose")
	if err := os.Symlink(program, compose); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"plan", "--recipe", "skill", "--target", filepath.Join(dir, "new"), "--out", fifo},
		{"graph", "--recipe", "skill", "--as", "svg", "--out", fifo},
		{"report", "--recipe", "skill", "--target", filepath.Join(dir, "new"), "--as", "html", "--out", fifo},
	} {
		command := exec.Command(compose, append(args, "--format", "json")...)
		var stdout bytes.Buffer
		command.Stdout = &stdout
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		// A signal that comes before the program listens ends it too, by the signal itself; so it is sent until it counts.
		var failed *exec.ExitError
		for err := error(nil); ; {
			select {
			case err = <-ended:
			case <-time.After(50 * time.Millisecond):
				_ = command.Process.Signal(syscall.SIGTERM)
				continue
			}
			errors.As(err, &failed)
			break
		}
		if failed == nil || failed.ExitCode() != 143 && !failed.Sys().(syscall.WaitStatus).Signaled() {
			t.Errorf("%s: %v: %s", args[0], failed, &stdout)
		}
		if stdout.Len() > 0 && !bytes.Contains(stdout.Bytes(), []byte(codeInterrupted)) {
			t.Errorf("%s: %s", args[0], &stdout)
		}
	}
}
