package txn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// countingLists counts the names that were listed.
type countingLists struct {
	disk
	names int
}

func (c *countingLists) List(path string, most int) ([]string, error) {
	names, err := c.disk.List(path, most)
	c.names += len(names)
	return names, err
}

// Which folders removals leave empty is known without listing what is beside them.
func TestEmptied(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"a/b/1", "a/b/2", "a/c/3", "d/4", "d/stays", "e/f/5", "e/g/stays", "6"} {
		fill(t, dir, path)
	}
	for i := range 500 {
		fill(t, dir, fmt.Sprintf("many/unrelated%03d", i))
	}
	fill(t, dir, "many/7")
	var counted *countingLists
	n := stand(t, dir, nil, func(d disk) disk {
		counted = &countingLists{disk: d}
		return counted
	})
	removals := &transaction{places: make([]place, 0, 9)}
	removals.disk = n.disk
	for _, path := range []string{"6", "a/b/1", "a/b/2", "a/c/3", "d/4", "e/f/5", "many/7", "missing/8"} {
		removals.places = append(removals.places, place{destination: lockv2.Destination(path), kind: planner.Remove})
	}
	removals.places = append(removals.places, place{destination: lockv2.LockPath})
	got := removals.emptied()
	slices.Sort(got)
	if strings.Join(got, " ") != "a a/b a/c e/f" {
		t.Errorf("got %q", got)
	}
	if counted.names > 20 {
		t.Errorf("%d names were listed", counted.names)
	}
}

func fill(t *testing.T, dir, path string) {
	t.Helper()
	full := filepath.Join(dir, path)
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
