//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory that the process had, in bytes.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" { // the others count KiB
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
