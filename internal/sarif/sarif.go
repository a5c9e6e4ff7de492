// Package sarif writes the faults of a target in the form that code hosts show beside a change.
//
// Format: SARIF 2.1.0 (OASIS).
package sarif
