//go:build unix

package planner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	stuck := time.AfterFunc(20*time.Second, func() { panic("blocked on a FIFO") })
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
		stuck := time.AfterFunc(20*time.Second, func() { panic("blocked on a FIFO") })
		got := told(reconcile(t, planner.Update, comp, dir))
		stuck.Stop()
		_ = os.Chmod(path, 0o755)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", locked, got, want)
		}
	}
}

// asNobody runs one test of this binary as an unprivileged user.
func asNobody(t *testing.T, run string) {
	t.Helper()
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv here")
	}
	tmp, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "planner.test")
	self, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(binary, self, 0o755)
	}
	if err == nil {
		err = os.Chmod(tmp, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups", binary, "-test.run", run, "-test.v")
	cmd.Env, cmd.Dir = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp), tmp
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
