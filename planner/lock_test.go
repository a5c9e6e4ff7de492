package planner_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

func readManaged(t *testing.T, dir string) (*planner.Managed, error) {
	t.Helper()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return planner.ReadManaged(root)
}

func TestReadManaged(t *testing.T) {
	dir := t.TempDir()
	targettest.Write(t, dir)
	m, err := readManaged(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, lockv2.LockPath))
	if err != nil {
		t.Fatal(err)
	}
	if m.Digest != fingerprint.Of[fingerprint.LockFile](b) || m.Lock.Source != targettest.Lock().Source {
		t.Errorf("got %+v", m)
	}
}

func TestReadManagedRefuses(t *testing.T) {
	type bend = func(t *testing.T, dir string)
	lockIs := func(text string) bend {
		return func(t *testing.T, dir string) { targettest.File(t, dir, lockv2.LockPath, text) }
	}
	cases := map[string]struct {
		bend       bend
		code, path string
	}{
		"no lock":                       {func(t *testing.T, dir string) { targettest.Remove(t, dir, lockv2.LockPath) }, "MANAGED_LOCK_REQUIRED", lockv2.LockPath},
		"no state folder":               {func(t *testing.T, dir string) { targettest.Remove(t, dir, lockv2.StateFolder) }, "MANAGED_LOCK_REQUIRED", lockv2.LockPath},
		"a marker":                      {func(t *testing.T, dir string) { targettest.File(t, dir, lockv2.MarkerPath, "no JSON") }, "RECOVERY_REQUIRED", lockv2.MarkerPath},
		"a marker that is a folder":     {func(t *testing.T, dir string) { targettest.File(t, dir, lockv2.MarkerPath+"/x", "") }, "RECOVERY_REQUIRED", lockv2.MarkerPath},
		"a marker that is a link":       {func(t *testing.T, dir string) { targettest.Symlink(t, dir, lockv2.MarkerPath, "nowhere") }, "RECOVERY_REQUIRED", lockv2.MarkerPath},
		"a marker beside a broken lock": {func(t *testing.T, dir string) { lockIs("")(t, dir); targettest.File(t, dir, lockv2.MarkerPath, "") }, "RECOVERY_REQUIRED", lockv2.MarkerPath},
		"a link": {func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, lockv2.LockPath), filepath.Join(dir, "real")); err != nil {
				t.Fatal(err)
			}
			targettest.Symlink(t, dir, lockv2.LockPath, "../real")
		}, "INVALID_LOCK", lockv2.LockPath},
		"a folder": {func(t *testing.T, dir string) {
			targettest.Remove(t, dir, lockv2.LockPath)
			targettest.File(t, dir, lockv2.LockPath+"/x", "")
		}, "INVALID_LOCK", lockv2.LockPath},
		"a FIFO": {func(t *testing.T, dir string) { targettest.FIFO(t, dir, lockv2.LockPath) }, "INVALID_LOCK", lockv2.LockPath},
		"a state folder that is a link": {func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, lockv2.StateFolder), filepath.Join(dir, "real")); err != nil {
				t.Fatal(err)
			}
			targettest.Symlink(t, dir, lockv2.StateFolder, "real")
		}, "INVALID_LOCK", lockv2.StateFolder},
		"a state folder that is a file": {func(t *testing.T, dir string) {
			targettest.Remove(t, dir, lockv2.StateFolder)
			targettest.File(t, dir, lockv2.StateFolder, "")
		}, "INVALID_LOCK", lockv2.StateFolder},
		"a lock that is too long": {func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, lockv2.LockPath), lockv2.MaxSize+1); err != nil {
				t.Skip(err)
			}
		}, "INVALID_LOCK", lockv2.LockPath},
	}
	for name, text := range targettest.BadLocks() {
		c := cases[name]
		c.bend, c.code = lockIs(text), "INVALID_LOCK"
		if strings.HasPrefix(name, "JSON: ") {
			c.code = "INVALID_JSON"
		} else if strings.HasPrefix(name, "version: ") {
			c.code = "UNSUPPORTED_LOCK_VERSION"
		}
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			targettest.Write(t, dir)
			c.bend(t, dir)
			_, err := readManaged(t, dir)
			var fault diag.Coded
			if !errors.As(err, &fault) || fault.Code() != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			if c.path != "" && fault.Path() != c.path || !strings.HasPrefix(fault.Path(), lockv2.StateFolder) {
				t.Errorf("path %q, want %q", fault.Path(), c.path)
			}
			if fault.Hint() == "" && c.code != "MANAGED_LOCK_REQUIRED" {
				t.Errorf("no hint: %v", err)
			}
			if rest := strings.TrimPrefix(err.Error(), fault.Path()+": "); strings.HasPrefix(rest, fault.Path()) {
				t.Errorf("the path stands twice in %q", err)
			}
		})
	}
	if _, err := planner.ReadManaged(nil); err == nil || err.(diag.Coded).Code() != "MANAGED_LOCK_REQUIRED" {
		t.Errorf("an absent target: %v", err)
	}
}

func TestImpliedRefuses(t *testing.T) {
	for name, change := range map[string]func(f *lockv2.File){
		"another component": func(f *lockv2.File) { f.Component = "capability.other" },
		"another ownership": func(f *lockv2.File) { f.Ownership = lockv2.Managed },
		"a seed's digest":   func(f *lockv2.File) { f.Digest[0]++ },
	} {
		from := &lockv2.Lock{Files: []lockv2.File{{Destination: "a", Component: "capability.a", Ownership: lockv2.Seed}}}
		to := &lockv2.Lock{Files: []lockv2.File{from.Files[0]}}
		change(&to.Files[0])
		if actions, err := planner.Implied(from, to); err == nil || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%s: %v, error %v", name, actions, err)
		}
	}
}
