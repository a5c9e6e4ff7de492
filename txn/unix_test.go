//go:build unix

package txn_test

import (
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

// again runs one test of this binary in a process of its own, through a wrapper, with the variable set.
func again(t *testing.T, run, variable string, wrapper ...string) {
	t.Helper()
	tmp, err := os.MkdirTemp("", "again")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "txn.test")
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
	args := append(wrapper, binary, "-test.run", run, "-test.v")
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env, cmd.Dir = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp, variable), tmp
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: ") {
		t.Errorf("%v: %v\n%s", args, err, out)
	}
}

const umaskVariable = "TXN_TEST_UMASK"

// Every file and folder has the mode that umask leaves it; nothing is private that was not asked to be.
func TestUmask(t *testing.T) {
	if os.Getenv(umaskVariable) == "" {
		for _, umask := range []string{"022", "002", "077", "027"} {
			again(t, "^TestUmask$", umaskVariable+"="+umask)
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
		setpriv, err := exec.LookPath("setpriv")
		if err != nil {
			t.Skip("no setpriv here")
		}
		again(t, "^TestNoPermission$", nobodyVariable+"=1", setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups")
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
