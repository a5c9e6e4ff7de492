package txn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// forge makes a marker of a finished target: its old lock is invented, so that a removal and a replacement of files that no lock ever had
// in this state follow.
func forge(t *testing.T, l *lifecycle) *Marker {
	t.Helper()
	m := *l.marker(t)
	old := *m.OldLock
	file := func(path, text string) lockv2.File {
		return lockv2.File{Destination: lockv2.Destination(path), Component: "artifact.app", Ownership: lockv2.Managed, Digest: fingerprint.Of[fingerprint.Material]([]byte(text))}
	}
	old.Files = append([]lockv2.File{file("precious.txt", "precious\n")}, old.Files...)
	for i := range old.Files {
		if old.Files[i].Destination == "a.txt" {
			old.Files[i] = file("a.txt", "mine\n")
		}
	}
	slices.SortFunc(old.Files, func(a, b lockv2.File) int { return strings.Compare(string(a.Destination), string(b.Destination)) })
	b, err := lockv2.Encode(&old)
	if err != nil {
		t.Fatal(err)
	}
	m.OldLock, m.OldLockDigest = &old, fingerprint.Of[fingerprint.LockFile](b)
	m.Actions, err = planner.Implied(&old, m.NewLock)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

// Behind a lock that is the new one already nothing is done any more, whatever the marker says was there before.
func TestNothingIsDoneBehindTheNewLock(t *testing.T) {
	l := newLifecycle(t)
	forged := forge(t, l)
	dir := l.copy(t)
	if _, err := l.reconcile(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	put(t, dir, lockv2.MarkerPath, string(forged.Encode()))
	put(t, dir, "precious.txt", "precious\n")
	put(t, dir, "a.txt", "mine\n")
	if err := os.Remove(filepath.Join(dir, "new", "seed.md")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	if p := l.survey(t, dir); len(p.Blocked) != 3 || len(p.Pending) != 0 {
		t.Errorf("the survey: %+v", p)
	}
	_, err := l.again(t.Context(), dir, nil)
	var fault *Error
	if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || len(fault.Blocked) != 3 || !fault.Unfinished {
		t.Fatalf("got %v", err)
	}
	for _, path := range []string{"precious.txt", "a.txt", "new/seed.md"} {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("the message does not name %s: %v", path, err)
		}
	}
	sameTree(t, tree(t, dir), before, "a forged marker")
	// The consumer does what the messages say.
	if err := os.Remove(filepath.Join(dir, "precious.txt")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.txt", "a 2\n")
	put(t, dir, "new/seed.md", "a new seed\n")
	l.finishes(t, dir, "put right")
}

// A folder with something in it is not tried to be removed: where its parent may not lose an entry, that is no fault. An empty one that may not be
// removed stays, with a warning.
func TestPruneLooksFirst(t *testing.T) {
	l := newLifecycle(t)
	calls := l.calls(t, diskKind{dry: true})
	if slices.Contains(calls, "rmdir kept") {
		t.Errorf("a folder that is not empty was tried: %q", calls)
	}
	for _, errno := range []syscall.Errno{syscall.EACCES, syscall.EPERM} {
		dir := l.copy(t)
		d := &faultDisk{diskKind: diskKind{dry: true}, fail: slices.Index(calls, "rmdir old/deep") + 1, err: errno}
		opt := twin(d)
		var warned []string
		opt.Warn = func(msg string) { warned = append(warned, msg) }
		result, err := Reconcile(t.Context(), dir, l.plan, opt)
		if err != nil || result.Status != StatusApplied || len(warned) != 1 || !strings.Contains(warned[0], `"old/deep"`) {
			t.Errorf("%v: %+v, %v, warned %q", errno, result, err, warned)
		}
		now := tree(t, dir)
		if now["old/deep"] != "folder" || now[lockv2.MarkerPath] != "" {
			t.Errorf("%v: left %q", errno, now)
		}
	}
}

// Under the names of torn stagings only what is torn is removed: what somebody else put there is named, and left alone.
func TestPartsOfOthers(t *testing.T) {
	l := newLifecycle(t)
	for name, c := range map[string]struct {
		path string
		put  func(path string) error
		ok   bool
	}{
		"nothing yet":         {"0.part", func(path string) error { return os.WriteFile(path, nil, 0o644) }, true},
		"a part":              {"0.part", func(path string) error { return os.WriteFile(path, []byte("a "), 0o644) }, true},
		"zeros":               {"1.part", func(path string) error { return os.WriteFile(path, make([]byte, 5), 0o644) }, true},
		"the whole":           {"0.part", func(path string) error { return os.WriteFile(path, []byte("a 2\n"), 0o644) }, true},
		"a part of the lock":  {"lock.part", func(path string) error { return os.WriteFile(path, []byte("{\n"), 0o644) }, true},
		"a part of a marker":  {"marker", func(path string) error { return os.WriteFile(path, []byte("{\n\x00"), 0o644) }, true},
		"other bytes":         {"0.part", func(path string) error { return os.WriteFile(path, []byte("mine"), 0o644) }, false},
		"more bytes":          {"0.part", func(path string) error { return os.WriteFile(path, []byte("a 2\nmore"), 0o644) }, false},
		"of a removal":        {"2.part", func(path string) error { return os.WriteFile(path, []byte("g"), 0o644) }, false},
		"another marker":      {"marker", func(path string) error { return os.WriteFile(path, []byte("mine"), 0o644) }, false},
		"a folder":            {"0.part", func(path string) error { return os.Mkdir(path, 0o755) }, false},
		"a folder for marker": {"marker", func(path string) error { return os.Mkdir(path, 0o755) }, false},
		"a symlink":           {"lock.part", func(path string) error { return os.Symlink("lock", path) }, false},
		"no action's":         {"99.part", func(path string) error { return os.WriteFile(path, nil, 0o644) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := l.stopAfter(t, diskKind{dry: true}, "link "+lockv2.MarkerPath)
			if err := c.put(filepath.Join(dir, lockv2.StagingFolder, c.path)); err != nil {
				t.Fatal(err)
			}
			before := tree(t, dir)
			_, err := l.again(t.Context(), dir, nil)
			if c.ok {
				if err != nil {
					t.Fatal(err)
				}
				sameTree(t, tree(t, dir), l.want, name)
				return
			}
			var fault *Error
			if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || fault.Path() != lockv2.StagingFolder+"/"+c.path {
				t.Errorf("got %v", err)
			}
			sameTree(t, tree(t, dir), before, name)
		})
	}
}

// What is no folder where staging is stops a recovery, and is said to be that.
func TestStagingIsNoFolder(t *testing.T) {
	l := newLifecycle(t)
	for name, put := range map[string]func(path string) error{
		"a symlink": func(path string) error { return os.Symlink("staging~", path) },
		"a file":    func(path string) error { return os.WriteFile(path, nil, 0o644) },
	} {
		dir := l.stopAfter(t, diskKind{dry: true}, "exchange a.txt")
		staging := filepath.Join(dir, lockv2.StagingFolder)
		if err := errors.Join(os.Rename(staging, staging+"~"), put(staging)); err != nil {
			t.Fatal(err)
		}
		if p := l.survey(t, dir); len(p.Blocked) != 1 {
			t.Errorf("%s: the survey: %+v", name, p)
		}
		before := tree(t, dir)
		_, err := l.again(t.Context(), dir, nil)
		var fault *Error
		if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || !strings.Contains(err.Error(), "is no folder") || strings.Contains(err.Error(), "plan") {
			t.Errorf("%s: %v", name, err)
		}
		sameTree(t, tree(t, dir), before, name)
		if err := errors.Join(os.Remove(staging), os.Rename(staging+"~", staging)); err != nil {
			t.Fatal(err)
		}
		l.finishes(t, dir, name)
	}
}

// A recovery that writes nothing asks for no space.
func TestRecoveryAsksForWhatItWrites(t *testing.T) {
	if err := checkSpace(t.TempDir(), nil); err != nil {
		t.Error(err)
	}
	if err := checkSpace(t.TempDir(), []int64{1 << 60}); err == nil || strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("got %v", err)
	}
	l := newLifecycle(t)
	for after, want := range map[string]int{"link " + lockv2.MarkerPath: 0, "exchange bin/run": 0, "mkdir new": 0} {
		dir := l.stopAfter(t, diskKind{dry: true}, after)
		if n := l.restaged(t, dir); n != want {
			t.Errorf("after %s: %d places are to be written", after, n)
		}
		for _, name := range []string{"lock", "3"} {
			if err := os.Remove(filepath.Join(dir, lockv2.StagingFolder, name)); err != nil {
				t.Fatal(err)
			}
		}
		if n := l.restaged(t, dir); n != want+2 {
			t.Errorf("after %s, and with two removed: %d places are to be written", after, n)
		}
	}
}

// restaged counts the places that a recovery asks for room for.
func (l *lifecycle) restaged(t *testing.T, dir string) int {
	t.Helper()
	held, err := Hold(t.Context(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	m, err := ReadMarker(held.Root())
	if err != nil {
		t.Fatal(err)
	}
	work, err := newTransaction(held.disk, m, l.after, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, enough := 0, errors.New("enough")
	err = work.recover(t.Context(), func(wanted func(int) bool) error {
		for i := range work.places {
			if wanted(i) {
				n++
			}
		}
		return enough
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	return n
}

// What happens to a destination in the instant before its change is said as it is, and with a remedy that helps.
func TestMessagesOfRaces(t *testing.T) {
	l := newLifecycle(t)
	remove := func(path string) error { return os.Remove(path) }
	for name, c := range map[string]struct {
		call string
		path string
		bend func(path string) error
		want []string // in the message; none: the run finishes
	}{
		"a replaced file is deleted": {"exchange a.txt", "a.txt", remove, []string{"a.txt: is missing", "restore the old file"}},
		"a removed file is deleted":  {"replace " + lockv2.StagingFolder + "/6", "old/gone.txt", remove, nil},
		"a file becomes a folder": {"exchange a.txt", "a.txt", func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		}, []string{"a.txt: is a folder"}},
		"a file becomes a symlink": {"exchange a.txt", "a.txt", func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink("seed.md", path))
		}, []string{"a.txt: is a symlink"}},
		"a parent becomes a symlink": {"exchange bin/run", "bin", func(path string) error {
			return errors.Join(os.Rename(path, path+"~"), os.Symlink("bin~", path))
		}, []string{`"bin" is a symlink`, `put the folder itself in the place of "bin"`}},
		"a file stands in the way of a folder": {"mkdir new", "new", func(path string) error {
			return os.WriteFile(path, nil, 0o644)
		}, []string{`"new" is no folder`, `move "new" away`}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := l.copy(t)
			once := sync.OnceFunc(func() {
				if err := c.bend(filepath.Join(dir, c.path)); err != nil {
					t.Error(err)
				}
			})
			_, err := l.reconcile(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}, before: func(_ int, op, at string) {
				if op+" "+at == c.call {
					once()
				}
			}})
			if err == nil && c.want != nil && !strings.Contains(name, "parent") || err != nil && c.want == nil {
				t.Fatalf("got %v", err)
			}
			if c.want == nil {
				sameTree(t, tree(t, dir), l.want, name)
				return
			}
			if strings.Contains(fmt.Sprint(err), lockv2.StagingFolder) || strings.Contains(fmt.Sprint(err), "went away") {
				t.Errorf("the first run: %v", err)
			}
			_, err = l.again(t.Context(), dir, nil)
			for _, text := range append(c.want, c.path) {
				if !strings.Contains(fmt.Sprint(err), text) {
					t.Errorf("%q is not in the message: %v", text, err)
				}
			}
			if strings.Contains(fmt.Sprint(err), lockv2.StagingFolder) {
				t.Errorf("it names a temporary file: %v", err)
			}
		})
	}
}

// plan is a ManagedPlanFunc.
func (l *lifecycle) plan(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error) {
	old, err := planner.ReadManaged(root)
	if err != nil {
		return nil, err
	}
	return planner.Reconcile(ctx, l.op, old, l.after, root)
}
