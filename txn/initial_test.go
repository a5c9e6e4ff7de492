package txn_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
	"example.org/compose/txn"
	"example.org/compose/validator"
)

func app() catalogtest.Catalog {
	return catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Materials: []catalogtest.Material{
				{Destination: "README.md", Ownership: "seed", Content: "# app\n"},
				{Destination: "bin/run", Content: "#!/bin/sh\n", Executable: true},
				{Destination: "docs/deep/er.md", Content: "deep\n"},
			}},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
	}
}

// planOf returns a PlanFunc for a catalog's one recipe.
func planOf(t testing.TB, c catalogtest.Catalog) txn.PlanFunc {
	t.Helper()
	cfg, err := resolver.FromSelection("app", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	comp, err := planner.Materialize(t.Context(), catalogtest.Load(t, c.Files()), "example/catalog", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		return planner.Initial(ctx, comp, root)
	}
}

// state returns, for everything below dir and dir itself, what a refused command must leave as it is.
func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(raw)
		}
		fmt.Fprintf(&b, "%s %v %v %s %q\n", path, info.Mode(), info.ModTime().UnixNano(), identity(info), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wantCode(t *testing.T, err error, code string) diag.Coded {
	t.Helper()
	var fault diag.Coded
	if !errors.As(err, &fault) || fault.Code() != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return fault
}

func TestInitial(t *testing.T) {
	plan := planOf(t, app())
	base := t.TempDir()
	adopting := filepath.Join(base, "adopting")
	if err := os.MkdirAll(adopting, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(adopting, "README.md"), []byte("# app\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := []lockv2.Destination{".template-composition/about.txt", "README.md", "bin/run", "docs/deep/er.md"}
	for _, c := range []struct {
		path             string
		created, adopted []lockv2.Destination
	}{
		{filepath.Join(base, "absent"), all, nil},
		{filepath.Join(base, "absent", "below", "a", "target") + "/", all, nil},
		{adopting, []lockv2.Destination{all[0], all[2], all[3]}, []lockv2.Destination{"README.md"}},
	} {
		result, err := txn.Initial(t.Context(), c.path, plan, txn.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if result.Status != txn.StatusApplied || !slices.Equal(result.Created, c.created) || !slices.Equal(result.Adopted, c.adopted) {
			t.Errorf("%s: %+v", c.path, result)
		}
		for _, v := range schemas.Validate(schemas.ApplyResult, result.Document()) {
			t.Errorf("the result breaks its schema at %s: %s", v.Pointer, v.Message)
		}
		report, err := validator.Validate(t.Context(), c.path)
		if err != nil || report.State != validator.Valid {
			t.Errorf("%s: state %s, faults %+v, error %v", c.path, report.State, report.Faults, err)
		}
		before := state(t, c.path)
		_, err = txn.Initial(t.Context(), c.path, plan, txn.Options{})
		wantCode(t, err, "INITIAL_MODE_REQUIRES_UNMANAGED_TARGET")
		if after := state(t, c.path); after != before {
			t.Errorf("a refused apply changed the target:\n%s\n%s", before, after)
		}
	}
	got, err := os.ReadFile(filepath.Join(base, "absent", lockv2.LockPath))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan(t.Context(), nil)
	if err != nil || string(got) != string(p.Composition.LockBytes()) {
		t.Errorf("the lock is %s", got)
	}
}

func TestConflictWritesNothing(t *testing.T) {
	plan := planOf(t, app())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := state(t, dir)
	result, err := txn.Initial(t.Context(), dir, plan, txn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != txn.StatusConflict || len(result.Conflicts) != 1 || result.Lock != nil {
		t.Errorf("result %+v", result)
	}
	for _, v := range schemas.Validate(schemas.ApplyResult, result.Document()) {
		t.Errorf("the result breaks its schema at %s: %s", v.Pointer, v.Message)
	}
	if after := state(t, dir); after != before {
		t.Errorf("a conflict changed the target:\n%s\n%s", before, after)
	}
}

// A plan that fails leaves no target behind, and does not even touch the folder it would lie in.
func TestRefusedBeforeAnything(t *testing.T) {
	base := t.TempDir()
	before := state(t, base)
	refusal := errors.New("refused")
	_, err := txn.Initial(t.Context(), filepath.Join(base, "a", "b"), func(context.Context, *rootfs.Root) (*planner.InitialPlan, error) { return nil, refusal }, txn.Options{})
	if !errors.Is(err, refusal) {
		t.Errorf("got %v", err)
	}
	if after := state(t, base); after != before {
		t.Errorf("before\n%s after\n%s", before, after)
	}
}

// Where the second plan of an absent target fails, the folders that were made go again.
func TestRefusedAfterTheRootWasMade(t *testing.T) {
	base := t.TempDir()
	plan := planOf(t, app())
	refusal := errors.New("refused")
	_, err := txn.Initial(t.Context(), filepath.Join(base, "a", "b"), func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		if root != nil {
			return nil, refusal
		}
		return plan(ctx, root)
	}, txn.Options{})
	if !errors.Is(err, refusal) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(base); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestInvalidTarget(t *testing.T) {
	plan := planOf(t, app())
	base := t.TempDir()
	file, link := filepath.Join(base, "file"), filepath.Join(base, "link")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(base, link); err != nil {
		t.Skip(err)
	}
	before := state(t, base)
	for _, path := range []string{"", file, link, link + "/", file + "/below"} {
		_, err := txn.Initial(t.Context(), path, plan, txn.Options{})
		wantCode(t, err, "INVALID_TARGET")
	}
	if after := state(t, base); after != before {
		t.Errorf("before\n%s after\n%s", before, after)
	}
}

// Two runs at once on one target, absent at first: one does the work, the other is refused or finds it managed.
func TestOneAtATime(t *testing.T) {
	plan := planOf(t, app())
	for range 20 {
		path := filepath.Join(t.TempDir(), "new", "target")
		var group sync.WaitGroup
		results := make([]error, 4)
		for i := range results {
			group.Go(func() { _, results[i] = txn.Initial(t.Context(), path, plan, txn.Options{}) })
		}
		group.Wait()
		done := 0
		for _, err := range results {
			var fault diag.Coded
			switch {
			case err == nil:
				done++
			case !errors.As(err, &fault) || fault.Code() != txn.CodeTargetBusy && fault.Code() != planner.CodeUnmanagedTargetRequired:
				t.Errorf("got %v", err)
			}
		}
		if done != 1 {
			t.Errorf("%d runs applied", done)
		}
		if report, err := validator.Validate(t.Context(), path); err != nil || report.State != validator.Valid {
			t.Errorf("state %s, %v", report.State, err)
		}
	}
}

// held returns a PlanFunc that stops inside the lock until release is called, and a channel that says when it is there.
func held(plan txn.PlanFunc) (blocked txn.PlanFunc, inside chan struct{}, release func()) {
	inside, free := make(chan struct{}), make(chan struct{})
	return func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		if root != nil {
			close(inside)
			<-free
		}
		return plan(ctx, root)
	}, inside, sync.OnceFunc(func() { close(free) })
}

// waitedFor is a context that tells when somebody waits for it to end: then a run has found the target held.
type waitedFor struct {
	context.Context
	waits chan struct{}
	once  sync.Once
}

func newWaitedFor(ctx context.Context) *waitedFor {
	return &waitedFor{Context: ctx, waits: make(chan struct{})}
}

func (c *waitedFor) Done() <-chan struct{} {
	c.once.Do(func() { close(c.waits) })
	return c.Context.Done()
}

// forever is a wait that no test sees the end of.
const forever = time.Hour

func TestBusyAndWait(t *testing.T) {
	plan := planOf(t, app())
	dir := t.TempDir()
	first, inside, release := held(plan)
	defer release()
	finished := make(chan error, 1)
	go func() {
		_, err := txn.Initial(context.Background(), dir, first, txn.Options{})
		finished <- err
	}()
	<-inside
	before := state(t, dir)
	ctx := newWaitedFor(t.Context())
	_, err := txn.Initial(ctx, dir, plan, txn.Options{})
	wantCode(t, err, txn.CodeTargetBusy)
	select {
	case <-ctx.waits:
		t.Error("it waited")
	default:
	}
	_, err = txn.Initial(ctx, dir, plan, txn.Options{Wait: time.Millisecond})
	wantCode(t, err, txn.CodeTargetBusy)
	cancelled, cancel := context.WithCancel(t.Context())
	ctx = newWaitedFor(cancelled)
	go func() {
		<-ctx.waits
		cancel()
	}()
	_, err = txn.Initial(ctx, dir, plan, txn.Options{Wait: forever})
	wantCode(t, err, txn.CodeInterrupted)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if after := state(t, dir); after != before {
		t.Errorf("a refused apply changed the target:\n%s\n%s", before, after)
	}
	ctx = newWaitedFor(t.Context())
	waiting := make(chan error, 1)
	go func() {
		_, err := txn.Initial(ctx, dir, plan, txn.Options{Wait: forever})
		waiting <- err
	}()
	<-ctx.waits
	release()
	if err := <-finished; err != nil {
		t.Error(err)
	}
	wantCode(t, <-waiting, planner.CodeUnmanagedTargetRequired) // it got the lock, and found a lock file
}

// A target whose folder is replaced while a run waits for it: the run works on what the path names then.
func TestTargetReplacedWhileWaiting(t *testing.T) {
	plan := planOf(t, app())
	base := t.TempDir()
	path := filepath.Join(base, "target")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	refusal := errors.New("refused")
	first, inside, release := held(func(context.Context, *rootfs.Root) (*planner.InitialPlan, error) { return nil, refusal })
	defer release()
	finished := make(chan error, 2)
	go func() {
		_, err := txn.Initial(context.Background(), path, first, txn.Options{})
		finished <- err
	}()
	<-inside
	ctx := newWaitedFor(t.Context())
	waiting := make(chan error, 1)
	go func() {
		_, err := txn.Initial(ctx, path, plan, txn.Options{Wait: forever})
		waiting <- err
	}()
	<-ctx.waits
	if err := os.Rename(path, path+"-moved"); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-finished; !errors.Is(err, refusal) {
		t.Error(err)
	}
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(path + "-moved"); len(left) != 0 {
		t.Errorf("the folder that was moved away holds %v", left)
	}
	if report, err := validator.Validate(t.Context(), path); err != nil || report.State != validator.Valid {
		t.Errorf("state %s, %v", report.State, err)
	}
}

// callsOf returns the calls of an undisturbed first composition.
func callsOf(t *testing.T, plan txn.PlanFunc) (calls []string) {
	t.Helper()
	opt := txn.Options{}.Before(func(_ int, op, path string) { calls = append(calls, op+" "+path) })
	if _, err := txn.Initial(t.Context(), t.TempDir(), plan, opt); err != nil {
		t.Fatal(err)
	}
	return calls
}

// A file that changes after its install, before validation: the run says so, the edit stays, the lock goes.
func TestValidationFails(t *testing.T) {
	plan := planOf(t, app())
	calls := callsOf(t, plan)
	installed := slices.Index(calls, "install bin/run")
	for since := range calls[installed+1:] {
		dir := t.TempDir()
		edited := filepath.Join(dir, "bin", "run")
		left := -1
		opt := txn.Options{}.Before(func(_ int, op, path string) {
			switch {
			case op == "install" && path == "bin/run":
				left = since + 1
			case left > 0:
				left--
			}
			if left == 0 {
				left = -1
				if err := os.WriteFile(edited, []byte("edited\n"), 0); err != nil {
					t.Error(err)
				}
			}
		})
		_, err := txn.Initial(t.Context(), dir, plan, opt)
		var fault *txn.Error
		if !errors.As(err, &fault) || fault.Code() != txn.CodeValidationFailed || len(fault.Faults) != 1 || fault.Faults[0].Destination != "bin/run" {
			t.Fatalf("edited before %q: got %v", calls[installed+1+since], err)
		}
		if _, err := os.Lstat(filepath.Join(dir, lockv2.LockPath)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the lock is still there: %v", err)
		}
		if b, _ := os.ReadFile(edited); string(b) != "edited\n" {
			t.Errorf("the edit is %q", b)
		}
		result, err := txn.Initial(t.Context(), dir, plan, txn.Options{})
		if err != nil || result.Status != txn.StatusConflict {
			t.Errorf("the next run: %+v, %v", result, err)
		}
		if err := os.WriteFile(edited, []byte("#!/bin/sh\n"), 0); err != nil {
			t.Fatal(err)
		}
		if result, err = txn.Initial(t.Context(), dir, plan, txn.Options{}); err != nil || result.Status != txn.StatusApplied {
			t.Errorf("the run after the edit was taken back: %+v, %v", result, err)
		}
	}
}

// A consumer creates a file at any call of a run that is about to install one of that name: what they wrote is there in
// the end, and nothing is taken for composed.
func TestRacingConsumer(t *testing.T) {
	plan := planOf(t, app())
	calls := callsOf(t, plan)
	first := 0
	for k := range calls {
		dir := t.TempDir()
		path := filepath.Join(dir, "README.md")
		const mine = "mine\n"
		var wrote, installed bool
		opt := txn.Options{}.Before(func(n int, op, at string) {
			if n == k+1 {
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
				if wrote = err == nil; wrote {
					_, err = f.WriteString(mine)
					err = errors.Join(err, f.Close())
				} else if errors.Is(err, fs.ErrExist) && installed {
					err = nil // compose was first
				}
				if err != nil {
					t.Error(err)
				}
			}
			installed = installed || op == "install" && at == "README.md"
		})
		result, err := txn.Initial(t.Context(), dir, plan, opt)
		b, _ := os.ReadFile(path)
		if wrote && string(b) != mine || !wrote && string(b) != "# app\n" {
			t.Fatalf("at call %d of %q: wrote %v, found %q", k+1, calls, wrote, b)
		}
		_, locked := os.Lstat(filepath.Join(dir, lockv2.LockPath))
		if applied := err == nil && result.Status == txn.StatusApplied; applied == wrote || (locked == nil) == wrote {
			t.Fatalf("at call %d of %q: wrote %v, applied %v, lock %v: %v", k+1, calls, wrote, applied, locked, err)
		}
		if wrote {
			first++
		}
	}
	if first < 10 || first == len(calls) {
		t.Errorf("the consumer was first at %d of %d calls", first, len(calls))
	}
}
