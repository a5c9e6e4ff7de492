//go:build !unix

package credential

import "os/exec"

// detach leaves a command as it is: its children outlive it where it is killed.
func detach(*exec.Cmd) {}
