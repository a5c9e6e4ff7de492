// Package txn changes a target: the only package that writes below one.
//
// Start with Hold. Everything is planned first; a plan in conflict writes nothing. Then the new files are
// staged, flushed, and given their names without overwriting anything; every folder on the way is flushed; and
// as the last change the lock appears, whole and under no other name before. So a target without a lock is
// unmanaged, whatever an interruption left in it, and the same command finishes the work: what is
// in place is adopted. docs/transaction.md goes through it step by step, a crash after each.
//
// One composer works on a target at a time: the kernel's lock on the open root folder, which goes away with
// the process. Readers take no lock. After a failure nothing is left that this run made, but for
// installed files and their folders.
//
// Everything that changes a file or folder is in the files disk*.go, behind the interface disk, so that tests
// can put a failing or forgetting twin in its place.
package txn

import (
	"context"
	"time"

	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
)

// Options of an apply. The zero value is useful.
type Options struct {
	Wait     time.Duration         // what Initial, Reconcile and Recover give to Hold
	Flush    Flush                 // how many files at once are made durable
	Warn     func(msg string)      // receives warnings; may be nil
	Progress func(done, total int) // files written so far, now and then, never two calls at once; may be nil

	wrap func(disk) disk // puts a twin before the disk, in tests
}

// PlanFunc makes the plan of a first composition for a target that is open, or nil when it is absent. It may
// be called twice: for a target that is absent, and for the same one made and locked.
type PlanFunc func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error)
