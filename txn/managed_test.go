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

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// lifecycle is a target in two states, and the composition that leads to each.
type lifecycle struct {
	before, after *planner.Composition
	op            planner.Operation
	dir           string            // a target in the state before
	want          map[string]string // the tree after
	start         map[string]string // the tree before
}

// grown is a catalog of which the second revision creates, replaces and removes files, makes folders and leaves some empty.
func grown(version int) catalogtest.Catalog {
	text := func(name string) string { return fmt.Sprintf("%s %d\n", name, version) }
	materials := []catalogtest.Material{
		{Destination: "a.txt", Content: text("a")},
		{Destination: "bin/run", Content: text("run"), Executable: version == 2},
		{Destination: "same.txt", Content: "same\n"},
		{Destination: "seed.md", Ownership: "seed", Content: text("seed")},
	}
	if version == 1 {
		materials = append(materials,
			catalogtest.Material{Destination: "old/deep/gone.txt", Content: "gone\n"},
			catalogtest.Material{Destination: "old/gone.txt", Content: "gone too\n"},
			catalogtest.Material{Destination: "kept/gone.txt", Content: "gone as well\n"})
	} else {
		materials = append(materials,
			catalogtest.Material{Destination: "new/deep/here.txt", Content: "here\n"},
			catalogtest.Material{Destination: "new/seed.md", Ownership: "seed", Content: "a new seed\n"})
	}
	return catalogtest.Catalog{
		Components: []catalogtest.Component{{ID: "artifact.app", Version: version, Materials: materials}},
		Recipes:    []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
	}
}

func materialize(t testing.TB, c catalogtest.Catalog) *planner.Composition {
	t.Helper()
	cfg, err := resolver.FromSelection("app", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	comp, err := planner.Materialize(t.Context(), catalogtest.Load(t, c.Files()), "example/catalog", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return comp
}

// compose makes a first composition.
func compose(t testing.TB, dir string, comp *planner.Composition) {
	t.Helper()
	plan := func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		return planner.Initial(ctx, comp, root)
	}
	if _, err := Initial(t.Context(), dir, plan, Options{}); err != nil {
		t.Fatal(err)
	}
}

func newLifecycle(t *testing.T) *lifecycle {
	t.Helper()
	l := &lifecycle{before: materialize(t, grown(1)), after: materialize(t, grown(2)), op: planner.Upgrade, dir: filepath.Join(memoryDir(t), "target")}
	compose(t, l.dir, l.before)
	put(t, l.dir, "kept/own.txt", "mine\n")
	put(t, l.dir, "seed.md", "edited\n")
	l.start = tree(t, l.dir)
	dir := l.copy(t)
	if _, err := l.reconcile(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	l.want = tree(t, dir)
	for path, text := range map[string]string{"a.txt": "-rw-r--r-- a 2\n", "bin/run": "-rwxr-xr-x run 2\n", "seed.md": "-rw-r--r-- edited\n",
		"new/seed.md": "-rw-r--r-- a new seed\n", "old": "", "kept/gone.txt": "", lockv2.MarkerPath: "", lockv2.StagingFolder: ""} {
		if l.want[path] != text {
			t.Fatalf("after an upgrade %s is %q, want %q", path, l.want[path], text)
		}
	}
	return l
}

func put(t testing.TB, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, path)
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copy returns another target in the state before.
func (l *lifecycle) copy(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(l.dir), "copy")
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(l.dir))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// twin makes the disk of a run into one that fails, or does something else.
func twin(d *faultDisk) Options {
	return Options{wrap: func(real disk) disk {
		d.disk = real
		return d
	}}
}

// reconcile upgrades the target at dir, through a twin of the disk where there is one.
func (l *lifecycle) reconcile(ctx context.Context, dir string, d *faultDisk) (*Result, error) {
	opt := Options{}
	if d != nil {
		opt = twin(d)
	}
	return Reconcile(ctx, dir, func(ctx context.Context, root *rootfs.Root) (*planner.ManagedPlan, error) {
		old, err := planner.ReadManaged(root)
		if err != nil {
			return nil, err
		}
		return planner.Reconcile(ctx, l.op, old, l.after, root)
	}, opt)
}

// again is the same command again: it recovers where there is a marker.
func (l *lifecycle) again(ctx context.Context, dir string, d *faultDisk) (*Result, error) {
	root, err := rootfs.Open(dir)
	if err != nil {
		return nil, err
	}
	m, err := ReadMarker(root)
	root.Close()
	if err != nil {
		return nil, err
	}
	if m == nil {
		return l.reconcile(ctx, dir, d)
	}
	opt := Options{}
	if d != nil {
		opt = twin(d)
	}
	return Recover(ctx, dir, m, l.after, opt)
}

// finishes runs the same command again and wants the one right end.
func (l *lifecycle) finishes(t *testing.T, dir, when string) {
	t.Helper()
	if _, err := l.again(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}}); err != nil {
		t.Fatalf("%s: the same command again: %v", when, err)
	}
	sameTree(t, tree(t, dir), l.want, when)
}

// calls returns the calls of an undisturbed upgrade through a disk of this kind.
func (l *lifecycle) calls(t *testing.T, kind diskKind) []string {
	t.Helper()
	dir := l.copy(t)
	defer os.RemoveAll(dir)
	d := &faultDisk{diskKind: kind}
	result, err := l.reconcile(t.Context(), dir, d)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != StatusApplied || len(result.Created) != 2 || len(result.Replaced) != 2 || len(result.Removed) != 3 || len(result.Preserved) != 1 {
		t.Fatalf("got %+v", result)
	}
	sameTree(t, tree(t, dir), l.want, "an undisturbed run")
	return d.calls
}

// kinds are the disks that there are.
func kinds() map[string]diskKind {
	return map[string]diskKind{
		"exchanges":    {dry: true},
		"renames over": {dry: true, noExchange: true, noUnnamed: true},
	}
}

// A process that ends at any call leaves the state before, or a marker; the same command finishes it.
func TestManagedStoppedAtEveryCall(t *testing.T) {
	l := newLifecycle(t)
	for name, kind := range kinds() {
		t.Run(name, func(t *testing.T) {
			calls := l.calls(t, kind)
			marked := 0
			for k := 1; k <= len(calls)+1; k++ {
				dir := l.copy(t)
				when := fmt.Sprintf("after a stop at call %d of %q", k, calls)
				_, err := l.reconcile(t.Context(), dir, kind.stopAt(k))
				now := tree(t, dir)
				switch {
				case err == nil:
					sameTree(t, now, l.want, when)
				case now[lockv2.MarkerPath] != "":
					marked++
				case now[lockv2.LockPath] == l.start[lockv2.LockPath]:
					sameTree(t, without(now, lockv2.StagingFolder), l.start, when)
				}
				l.finishes(t, dir, when)
				os.RemoveAll(dir)
			}
			if marked < 20 {
				t.Errorf("only %d of %d stops left a marker", marked, len(calls))
			}
		})
	}
}

func (d diskKind) stopAt(k int) *faultDisk {
	return &faultDisk{diskKind: d, fail: k, stop: true, err: errors.New("the process ended")}
}

// without returns a tree without a folder and what is below it.
func without(files map[string]string, folder string) map[string]string {
	left := map[string]string{}
	for path, what := range files {
		if path != folder && !strings.HasPrefix(path, folder+"/") {
			left[path] = what
		}
	}
	return left
}

// A recovery that is stopped too, at any call, is recovered from like the first run. With -crash.full every pair of calls is tried.
func TestManagedStoppedTwice(t *testing.T) {
	l := newLifecycle(t)
	stride := 11
	if *fullProof {
		stride = 1
	}
	for name, kind := range kinds() {
		t.Run(name, func(t *testing.T) {
			calls := l.calls(t, kind)
			pairs := 0
			for k := 1; k <= len(calls)+1; k += stride {
				for j, ended := 1+k%stride, false; !ended; j += stride {
					dir := l.copy(t)
					_, _ = l.reconcile(t.Context(), dir, kind.stopAt(k))
					_, err := l.again(t.Context(), dir, kind.stopAt(j))
					ended = err == nil
					l.finishes(t, dir, fmt.Sprintf("after a stop at call %d of %q and another at call %d of what came then", k, calls, j))
					os.RemoveAll(dir)
					pairs++
				}
			}
			t.Logf("%d pairs of stops", pairs)
		})
	}
}

// Whatever a consumer writes after a crash is kept; once it is put right the same command finishes.
func TestManagedEditAfterStop(t *testing.T) {
	l := newLifecycle(t)
	kind := diskKind{dry: true}
	calls := l.calls(t, kind)
	for _, path := range []string{"a.txt", "bin/run", "old/deep/gone.txt", "new/deep/here.txt", "new/seed.md", "same.txt", "seed.md", lockv2.LockPath, "kept/own.txt"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for k := 1; k <= len(calls)+1; k += 3 {
				dir := l.copy(t)
				_, _ = l.reconcile(t.Context(), dir, kind.stopAt(k))
				stopped, had := tree(t, dir), ""
				if b, err := os.ReadFile(filepath.Join(dir, path)); err == nil {
					had = string(b)
				}
				when := fmt.Sprintf("%s edited after a stop at call %d of %q", path, k, calls)
				put(t, dir, path, "consumer\n")
				result, err := l.again(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}})
				got, reading := os.ReadFile(filepath.Join(dir, path))
				if reading != nil || string(got) != "consumer\n" {
					t.Fatalf("%s: it is %q (%v) after %+v, %v", when, got, reading, result, err)
				}
				if err == nil && result.Status != StatusConflict {
					continue // a seed or a file that nobody manages, or all was done
				}
				if err != nil {
					wantTypedAt(t, err, path, when)
				}
				// The consumer puts it right: as it was, or out of the way.
				if had != "" {
					put(t, dir, path, had)
				} else if err := os.Remove(filepath.Join(dir, path)); err != nil {
					t.Fatal(err)
				}
				if stopped[lockv2.MarkerPath] == "" && had == "" {
					continue // the folders that the edit made stand
				}
				if _, err := l.again(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}}); err != nil {
					t.Fatalf("%s, and put right: %v", when, err)
				}
				sameTree(t, withoutEmpty(tree(t, dir), "old"), withMode(l.want, tree(t, dir), path), when+", and put right")
				os.RemoveAll(dir)
			}
		})
	}
}

// withMode is want with the mode that the consumer's file gave to path.
func withMode(want, got map[string]string, path string) map[string]string {
	out := map[string]string{}
	for p, what := range want {
		out[p] = what
	}
	if w, g := out[path], got[path]; len(w) > 10 && len(g) > 10 && w[10:] == g[10:] {
		out[path] = g
	}
	return out
}

// withoutEmpty drops folders below and at path that hold no file.
func withoutEmpty(files map[string]string, path string) map[string]string {
	out := map[string]string{}
	for p, what := range files {
		if what != "folder" || p != path && !strings.HasPrefix(p, path+"/") {
			out[p] = what
		}
	}
	return out
}

// wantTypedAt wants an error with a code that a transaction gives for a consumer's change, which names the path.
func wantTypedAt(t *testing.T, err error, path, when string) {
	t.Helper()
	var coded diag.Coded
	if !errors.As(err, &coded) || !slices.Contains([]string{CodePreconditionChanged, CodeValidationFailed, "INVALID_JSON", "INVALID_LOCK"}, coded.Code()) {
		t.Fatalf("%s: %v", when, err)
	}
	if !strings.Contains(err.Error(), path) {
		t.Errorf("%s: the message does not name it: %v", when, err)
	}
}

// Any call that fails ends the run with a code and loses nothing; once the fault is gone the same command finishes.
func TestManagedFailingAtEveryCall(t *testing.T) {
	l := newLifecycle(t)
	for name, kind := range kinds() {
		calls := l.calls(t, kind)
		for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EROFS, syscall.EMFILE} {
			t.Run(name+"/"+errno.Error(), func(t *testing.T) {
				t.Parallel()
				for k := 1; k <= len(calls); k++ {
					dir := l.copy(t)
					d := &faultDisk{diskKind: kind, fail: k, err: errno}
					_, err := l.reconcile(t.Context(), dir, d)
					when := fmt.Sprintf("%v at call %d, %s", errno, k, d.calls[k-1])
					l.wantFailed(t, dir, err, errno, when)
					l.failAgain(t, dir, errno, when)
					l.finishes(t, dir, when)
					os.RemoveAll(dir)
				}
			})
		}
	}
}

// failAgain lets a recovery fail in its first calls too.
func (l *lifecycle) failAgain(t *testing.T, dir string, errno syscall.Errno, when string) {
	t.Helper()
	for k := 5; k < 30; k += 12 {
		_, err := l.again(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}, fail: k, err: errno})
		l.wantFailed(t, dir, err, errno, fmt.Sprintf("%s, and at call %d of the next run", when, k))
	}
}

func (l *lifecycle) wantFailed(t *testing.T, dir string, err error, errno syscall.Errno, when string) {
	t.Helper()
	now := tree(t, dir)
	if err == nil {
		if errno == syscall.EACCES { // a folder that is empty now and may not be removed stays
			_ = os.Remove(filepath.Join(dir, "old", "deep"))
			_ = os.Remove(filepath.Join(dir, "old"))
		}
		sameTree(t, tree(t, dir), l.want, when)
		return
	}
	var fault *Error
	var coded diag.Coded
	if !errors.As(err, &coded) || !slices.Contains([]string{CodeWriteFailed, CodeReadFailed}, coded.Code()) || !errors.Is(err, errno) {
		t.Fatalf("%s: %v", when, err)
	}
	if errors.As(err, &fault) && fault.Unfinished != (now[lockv2.MarkerPath] != "") {
		t.Errorf("%s: Unfinished is %v: %v", when, fault.Unfinished, err)
	}
	if strings.Contains(err.Error(), lockv2.StagingFolder+"/") {
		t.Errorf("%s: the message names a temporary file: %v", when, err)
	}
	if now[lockv2.MarkerPath] == "" && now[lockv2.LockPath] == l.start[lockv2.LockPath] {
		sameTree(t, without(now, lockv2.StagingFolder), l.start, when)
	}
}

// A context that ends at any call stops the run at a safe point.
func TestManagedInterrupted(t *testing.T) {
	l := newLifecycle(t)
	calls := l.calls(t, diskKind{dry: true})
	interrupted := 0
	for k := 1; k <= len(calls); k++ {
		dir := l.copy(t)
		ctx, cancel := context.WithCancel(t.Context())
		d := &faultDisk{diskKind: diskKind{dry: true}, before: func(n int, _, _ string) {
			if n == k {
				cancel()
			}
		}}
		_, err := l.reconcile(ctx, dir, d)
		cancel()
		when := fmt.Sprintf("the context ended at call %d of %q", k, calls)
		var fault *Error
		switch {
		case err == nil:
		case !errors.As(err, &fault) || fault.Code() != CodeInterrupted || !errors.Is(err, context.Canceled):
			t.Errorf("%s: %v", when, err)
		case !fault.Unfinished:
			sameTree(t, tree(t, dir), l.start, when)
		default:
			interrupted++
			if !strings.Contains(err.Error(), "run the same command again") || fault.Hint() != "compose apply --mode upgrade" {
				t.Errorf("%s: %v, hint %q", when, err, fault.Hint())
			}
		}
		l.finishes(t, dir, when)
		os.RemoveAll(dir)
	}
	if interrupted < 10 {
		t.Errorf("only %d runs were interrupted under a marker", interrupted)
	}
}

// Where a plan changes nothing, or is in conflict, nothing is written; left-over staging goes.
func TestManagedWritesNothing(t *testing.T) {
	l := newLifecycle(t)
	put(t, l.dir, "a.txt", "edited\n")
	before := tree(t, l.dir)
	d := &faultDisk{}
	result, err := l.reconcile(t.Context(), l.dir, d)
	if err != nil || result.Status != StatusConflict || len(result.Conflicts) != 1 || len(d.calls) != 0 {
		t.Errorf("a conflict: %+v, %v, calls %q", result, err, d.calls)
	}
	sameTree(t, tree(t, l.dir), before, "a conflict")

	dir := l.copy(t)
	put(t, dir, "a.txt", "a 1\n")
	if _, err := l.reconcile(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{"", lockv2.StagingFolder + "/0"} {
		if left != "" {
			put(t, dir, left, "left over\n")
		}
		d = &faultDisk{}
		result, err = l.reconcile(t.Context(), dir, d)
		if err != nil || result.Status != StatusUnchanged || result.Lock == nil || left == "" && len(d.calls) != 1 {
			t.Errorf("again: %+v, %v, calls %q", result, err, d.calls)
		}
		sameTree(t, tree(t, dir), l.want, "again")
	}
	if _, err := l.reconcile(t.Context(), filepath.Join(t.TempDir(), "absent"), nil); err == nil {
		t.Error("an absent target was updated")
	}
}

// What changes between the plan and the marker is a conflict of a new plan, and nothing is written.
func TestManagedChangesBeforeMarker(t *testing.T) {
	l := newLifecycle(t)
	for path, code := range map[string]string{"a.txt": planner.CodeLocalModification, "new/deep/here.txt": planner.CodeDestinationConflict} {
		dir := l.copy(t)
		result, err := l.reconcile(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}, before: func(_ int, op, at string) {
			if op == "fsync" && at == stagedLock {
				put(t, dir, path, "consumer\n")
			}
		}})
		if err != nil || result.Status != StatusConflict || result.Conflicts[0].Code != code {
			t.Errorf("%s: %+v, %v", path, result, err)
		}
		now := tree(t, dir)
		if now[path] != "-rw-r--r-- consumer\n" || now[lockv2.MarkerPath] != "" || now[lockv2.StagingFolder] != "" {
			t.Errorf("%s: left %q", path, now)
		}
	}
	dir := l.copy(t)
	lock, err := os.ReadFile(filepath.Join(dir, lockv2.LockPath))
	if err != nil {
		t.Fatal(err)
	}
	once := sync.OnceFunc(func() { put(t, dir, lockv2.LockPath, strings.ReplaceAll(string(lock), "\n", "\r\n")) })
	result, err := l.reconcile(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}, before: func(_ int, op, _ string) {
		if op == "fsync" {
			once()
		}
	}})
	if err != nil || result.Status != StatusApplied {
		t.Errorf("a lock in other white space: %+v, %v", result, err)
	}
	sameTree(t, tree(t, dir), l.want, "a lock in other white space")

	dir = l.copy(t)
	n := 0
	_, err = l.reconcile(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}, before: func(_ int, op, at string) {
		if op == "fsync" && at == stagedLock {
			n++
			put(t, dir, lockv2.LockPath, string(lock)+strings.Repeat("\n", n))
		}
	}})
	var fault *Error
	if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || fault.Unfinished || n != replans {
		t.Errorf("a lock that changes each time: %v after %d plans", err, n)
	}
}

// Consumers write in the instant between the last look and the change: their bytes are put back and the run stops.
func TestManagedEditBeforeExchange(t *testing.T) {
	l := newLifecycle(t)
	writes := map[string]func(t *testing.T, path, content string){
		"in place": func(t *testing.T, path, content string) {
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Error(err)
			}
		},
		"renamed over": func(t *testing.T, path, content string) {
			err := os.WriteFile(path+"~", []byte(content), 0o644)
			if err == nil {
				err = os.Rename(path+"~", path)
			}
			if err != nil {
				t.Error(err)
			}
		},
	}
	for how, write := range writes {
		for path, op := range map[string]string{"a.txt": "exchange a.txt", "old/deep/gone.txt": "replace " + lockv2.StagingFolder + "/5",
			"new/deep/here.txt": "install new/deep/here.txt", lockv2.LockPath: "exchange " + lockv2.LockPath} {
			t.Run(how+"/"+path, func(t *testing.T) {
				dir := l.copy(t)
				once := sync.OnceFunc(func() { write(t, filepath.Join(dir, path), "consumer\n") })
				hit := false
				_, err := l.reconcile(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}, before: func(_ int, o, p string) {
					if o+" "+p == op {
						hit = true
						once()
					}
				}})
				if !hit {
					t.Fatalf("no call %q", op)
				}
				var fault *Error
				if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || !fault.Unfinished || len(fault.Blocked) != 1 || fault.Path() != path {
					t.Fatalf("got %v", err)
				}
				now := tree(t, dir)
				if now[path] != "-rw-r--r-- consumer\n" || now[lockv2.MarkerPath] == "" {
					t.Errorf("left %q", now)
				}
				if details := fault.Details(); len(details) == 0 {
					t.Error("no details")
				}
			})
		}
	}
}

// A program that opened a file before the exchange and writes to it after the last look: its bytes go back.
func TestManagedWriterThatHoldsTheFileOpen(t *testing.T) {
	l := newLifecycle(t)
	for _, path := range []string{"a.txt", "old/gone.txt"} {
		dir := l.copy(t)
		f, err := os.OpenFile(filepath.Join(dir, path), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		once := sync.OnceFunc(func() { _, _ = f.WriteString("consumer\n"); f.Close() })
		_, err = l.reconcile(t.Context(), dir, &faultDisk{diskKind: diskKind{dry: true}, before: func(_ int, op, p string) {
			if op == "list" && p == lockv2.StagingFolder {
				if _, err := os.Stat(filepath.Join(dir, lockv2.MarkerPath)); err == nil {
					once()
				}
			}
		}})
		var fault *Error
		if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || !fault.Unfinished || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
		if now := tree(t, dir); !strings.HasPrefix(strings.TrimPrefix(now[path], "-rw-r--r-- "), "consumer\n") || now[lockv2.MarkerPath] == "" {
			t.Errorf("%s: left %q", path, now)
		}
	}
}
