package txn

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"example.org/compose/lockv2"
)

func chmod(t *testing.T, dir, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
		t.Error(err)
	}
}

func wantMode(t *testing.T, dir, path string, want os.FileMode, when string) {
	t.Helper()
	info, err := os.Lstat(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode() & keptMode; got != want {
		t.Errorf("%s: %s has mode %v, want %v", when, path, got, want)
	}
}

// What a consumer forbids others to read is not readable again after an update, at whatever call of it the mode was changed.
func TestModeChangesMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	l := newLifecycle(t)
	for name, kind := range kinds() {
		calls := l.calls(t, kind)
		for path, change := range map[string]string{"a.txt": "exchange a.txt", "bin/run": "exchange bin/run", lockv2.LockPath: "exchange " + lockv2.LockPath} {
			if kind.noExchange {
				change = "attributes " + path // the last look at the mode
			}
			last := 0
			for i, call := range calls {
				if call == change {
					last = i + 1
				}
			}
			for n := 1; n <= last; n++ {
				if !kind.noExchange && n < last-4 && n%5 != 0 || kind.noExchange && n > last-2 {
					continue
				}
				dir := l.copy(t)
				once := sync.OnceFunc(func() { chmod(t, dir, path, 0o600) })
				if _, err := l.reconcile(t.Context(), dir, &faultDisk{diskKind: kind, before: func(at int, _, _ string) {
					if at == n {
						once()
					}
				}}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				want := os.FileMode(0o600)
				if path == "bin/run" {
					want = 0o700
				}
				wantMode(t, dir, path, want, name+", changed at "+calls[n-1])
				os.RemoveAll(dir)
			}
		}
	}
}

// A recovery uses what is staged already, but with the mode that the old file has by now.
func TestModeChangesAfterCrash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	l := newLifecycle(t)
	dir := l.stopAfter(t, diskKind{dry: true}, "link "+lockv2.MarkerPath)
	chmod(t, dir, "a.txt", 0o600)
	chmod(t, dir, "bin/run", 0o640|os.ModeSetgid)
	chmod(t, dir, lockv2.LockPath, 0o600)
	d := &faultDisk{diskKind: diskKind{dry: true}}
	if _, err := l.again(t.Context(), dir, d); err != nil {
		t.Fatal(err)
	}
	for _, call := range d.calls {
		if call == "create "+stagingName(0)+part {
			t.Error("the file was staged again")
		}
	}
	wantMode(t, dir, "a.txt", 0o600, "recovered")
	wantMode(t, dir, "bin/run", 0o750|os.ModeSetgid, "recovered")
	wantMode(t, dir, lockv2.LockPath, 0o600, "recovered")
}
