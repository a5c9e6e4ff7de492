package calls

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

const summary = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 83.76    0.008121           3      2134        12 openat
 10.02    0.000971           9       101           fsync
  3.10    0.000300         300         1           syncfs
  2.00    0.000200           2       900        80 futex
  0.01    0.000001           1         1           execve
------ ----------- ----------- --------- --------- ----------------
100.00    0.009693           3      3137        92 total
`

func TestParse(t *testing.T) {
	c, err := parse(summary)
	if err != nil {
		t.Fatal(err)
	}
	if c.Flushes() != 102 || c.Programs() != 1 || c.Work() != 2134+102+1 {
		t.Errorf("%d flushes, %d programs, %d calls of work", c.Flushes(), c.Programs(), c.Work())
	}
	if want := "openat 2134, fsync 101, execve 1, syncfs 1"; c.String() != want {
		t.Errorf("got %s, want %s", c, want)
	}
	for _, broken := range []string{"", "strace: no", "\n------ -\n 1 2 3 many openat\n"} {
		if c, err := parse(broken); err == nil {
			t.Errorf("%q: got %v, want an error", broken, c)
		}
	}
}

func TestCount(t *testing.T) {
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	c, err := Count(t.Context(), exec.Command(program), filepath.Join(t.TempDir(), "summary"))
	if errors.Is(err, ErrUntraceable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.Programs() != 1 || c.Flushes() != 0 || c.Work() == 0 {
		t.Errorf("got %v", c)
	}
	no, err := exec.LookPath("false")
	if err != nil {
		t.Skip(err)
	}
	if c, err := Count(t.Context(), exec.Command(no), filepath.Join(t.TempDir(), "summary")); err == nil || errors.Is(err, ErrUntraceable) {
		t.Errorf("a program that fails: %v, %v", c, err)
	}
}
