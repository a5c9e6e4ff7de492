package main

import (
	"io"
	"testing"
)

// BenchmarkVersion is what every start of the program costs inside it, package initialisation left out.
func BenchmarkVersion(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if got := run([]string{"version"}, io.Discard, io.Discard); got != exitDone {
			b.Fatalf("exit status %d", got)
		}
	}
}
