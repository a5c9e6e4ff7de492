//go:build unix

package credential

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own: without a terminal to ask at, and killed with its children.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
