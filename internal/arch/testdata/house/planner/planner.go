// Package planner is imported from below, and its system file uses another module.
package planner

// Must panics as its doc comment says.
func Must() { panic("misuse") }

// Gone does not panic.
func Gone() {}
