package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is how much memory a run takes before the garbage collector looks at it: most runs end before that. From then
// on the collector does as it always does, so that a large run needs no more memory for it.
const firstCollection = 24 << 20

// collectLate puts the first garbage collection off. What a user sets in the environment of Go counts.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	percent := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(firstCollection)
	// The cleanup runs once the first collection has found that nothing holds the token.
	runtime.AddCleanup(&struct{ token *int }{}, func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}, percent)
}
