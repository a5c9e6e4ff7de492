//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
