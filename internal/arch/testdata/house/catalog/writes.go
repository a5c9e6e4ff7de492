// Package catalog writes, which is not its business.
package catalog

import (
	"os"

	"golang.org/x/sys/unix"
)

func write(r *os.Root) { _ = os.Rename("a", "b") }
func wipe(r *os.Root)  { _ = r.RemoveAll("a") }
func sync()            { _ = unix.Fsync(1) }
func read(r *os.Root)  { _, _ = r.OpenFile("a", os.O_RDONLY, 0) }
