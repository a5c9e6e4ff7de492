package planner

import "os"

// Write may write: its file is listed.
func Write(r *os.Root) error { return r.Remove("x") }
