//go:build unix

package txn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/txn"
)

// locked is a catalog of which the second revision changes three files and drops one that is alone in its folder.
func locked(version int) catalogtest.Catalog {
	text := fmt.Sprintf("%d\n", version)
	materials := []catalogtest.Material{{Destination: "a", Content: text}, {Destination: "ro/b", Content: text}, {Destination: "z", Content: text}, {Destination: "drop/stays", Content: "x"}}
	if version == 1 {
		materials = append(materials, catalogtest.Material{Destination: "drop/empty/gone", Content: "x"})
	}
	return catalogtest.Catalog{
		Components: []catalogtest.Component{{ID: "artifact.app", Version: version, Materials: materials}},
		Recipes:    []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
	}
}

func upgradePlan(t *testing.T, c catalogtest.Catalog) txn.ManagedPlanFunc {
	t.Helper()
	cfg, err := resolver.FromSelection("app", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	comp, err := planner.Materialize(t.Context(), catalogtest.Load(t, c.Files()), "example/catalog", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error) {
		old, err := planner.ReadManaged(root)
		if err != nil {
			return nil, err
		}
		return planner.Reconcile(ctx, planner.Upgrade, old, comp, root)
	}
}

// As a user who is bound by modes: a read-only file is replaced, a read-only folder is found before the marker.
func TestManagedNoPermission(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is asked before the first write")
	}
	if os.Geteuid() == 0 {
		dir, command := nobody(t)
		again(t, dir, "^TestManagedNoPermission$", nobodyVariable+"=1", command...)
		return
	}
	first, upgrade := planOf(t, locked(1)), upgradePlan(t, locked(2))
	for _, c := range []struct {
		name, path string
		mode       os.FileMode
		refused    string
	}{
		{"a read-only file", "ro/b", 0o444, ""},
		{"a folder that gets a file", "ro", 0o555, "ro"},
		{"a folder that loses a file", "drop/empty", 0o555, "drop/empty"},
		{"a folder that loses a folder", "drop", 0o555, "drop"},
		{"the composer's own folder", lockv2.StateFolder, 0o555, lockv2.StateFolder},
	} {
		dir := filepath.Join(t.TempDir(), "target")
		if _, err := txn.Initial(t.Context(), dir, first, txn.Options{}); err != nil {
			t.Fatal(err)
		}
		full := filepath.Join(dir, c.path)
		was, err := os.Lstat(full)
		if err == nil {
			err = os.Chmod(full, c.mode)
		}
		if err != nil {
			t.Fatal(err)
		}
		before := state(t, dir)
		result, err := txn.Reconcile(t.Context(), dir, upgrade, txn.Options{})
		if c.refused == "" {
			if err != nil || result.Status != txn.StatusApplied {
				t.Errorf("%s: %v", c.name, err)
			}
			if info, err := os.Lstat(full); err != nil || info.Mode().Perm() != c.mode {
				t.Errorf("%s: it has mode %v afterwards, %v", c.name, info.Mode(), err)
			}
			continue
		}
		refusal := fmt.Sprint(err)
		if err == nil {
			refusal = fmt.Sprint(result.Conflicts)
		}
		if err == nil && result.Status == txn.StatusApplied || !strings.Contains(refusal, c.refused) || strings.Contains(refusal, "staging") {
			t.Errorf("%s: %+v, %v", c.name, result, err)
		}
		if after := state(t, dir); after != before {
			t.Errorf("%s: before\n%s after\n%s", c.name, before, after)
		}
		if err := os.Chmod(full, was.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		if result, err := txn.Reconcile(t.Context(), dir, upgrade, txn.Options{}); err != nil || result.Status != txn.StatusApplied {
			t.Errorf("%s, and writable again: %+v, %v", c.name, result, err)
		}
	}
}

const stickyVariable = "TXN_TEST_STICKY"

// In a sticky folder of somebody else's only the owner of a file may replace it: that is found before the first change.
func TestManagedSticky(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is asked before the first write")
	}
	if dir := os.Getenv(stickyVariable); dir != "" {
		before := state(t, dir)
		_, err := txn.Reconcile(t.Context(), dir, upgradePlan(t, locked(2)), txn.Options{})
		fault := wantCode(t, err, txn.CodeWriteFailed)
		if fault.Path() != "ro/b" || !strings.Contains(err.Error(), "sticky") {
			t.Errorf("got %v", err)
		}
		if after := state(t, dir); after != before {
			t.Errorf("before\n%s after\n%s", before, after)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("needs a privileged user")
	}
	tmp, command := nobody(t)
	base := filepath.Join(tmp, "sticky")
	if err := os.Mkdir(base, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "target")
	if _, err := txn.Initial(t.Context(), dir, planOf(t, locked(1)), txn.Options{}); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{base: 0o755, dir: 0o777, filepath.Join(dir, "ro"): 0o777 | os.ModeSticky,
		filepath.Join(dir, "drop"): 0o777, filepath.Join(dir, "drop", "empty"): 0o777, filepath.Join(dir, lockv2.StateFolder): 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	again(t, tmp, "^TestManagedSticky$", stickyVariable+"="+dir, command...)
	// A privileged user is not held up.
	if result, err := txn.Reconcile(t.Context(), dir, upgradePlan(t, locked(2)), txn.Options{}); err != nil || result.Status != txn.StatusApplied {
		t.Errorf("%+v, %v", result, err)
	}
}

// A privileged user's update leaves files to whom they belong.
func TestManagedOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir := filepath.Join(t.TempDir(), "target")
	if _, err := txn.Initial(t.Context(), dir, planOf(t, locked(1)), txn.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a", lockv2.LockPath} {
		if err := os.Chown(filepath.Join(dir, path), 65534, 65533); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := txn.Reconcile(t.Context(), dir, upgradePlan(t, locked(2)), txn.Options{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]uint32{"a": {65534, 65533}, lockv2.LockPath: {65534, 65533}, "z": {0, 0}} {
		info, err := os.Lstat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if stat := info.Sys().(*syscall.Stat_t); stat.Uid != want[0] || stat.Gid != want[1] {
			t.Errorf("%s belongs to %d:%d, want %v", path, stat.Uid, stat.Gid, want)
		}
	}
}
