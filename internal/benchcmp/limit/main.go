// Command limit does the jobs of compose with nothing added, and measures what a command spends.
//
//	limit noop
//	limit check MANIFEST ROOT
//	limit plan MANIFEST ROOT REPOSITORY BLOBS
//	limit write MANIFEST|- ROOT REPOSITORY BLOBS REMOVED MANIFEST
//	limit spend FILE PROGRAM [ARGUMENT ...]
//
// check hashes each file of a manifest and compares. plan does so while git lists both revisions and gives the changed blobs.
// write brings ROOT from the first manifest to the second, durably: hash the old, write beside them what git gives, flush,
// rename and remove, flush, hash the new, with a marker that stands from before the first rename until all is checked.
// They know nothing of locks, conflicts or edits: what they take is what no program that does the job can save.
//
// spend runs a program and writes its time and peak memory to FILE as JSON. It stands between, because Linux counts the memory
// of the process that starts another as the other's: it is small, and the program that asks may be large.
//
// A manifest has lines as sha256sum writes them, BLOBS an object id and a path in each line, REMOVED a path.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "limit:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch {
	case name == "noop":
		return nil
	case name == "check" && len(args) == 3:
		return check(args[1], args[2])
	case name == "plan" && len(args) == 5:
		return plan(args[1], args[2], args[3], args[4])
	case name == "write" && len(args) == 7:
		return update{old: args[1], root: args[2], repository: args[3], blobs: args[4], removed: args[5], new: args[6]}.run()
	case name == "spend" && len(args) > 2:
		return spend(args[1], args[2:])
	}
	return fmt.Errorf("no such job: %q", args)
}

// lines returns the lines of a file.
func lines(name string) ([]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range bytes.Lines(text) {
		list = append(list, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return list, nil
}

// onAllCores calls do for each number below n, from as many goroutines as there are cores, and returns one of the errors. Each goroutine
// has a buffer of its own.
func onAllCores(n int, do func(i int, buffer []byte) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			buffer := make([]byte, 64<<10)
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				if err := do(i, buffer); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
