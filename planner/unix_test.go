//go:build unix

package planner_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/compose/planner"
)

// A FIFO at a destination or in the composer's own place is a conflict and blocks nothing.
func TestFIFO(t *testing.T) {
	comp := materialize(t, app())
	dir := target(t, map[string]string{".template-composition/": ""})
	for _, path := range []string{"README.md", ".template-composition/staging", ".template-composition/lock.json"} {
		if err := syscall.Mkfifo(filepath.Join(dir, path), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stuck := time.AfterFunc(5*time.Minute, func() { panic("blocked on a FIFO") })
	defer stuck.Stop()
	p, err := plan(t, comp, dir)
	if err != nil {
		t.Fatal(err)
	}
	conforms(t, p)
	checkConflicts(t, p, []string{
		".template-composition/lock.json reserved-metadata .template-composition/lock.json",
		".template-composition/staging reserved-metadata .template-composition/staging", "README.md not-regular README.md"})
}

// What may not be read is a conflict. Run as root the test starts itself again as nobody, who is bound by modes.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t, "^TestUnreadable$")
		return
	}
	comp := materialize(t, app())
	for _, c := range []struct {
		locked string
		want   []string
	}{
		{"README.md", []string{"README.md unreadable README.md"}},
		{"docs", []string{"docs/cli.md unreadable docs", "docs/deep/er.md unreadable docs"}},
		{"docs/deep", []string{"docs/deep/er.md unreadable docs/deep"}},
		{".template-composition", []string{".template-composition reserved-metadata .template-composition", ".template-composition/about.txt unreadable .template-composition"}},
		{".template-composition/staging", []string{".template-composition/staging reserved-metadata .template-composition/staging"}},
	} {
		dir := target(t, map[string]string{"README.md": "# app\n", "docs/deep/": "", ".template-composition/staging/": ""})
		path := filepath.Join(dir, c.locked)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		p, err := plan(t, comp, dir)
		_ = os.Chmod(path, 0o755)
		if err != nil {
			t.Fatal(err)
		}
		conforms(t, p)
		checkConflicts(t, p, c.want)
	}
}

// An old file that may not be read is in conflict, also a seed, whose bytes a plan reports; a FIFO in its place blocks nothing.
func TestManagedUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t, "^TestManagedUnreadable$")
		return
	}
	comp := composition(t, app(), choice(t))
	for locked, want := range map[string][]string{
		"README.md":    {"OLD_STATE_INVALID README.md unreadable"},
		"ci/build.yml": {"OLD_STATE_INVALID ci/build.yml unreadable", "preserve README.md"},
		"docs":         {"OLD_STATE_INVALID docs/cli.md unreadable", "OLD_STATE_INVALID docs/deep/er.md unreadable", "preserve README.md"},
		"bin/run":      {"OLD_STATE_INVALID bin/run not-regular", "preserve README.md"},
	} {
		dir := composed(t, comp)
		path := filepath.Join(dir, locked)
		err := os.Chmod(path, 0)
		if locked == "bin/run" {
			remove(t, dir, locked)
			err = syscall.Mkfifo(path, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		stuck := time.AfterFunc(5*time.Minute, func() { panic("blocked on a FIFO") })
		got := told(reconcile(t, planner.Update, comp, dir))
		stuck.Stop()
		_ = os.Chmod(path, 0o755)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", locked, got, want)
		}
	}
}

// asNobody runs one test of this binary as an unprivileged user. It skips the test where there is no way to.
func asNobody(t *testing.T, run string) {
	t.Helper()
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv here")
	}
	var said []byte
	for _, base := range []string{"", "/tmp", "/var/tmp", "/dev/shm"} {
		if info, err := os.Stat(base); base != "" && (err != nil || !info.IsDir()) {
			continue
		}
		tmp, binary := copyOfTest(t, base)
		nobody := func(command ...string) ([]byte, error) {
			cmd := exec.CommandContext(t.Context(), setpriv, append([]string{"--reuid", "65534", "--regid", "65534", "--clear-groups"}, command...)...)
			cmd.Env, cmd.Dir = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp), "/"
			return cmd.CombinedOutput()
		}
		if said, err = nobody("test", "-x", binary, "-a", "-w", tmp); err != nil {
			continue // that user does not reach the folder, say
		}
		if out, err := nobody(binary, "-test.run", run, "-test.v"); err != nil || !strings.Contains(string(out), "--- PASS: ") {
			t.Errorf("as nobody: %v\n%s", err, out)
		}
		return
	}
	t.Skipf("nothing can be run as another user here: %v: %s", err, said)
}

// copyOfTest is this binary in a folder below base in which every user may write.
func copyOfTest(t *testing.T, base string) (dir, binary string) {
	t.Helper()
	dir, err := os.MkdirTemp(base, "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "planner.test")
	if err := errors.Join(os.WriteFile(binary, text, 0o755), os.Chmod(binary, 0o755), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	return dir, binary
}
