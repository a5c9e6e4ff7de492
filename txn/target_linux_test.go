package txn_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/txn"
)

// Wherever the process runs out of descriptors while it takes a target, the attempt ends and says so.
func TestHoldWithTooManyFiles(t *testing.T) {
	dir := t.TempDir()
	if warm, err := txn.Hold(t.Context(), dir, 0); err != nil || warm.Close() != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := uint64(3); n < 64; n++ {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: limit.Max}); err != nil {
			t.Fatal(err)
		}
		target, err := txn.Hold(t.Context(), dir, 0)
		if restored := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); restored != nil {
			t.Fatal(restored)
		}
		if err == nil {
			if err := target.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		refused++
		var coded diag.Coded
		if !errors.As(err, &coded) || coded.Code() != txn.CodeReadFailed || !strings.Contains(err.Error(), "ulimit -n") {
			t.Errorf("with %d descriptors: %v", n, err)
		}
	}
	if refused < 3 {
		t.Errorf("only %d limits were too low", refused)
	}
}
