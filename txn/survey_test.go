package txn

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// survey says how far the interrupted transaction in dir is.
func (l *lifecycle) survey(t *testing.T, dir string) *Progress {
	t.Helper()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	m, err := ReadMarker(root)
	if err != nil || m == nil {
		t.Fatalf("the marker: %v, %v", m, err)
	}
	before := tree(t, dir)
	p, err := Survey(t.Context(), root, m)
	if err != nil {
		t.Fatal(err)
	}
	sameTree(t, tree(t, dir), before, "a survey")
	return p
}

// stopAfter stops an upgrade at the call that follows the given one.
func (l *lifecycle) stopAfter(t *testing.T, kind diskKind, call string) string {
	t.Helper()
	calls := l.calls(t, kind)
	i := slices.Index(calls, call)
	if i < 0 {
		t.Fatalf("no call %q in %q", call, calls)
	}
	dir := l.copy(t)
	if _, err := l.reconcile(t.Context(), dir, kind.stopAt(i+2)); err == nil {
		t.Fatal("the run was not stopped")
	}
	return dir
}

func TestSurvey(t *testing.T) {
	l := newLifecycle(t)
	dir := l.stopAfter(t, diskKind{dry: true}, "exchange bin/run")
	p := l.survey(t, dir)
	if fmt.Sprint(p.Done) != "[a.txt bin/run]" || fmt.Sprint(p.Pending) != "[kept/gone.txt new/deep/here.txt new/seed.md old/deep/gone.txt old/gone.txt]" || len(p.Blocked) != 0 {
		t.Errorf("got %+v", p)
	}
	put(t, dir, "a.txt", "mine\n")
	put(t, dir, "new/seed.md", "mine\n")
	put(t, dir, "kept/gone.txt", "mine\n")
	put(t, dir, lockv2.StagingFolder+"/notes", "mine\n")
	put(t, dir, lockv2.StagingFolder+"/3"+part, "he")
	p = l.survey(t, dir)
	var blocked []string
	for _, b := range p.Blocked {
		blocked = append(blocked, string(b.Destination))
	}
	if fmt.Sprint(blocked) != "[a.txt kept/gone.txt new/seed.md .template-composition/staging/notes]" || fmt.Sprint(p.Done) != "[bin/run]" {
		t.Errorf("got %+v", p)
	}
	// Recovery names them all, and touches nothing.
	before := tree(t, dir)
	_, err := l.again(t.Context(), dir, nil)
	var fault *Error
	if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || len(fault.Blocked) != 4 {
		t.Fatalf("got %v", err)
	}
	for _, name := range blocked {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the message does not name %s: %v", name, err)
		}
	}
	sameTree(t, tree(t, dir), before, "a recovery that is blocked")
}

// What an exchange caught and a crash left in staging goes back to where it belongs, or is named.
func TestCaughtInStaging(t *testing.T) {
	l := newLifecycle(t)
	const mine = "consumer\n"
	for name, c := range map[string]struct {
		after       string
		staged      string // a file in staging that becomes the consumer's
		destination string
		back        bool // it goes back
		bend        func(t *testing.T, dir string)
	}{
		"the new file is in its place":    {"exchange a.txt", "0", "a.txt", true, nil},
		"its place is free":               {"replace " + lockv2.StagingFolder + "/2", "2", "kept/gone.txt", true, nil},
		"the folder of its place is gone": {"rmdir old", "5", "old/deep/gone.txt", true, nil},
		"the place of a file is free": {"exchange a.txt", "0", "a.txt", true, func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
				t.Error(err)
			}
		}},
		"the old file is in its place":   {"exchange a.txt", "0", "a.txt", false, func(t *testing.T, dir string) { put(t, dir, "a.txt", "a 1\n") }},
		"something else is in its place": {"exchange a.txt", "0", "a.txt", false, func(t *testing.T, dir string) { put(t, dir, "a.txt", "more\n") }},
		"a lock":                         {"exchange " + lockv2.LockPath, "lock", lockv2.LockPath, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := l.stopAfter(t, diskKind{dry: true}, c.after)
			put(t, dir, lockv2.StagingFolder+"/"+c.staged, mine)
			if c.bend != nil {
				c.bend(t, dir)
			}
			_, err := l.again(t.Context(), dir, nil)
			var fault *Error
			if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || !strings.Contains(err.Error(), c.destination) {
				t.Fatalf("got %v", err)
			}
			got := strings.TrimPrefix(tree(t, dir)[c.destination], "-rw-r--r-- ")
			staged := tree(t, dir)[lockv2.StagingFolder+"/"+c.staged]
			if c.back != (got == mine) || !c.back && !strings.HasSuffix(staged, mine) {
				t.Errorf("back: %v, at its place %q, in staging %q; %v", c.back, got, staged, err)
			}
			if !c.back && !strings.Contains(err.Error(), lockv2.StagingFolder+"/"+c.staged) {
				t.Errorf("the message does not say where it is: %v", err)
			}
			// The consumer takes it away, and puts back what was there before.
			_ = os.Remove(filepath.Join(dir, lockv2.StagingFolder, c.staged))
			if text, managed := map[string]string{"a.txt": "a 1\n", "kept/gone.txt": "gone as well\n", "old/deep/gone.txt": "gone\n"}[c.destination]; managed {
				put(t, dir, c.destination, text)
			} else {
				put(t, dir, c.destination, strings.TrimPrefix(l.start[c.destination], "-rw-r--r-- "))
			}
			l.finishes(t, dir, name)
		})
	}
}

// Folders that removals leave empty go, those with anything in them stay, and so does the root.
func TestPrune(t *testing.T) {
	l := newLifecycle(t)
	put(t, l.dir, "old/own/mine.txt", "mine\n")
	dir := l.copy(t)
	if _, err := l.reconcile(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	now := tree(t, dir)
	if now["old"] != "folder" || now["old/deep"] != "" || now["old/own/mine.txt"] == "" || now["kept"] != "folder" {
		t.Errorf("left %q", now)
	}
	l.start, l.want = tree(t, l.dir), now
	// Found done, the folders not yet pruned: recovery prunes.
	dir = l.stopAfter(t, diskKind{dry: true}, "digest "+lockv2.StagingFolder+"/6")
	if now = tree(t, dir); now["old/deep"] != "folder" {
		t.Fatalf("stopped too late: %q", now)
	}
	if _, err := l.again(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	if now = tree(t, dir); now["old/deep"] != "" || now["old"] != "folder" {
		t.Errorf("left %q", now)
	}
}

// A replaced file keeps its permission bits, but for the executable ones, which follow the git mode.
func TestAttributesForMode(t *testing.T) {
	for _, c := range []struct{ old, plain, executable os.FileMode }{
		{0o644, 0o644, 0o755}, {0o755, 0o644, 0o755}, {0o600, 0o600, 0o700}, {0o664, 0o664, 0o775}, {0o440, 0o440, 0o550}, {0o711, 0o600, 0o700}, {0, 0, 0},
	} {
		a := attributes{mode: c.old}
		if got := a.forMode(false).mode; got != c.plain {
			t.Errorf("%v, plain: got %v, want %v", c.old, got, c.plain)
		}
		if got := a.forMode(true).mode; got != c.executable {
			t.Errorf("%v, executable: got %v, want %v", c.old, got, c.executable)
		}
	}
}

// The modes of an upgrade: replaced files and the lock keep theirs, also where a recovery stages them again.
func TestManagedModes(t *testing.T) {
	l := newLifecycle(t)
	for path, mode := range map[string]os.FileMode{"a.txt": 0o600, "bin/run": 0o664, lockv2.LockPath: 0o640} {
		if err := os.Chmod(filepath.Join(l.dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	check := func(dir string) {
		t.Helper()
		for path, want := range map[string]os.FileMode{"a.txt": 0o600, "bin/run": 0o775, lockv2.LockPath: 0o640} {
			info, err := os.Lstat(filepath.Join(dir, path))
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
			}
		}
	}
	source := l.copy(t)
	for path, mode := range map[string]os.FileMode{"a.txt": 0o600, "bin/run": 0o664, lockv2.LockPath: 0o640} {
		if err := os.Chmod(filepath.Join(source, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.reconcile(t.Context(), source, nil); err != nil {
		t.Fatal(err)
	}
	check(source)

	put(t, l.dir, lockv2.MarkerPath, string(l.marker(t).Encode())) // nothing is staged
	if _, err := l.again(t.Context(), l.dir, nil); err != nil {
		t.Fatal(err)
	}
	check(l.dir)
}

// A result tells what the whole transaction did, however many runs it took.
func TestRecoveredResult(t *testing.T) {
	l := newLifecycle(t)
	dir := l.stopAfter(t, diskKind{dry: true}, "exchange bin/run")
	var warned []string
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReadMarker(root)
	root.Close()
	if err != nil {
		t.Fatal(err)
	}
	result, err := Recover(t.Context(), dir, m, l.after, Options{Warn: func(msg string) { warned = append(warned, msg) }})
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != StatusRecovered || result.Operation != string(planner.Upgrade) || fmt.Sprint(result.Created, result.Replaced, result.Removed, result.Preserved) !=
		"[new/deep/here.txt new/seed.md] [a.txt bin/run] [kept/gone.txt old/deep/gone.txt old/gone.txt] [seed.md]" || len(warned) != 0 {
		t.Errorf("got %+v, warned %q", result, warned)
	}
}

// What a failed flush covered is written anew: the next run must not take its own flush of the same file for a success.
func TestFailedFlushIsWrittenAnew(t *testing.T) {
	l := newLifecycle(t)
	for _, path := range []string{"a.txt", lockv2.LockPath} {
		dir := l.stopAfter(t, diskKind{dry: true}, "exchange "+path)
		was, err := os.Lstat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		failed := false
		d := &faultDisk{diskKind: diskKind{dry: true}, err: syscall.EIO}
		d.before = func(n int, op, at string) {
			if op == "sync" && at == path {
				d.fail, failed = n, true
			}
		}
		_, err = l.again(t.Context(), dir, d)
		var fault *Error
		if !failed || !errors.As(err, &fault) || fault.Code() != CodeWriteFailed || fault.Path() != path || !fault.Unfinished {
			t.Errorf("%s: the flush failed: %v; the run: %v", path, failed, err)
		}
		now, err := os.Lstat(filepath.Join(dir, path))
		if err != nil || os.SameFile(was, now) {
			t.Errorf("%s: it is the same file afterwards, %v", path, err)
		}
		written := slices.Index(d.calls, "fsync "+lockv2.StagingFolder+"/0"+part) >= 0 || slices.Index(d.calls, "fsync "+stagedLock+part) >= 0
		if !written {
			t.Errorf("%s: no new file was flushed: %q", path, d.calls)
		}
		l.finishes(t, dir, path)
	}
}
