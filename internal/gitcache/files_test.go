package gitcache_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// each returns a damage to all files of an entry that a pattern finds.
func each(pattern string, change func([]byte) []byte) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		for _, name := range glob(t, folder, pattern) {
			edit(t, name, change)
		}
	}
}

func glob(t *testing.T, folder, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %q, error %v", pattern, names, err)
	}
	return names
}

func edit(t *testing.T, name string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(bytes.Clone(b))
	if bytes.Equal(b, changed) {
		t.Fatalf("%s is as it was", name)
	}
	remove(t, name)
	if err := os.WriteFile(name, changed, 0o600); err != nil {
		t.Fatal(err)
	}
}

func replace(b []byte, old, new string) []byte {
	return bytes.Replace(b, []byte(old), []byte(new), 1)
}

func removeAll(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		remove(t, name)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}
