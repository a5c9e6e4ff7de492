package validator_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func validate(t *testing.T, path string) *validator.Report {
	t.Helper()
	report, err := validator.Validate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func codes(faults []validator.Fault) []string {
	var list []string
	for _, f := range faults {
		list = append(list, strings.TrimSpace(f.Code+" "+string(f.Destination)))
	}
	return list
}

func TestValidate(t *testing.T) {
	for _, c := range targettest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			targettest.Write(t, dir)
			c.Bend(t, dir)
			root := dir
			if c.Root != "" {
				root += "/" + c.Root
			}
			report := validate(t, root)
			if string(report.State) != c.State || !slices.Equal(codes(report.Faults), c.Errors) {
				t.Errorf("got %s %v, want %s %v", report.State, codes(report.Faults), c.State, c.Errors)
			}
			if report.OK() != (len(report.Faults) == 0) {
				t.Errorf("OK with faults, or not OK without: %s %v", report.State, report.Faults)
			}
			if again := validate(t, root); string(strictjson.Encode(again.Document())) != string(strictjson.Encode(report.Document())) {
				t.Error("two looks at the same target differ")
			}
		})
	}
}

// The documents and the text of one target of each kind, as files to review.
func TestGolden(t *testing.T) {
	for _, name := range []string{"valid", "several faults", "managed, CRLF", "marker, and files in between", "no lock", "seed, missing", "lock, unknown field in a file",
		"state folder, a symlink", "parent, a symlink inside", "parent, a file", "lock, JSON: duplicate source", "lock, version: 1",
		"policy, not allowed", "policy, an unknown field", "policy, a symlink to a good one", "policy, misspelled", "policy, bad, and no lock"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			targettest.Write(t, dir)
			i := slices.IndexFunc(targettest.Cases(), func(c targettest.Case) bool { return c.Name == name })
			targettest.Cases()[i].Bend(t, dir)
			report := validate(t, dir)
			var got strings.Builder
			got.Write(strictjson.Encode(report.Document()))
			got.Write(strictjson.Encode(report.InspectDocument(strictjson.Value{}, report.Next())))
			if err := report.WriteText(&got); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", strings.NewReplacer(" ", "-", ",", "", ":", "").Replace(name)+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", &got, want)
			}
		})
	}
}

func TestLineEndingsOnly(t *testing.T) {
	for text, want := range map[string]bool{
		"one\r\ntwo\r\n": true, "one\r\ntwo\n": true, "one\ntwo\r\n": true,
		"one\rtwo\r": false, "one\r\ntwo": false, "one\r\r\ntwo\n": false, "one\ntwo\n\n": false,
	} {
		dir := t.TempDir()
		targettest.Write(t, dir)
		targettest.File(t, dir, "docs/guide/deep.md", text)
		faults := validate(t, dir).Faults
		if len(faults) != 1 || faults[0].LineEndingsOnly != want {
			t.Errorf("%q: got %+v, want line_endings_only %v", text, faults, want)
		}
	}
}

func TestContextThatEnded(t *testing.T) {
	dir := t.TempDir()
	targettest.Write(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, path := range []string{dir, dir + "/none"} {
		if _, err := validator.Validate(ctx, path); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// worker is a run that works all the time, as txn does it: the marker, files, the lock, the marker away, and so on. No two
// of its runs leave the same bytes.
type worker struct {
	dir   string
	lock  *lockv2.Lock
	steps int
}

const stepsOfRun = 5 // of a worker

// step takes the next step.
func (w *worker) step() error {
	at := func(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }
	install := func(name string, b []byte) error {
		err := os.WriteFile(at("staged"), b, 0o644)
		if err == nil {
			err = os.Rename(at("staged"), at(name))
		}
		return err
	}
	material := func(name string) error {
		text := fmt.Appendf(nil, "%s of run %d\n", name, w.steps/stepsOfRun)
		for i := range w.lock.Files {
			if string(w.lock.Files[i].Destination) == name {
				w.lock.Files[i].Digest = digest(text)
			}
		}
		return install(name, text)
	}
	n := w.steps
	w.steps++
	switch n % stepsOfRun {
	case 0:
		return install(lockv2.MarkerPath, []byte("{}"))
	case 1:
		return material("a.txt")
	case 2:
		return material("docs/guide/deep.md")
	case 3:
		b, err := lockv2.Encode(w.lock)
		if err == nil {
			err = install(lockv2.LockPath, b)
		}
		return err
	}
	return os.Remove(at(lockv2.MarkerPath))
}

func newWorker(t *testing.T) *worker {
	dir := t.TempDir()
	targettest.Write(t, dir)
	return &worker{dir: dir, lock: targettest.Lock()}
}

// meanwhile is a context that is asked whether it ended before each file that is looked at, and calls between then.
type meanwhile struct {
	context.Context
	mu      sync.Mutex
	n       int
	between func(n int) // from 1
}

func (m *meanwhile) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	m.between(m.n)
	return m.Context.Err()
}

// Whatever a run does between two steps of a look, no look may call the target invalid.
func TestRunMeanwhileIsNeverInvalid(t *testing.T) {
	seen := map[validator.State]int{}
	quiet := &meanwhile{Context: t.Context(), between: func(int) {}}
	if _, err := validator.Validate(quiet, newWorker(t).dir); err != nil {
		t.Fatal(err)
	}
	again := 0 // runs that looked once more, and then found the target valid
	for began := range stepsOfRun {
		for steps := 1; steps <= 2*stepsOfRun; steps++ {
			for k, asked := 1, 1; k <= asked; k++ {
				w := newWorker(t)
				for range began {
					if err := w.step(); err != nil {
						t.Fatal(err)
					}
				}
				ctx := &meanwhile{Context: t.Context(), between: func(n int) {
					for range steps {
						if n != k {
							break
						}
						if err := w.step(); err != nil {
							t.Error(err)
						}
					}
				}}
				report, err := validator.Validate(ctx, w.dir)
				if err != nil || report.State != validator.Valid && report.State != validator.Interrupted {
					t.Fatalf("%d steps of a run before, %d when the context was asked the %d. time: %v, %+v", began, steps, k, err, report)
				}
				seen[report.State]++
				if report.State == validator.Valid && ctx.n > quiet.n {
					again++
				}
				asked = min(ctx.n, 2*quiet.n)
			}
		}
	}
	if seen[validator.Valid] == 0 || seen[validator.Interrupted] == 0 || again == 0 {
		t.Errorf("states %v, of the valid ones %d at a second look", seen, again)
	}
	t.Logf("states %v, of the valid ones %d at a second look", seen, again)
}

// The same with a run that is not stopped for a look.
func TestRunInProgressIsNeverInvalid(t *testing.T) {
	w := newWorker(t)
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := w.step(); err != nil {
				done <- err
				return
			}
		}
	}()
	for range 300 {
		report, err := validator.Validate(t.Context(), w.dir)
		if err != nil || report.State != validator.Valid && report.State != validator.Interrupted {
			t.Errorf("%v, %+v", err, report)
			break
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestUnreadableIsNotTheEnd(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("the superuser, or no user at all, reads everything")
	}
	dir := t.TempDir()
	targettest.Write(t, dir)
	targettest.File(t, dir, "contracts/manifest.json", "edited")
	for _, name := range []string{"a.txt", "docs/guide", "README.md"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "docs/guide"), 0o755) })
	// A seed must be there; nobody reads it.
	want := []string{"READ_FAILED a.txt", "MATERIAL_MODIFIED contracts/manifest.json", "READ_FAILED docs/guide/deep.md"}
	if got := codes(validate(t, dir).Faults); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, name := range []string{lockv2.LockPath, lockv2.StateFolder} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
		report := validate(t, dir)
		if got := codes(report.Faults); report.State != validator.Invalid || !slices.Equal(got, []string{"READ_FAILED"}) {
			t.Errorf("%s: got %s %v", name, report.State, got)
		}
	}
	if err := os.Chmod(filepath.Join(dir, lockv2.StateFolder), 0o755); err != nil {
		t.Fatal(err)
	}
}

// The whole text of a target that is none.
func TestTargetThatIsNone(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"nope": `the target "nope" is not there; make the folder, or name another`,
		"file": `the target "file" is no folder; name a folder`,
		"":     `the target "" is an empty path; name a folder`,
	} {
		report, err := validator.Validate(t.Context(), path)
		if err != nil || len(report.Faults) != 1 || report.Faults[0].Code != "INVALID_TARGET" || report.Faults[0].Message != want {
			t.Errorf("%q: got %+v, %v", path, report, err)
		}
	}
}
