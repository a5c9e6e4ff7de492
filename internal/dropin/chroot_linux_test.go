package dropin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// runImage runs the program in a root folder of its own, as user 65532.
func runImage(t *testing.T, root, entry string) {
	if os.Getuid() != 0 {
		t.Skip("only root may change the root folder")
	}
	for dir := root; dir != filepath.Dir(os.TempDir()); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o005 != 0o005 && dir != filepath.Dir(dir) {
			if err := os.Chmod(dir, info.Mode().Perm()|0o055); err != nil { // folders of tests are closed to others
				t.Fatal(err)
			}
		}
		if dir == os.TempDir() {
			break
		}
	}
	work := filepath.Join(root, "work")
	if err := os.Chown(work, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	inside := func(status int, text string, args ...string) {
		t.Helper()
		command := exec.Command(entry, args...)
		command.Path = entry
		command.Dir = "/work"
		command.Env = []string{"COMPOSE_CACHE=/tmp/compose", "PATH=/bin"}
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		output, err := command.CombinedOutput()
		if command.ProcessState == nil {
			t.Fatal(err)
		}
		if got := command.ProcessState.ExitCode(); got != status || !strings.Contains(string(output), text) {
			t.Fatalf("%q: exit status %d, want %d, and %q in\n%s", args, got, status, text, output)
		}
	}
	inside(2, "LOCK_MISSING", "validate")
	inside(0, `"applied"`, "apply", "--recipe", "skill")
	inside(0, `"valid"`, "validate")
	inside(0, `"entries"`, "cache")
	edit(t, work)
	inside(2, "MATERIAL_MODIFIED", "validate")
}
