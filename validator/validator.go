// Package validator checks a target against its own lock, without the catalog: what CI runs.
//
// Start with Validate; Check looks at the files alone, for a caller that holds the target. Both are
// read-only, report every fault, and never block on a FIFO or follow a symlink (docs/validation.md). A
// managed or generated file must have the bytes that the lock records; a seed must be there, as a regular
// file. A policy must be one that can be read, and must allow the lock's repository (docs/policy.md). Further
// files, permission bits and times are the consumer's. A run that changes the target meanwhile is told from
// a fault: the look is repeated when the marker or the lock changed under it.
//
// The consumer's self-contained validator, .template-composition/validate.go, is generated from this
// package and from what it imports, so these use the standard library alone.
package validator

import (
	"context"

	"example.org/compose/fingerprint"
	"example.org/compose/lockv2"
)

// State says what a target is.
type State string

// The states of a target.
const (
	Absent      State = "absent"
	Unmanaged   State = "unmanaged"
	Valid       State = "managed-valid"
	Invalid     State = "managed-invalid"
	Interrupted State = "managed-interrupted"
	InvalidRoot State = "invalid"
)

// Report is what a look at a target found.
type Report struct {
	State   State
	Lock    *lockv2.Lock // nil where there is none that can be read
	Checked int          // files looked at
	Faults  []Fault      // the target's, the lock's and the policy's first, then by destination; none only for Valid

	composition fingerprint.Composition // of Lock, where that was worked out while files were looked at
}

// OK reports whether the target is managed and valid: what `compose validate` exits with 0 for.
func (r *Report) OK() bool { return r.State == Valid }

// Composition returns the composition value of the lock; false without a readable lock.
func (r *Report) Composition() (fingerprint.Composition, bool) {
	switch {
	case r.Lock == nil:
		return fingerprint.Composition{}, false
	case r.composition != fingerprint.Composition{}:
		return r.composition, true
	}
	return r.Lock.Composition(), true
}

// looks bounds how often a target that changes under the look is looked at again.
const looks = 5

// Validate looks at the target at path. The error is only for a context that ended; every other fault is
// in the report.
func Validate(ctx context.Context, path string) (*Report, error) {
	for range looks {
		report, changed, err := lookOnce(ctx, path)
		if err != nil {
			return nil, err
		}
		if !changed {
			return report, nil
		}
	}
	return &Report{State: Interrupted, Faults: []Fault{{
		Code:    CodeRecoveryRequired,
		Message: "the lock " + lockv2.LockPath + " changed each time that the files had been looked at: wait for the run that changes the target, then validate again",
	}}}, nil
}
