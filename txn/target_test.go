package txn_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/txn"
)

// Who holds a target keeps others out until it closes, whatever it reads meanwhile.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	first, err := txn.Hold(t.Context(), dir, 0)
	if err != nil || first.Root() == nil {
		t.Fatal(first, err)
	}
	_, err = txn.Hold(t.Context(), dir, 60*time.Millisecond)
	wantCode(t, err, txn.CodeTargetBusy)
	if err := errors.Join(first.Close(), first.Close()); err != nil {
		t.Error(err)
	}
	second, err := txn.Hold(t.Context(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// An absent target is nobody's: it is made and held by the composition alone, and what came to nothing goes with Close.
func TestHoldAbsent(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "a", "b")
	hold := func() *txn.Target {
		t.Helper()
		target, err := txn.Hold(t.Context(), path, 0)
		if err != nil || target.Root() != nil {
			t.Fatal(target, err)
		}
		return target
	}
	if err := hold().Close(); err != nil {
		t.Error(err)
	}
	target := hold()
	plan, calls := planOf(t, app()), 0
	result, err := target.Initial(t.Context(), func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		if calls++; calls == 2 {
			return nil, &txn.Error{Base: diag.New("REFUSED", "", "refused")}
		}
		return plan(ctx, root)
	}, txn.Options{})
	wantCode(t, err, "REFUSED")
	if err := target.Close(); err != nil || calls != 2 || result != nil {
		t.Error(err, calls, result)
	}
	if left, _ := os.ReadDir(base); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	target = hold()
	if _, err := target.Initial(t.Context(), plan, txn.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := txn.Hold(t.Context(), path, 0); err == nil || target.Root() == nil {
		t.Error("the new target is not held")
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
}
