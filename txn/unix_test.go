//go:build unix

package txn_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"example.org/compose/lockv2"
	"example.org/compose/txn"
)

// identity is the inode and the number of links.
func identity(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(stat.Ino, " ", stat.Nlink)
}

// TestMain takes what is usual for the mode bits of new files, which many tests compare, whatever whoever runs them has.
func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	os.Exit(m.Run())
}

// copyOfTest is this binary in a folder below base in which every user may write.
func copyOfTest(t *testing.T, base string) (dir, binary string) {
	t.Helper()
	dir, err := os.MkdirTemp(base, "again")
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
	binary = filepath.Join(dir, "txn.test")
	if err := errors.Join(os.WriteFile(binary, text, 0o755), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	return dir, binary
}

// again runs one test of a copy of this binary in a process of its own, in dir, with the variable set.
func again(t *testing.T, dir, run, variable string, command ...string) {
	t.Helper()
	command = append(command, "-test.run", run, "-test.v")
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env, cmd.Dir = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir, variable), dir
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: ") {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
}

// nobody is a folder that an unprivileged user reaches, and a command that runs a copy of this binary as that user. It
// skips the test where there is none.
func nobody(t *testing.T) (dir string, command []string) {
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
		dir, binary := copyOfTest(t, base)
		command := []string{setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups"}
		probe := exec.CommandContext(t.Context(), command[0], append(command[1:], "test", "-x", binary, "-a", "-w", dir)...)
		probe.Dir = "/"
		if said, err = probe.CombinedOutput(); err == nil {
			return dir, append(command, binary)
		}
	}
	t.Skipf("nothing can be run as another user here: %v: %s", err, said)
	return "", nil
}

const umaskVariable = "TXN_TEST_UMASK"

// Every file and folder has the mode that umask leaves it; nothing is private that was not asked to be.
func TestUmask(t *testing.T) {
	if os.Getenv(umaskVariable) == "" {
		dir, binary := copyOfTest(t, "")
		for _, umask := range []string{"022", "002", "077", "027"} {
			again(t, dir, "^TestUmask$", umaskVariable+"="+umask, binary)
		}
		return
	}
	var umask fs.FileMode
	if _, err := fmt.Sscanf(os.Getenv(umaskVariable), "%o", &umask); err != nil {
		t.Fatal(err)
	}
	syscall.Umask(int(umask))
	dir := filepath.Join(t.TempDir(), "target")
	if _, err := txn.Initial(t.Context(), dir, planOf(t, app()), txn.Options{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]fs.FileMode{"": 0o777, "docs": 0o777, "docs/deep": 0o777, lockv2.StateFolder: 0o777, "README.md": 0o644, "bin/run": 0o755, lockv2.LockPath: 0o644}
	for path, mode := range want {
		info, err := os.Lstat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode&^umask {
			t.Errorf("umask %v: %q has mode %v, want %v", umask, path, info.Mode().Perm(), mode&^umask)
		}
	}
}

const nobodyVariable = "TXN_TEST_NOBODY"

// As a user who is bound by modes: a folder that can't be written to is found before the first change.
func TestNoPermission(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is asked before the first write")
	}
	if os.Geteuid() == 0 {
		dir, command := nobody(t)
		again(t, dir, "^TestNoPermission$", nobodyVariable+"=1", command...)
		return
	}
	plan := planOf(t, app())
	for _, c := range []struct{ locked, path string }{{"", "."}, {"docs/deep", "docs/deep"}, {lockv2.StateFolder, lockv2.StateFolder}} {
		dir := t.TempDir()
		for _, folder := range []string{"docs/deep", lockv2.StateFolder} {
			if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		full := filepath.Join(dir, c.locked)
		if err := os.Chmod(full, 0o555); err != nil {
			t.Fatal(err)
		}
		before := state(t, dir)
		_, err := txn.Initial(t.Context(), dir, plan, txn.Options{})
		fault := wantCode(t, err, txn.CodeWriteFailed)
		if fault.Path() != c.path || !strings.Contains(err.Error(), "permission denied") || strings.Contains(err.Error(), "staging") {
			t.Errorf("%q is read-only: %v", c.locked, err)
		}
		if after := state(t, dir); after != before {
			t.Errorf("%q is read-only: before\n%s after\n%s", c.locked, before, after)
		}
		if err := os.Chmod(full, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := txn.Initial(t.Context(), dir, plan, txn.Options{}); err != nil {
			t.Errorf("%q writable again: %v", c.locked, err)
		}
	}
	base := t.TempDir()
	if err := os.Chmod(base, 0o555); err != nil {
		t.Fatal(err)
	}
	_, err := txn.Initial(t.Context(), filepath.Join(base, "a", "b"), plan, txn.Options{})
	wantCode(t, err, txn.CodeWriteFailed)
	if left, _ := os.ReadDir(base); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
