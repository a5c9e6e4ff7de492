package sample_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/benchcmp/sample"
)

func TestSample(t *testing.T) {
	c := sample.New(sample.Options{Files: 2000})
	if len(c.Files(sample.A)) != 2000 || len(c.Files(sample.B)) != 2000 || len(c.Created) != 100 || len(c.Replaced) != 600 || len(c.Removed) != 100 {
		t.Errorf("%d and %d files, %d created, %d replaced, %d removed", len(c.Files(sample.A)), len(c.Files(sample.B)), len(c.Created), len(c.Replaced), len(c.Removed))
	}
	total := 0
	old := map[string][]byte{}
	for _, f := range c.Files(sample.A) {
		old[f.Destination] = c.Content(f)
		total += len(old[f.Destination])
	}
	if mean := total / 2000; mean < 5000 || mean > 10_000 {
		t.Errorf("%d bytes a file", mean)
	}
	for _, f := range c.Files(sample.B) {
		_, replaced := slices.BinarySearch(c.Replaced, f.Destination)
		before, there := old[f.Destination]
		if same := bytes.Equal(c.Content(f), before); there && same == replaced {
			t.Errorf("%s: the same bytes %t, replaced %t", f.Destination, same, replaced)
		}
	}
	for _, list := range [][]string{c.Created, c.Replaced, c.Removed} {
		if !slices.IsSorted(list) {
			t.Error("a list is not sorted")
		}
	}
	for _, f := range sample.New(sample.Options{Files: 100, Edits: 0.5}).Created {
		t.Errorf("%s is created", f)
	}
}

func TestImport(t *testing.T) {
	o := sample.Options{Files: 30, Commits: 3, Ballast: 1, Scale: 0.1}
	streams := map[sample.Layout]string{}
	for _, l := range []sample.Layout{sample.Whole, sample.Flat} {
		var one, two strings.Builder
		if err := sample.New(o).Import(&one, l); err != nil {
			t.Fatal(err)
		}
		if err := sample.New(o).Import(&two, l); err != nil {
			t.Fatal(err)
		}
		if one.String() != two.String() {
			t.Error("two imports differ")
		}
		if n := strings.Count(one.String(), "commit refs/heads/main\n"); n != 6 {
			t.Errorf("%d commits, want ballast, A, three between, B", n)
		}
		streams[l] = one.String()
	}
	if !strings.Contains(streams[sample.Whole], "inline catalog/catalog.json\n") || strings.Contains(streams[sample.Flat], "component.json") {
		t.Error("the layouts are not what they say")
	}
	if err := sample.New(o).Import(full{}, sample.Whole); err != io.ErrShortWrite {
		t.Errorf("a pipe that is closed: %v", err)
	}
}

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
