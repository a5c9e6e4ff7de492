package planner_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
)

// A process that may open no more files learns nothing about the target, and says so.
func TestTooManyOpenFiles(t *testing.T) {
	c := catalogtest.Catalog{
		Components: []catalogtest.Component{{ID: "artifact.app", Version: 1, Materials: []catalogtest.Material{{Destination: "a/b/c.txt", Content: "c\n"}}}},
		Recipes:    []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
	}
	comp := materialize(t, c)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := root.Names(""); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	plan, err := planner.Initial(t.Context(), comp, root)
	var coded diag.Coded
	if !errors.As(err, &coded) || coded.Code() != planner.CodeReadFailed || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("got %+v, %v", plan, err)
	}
}
