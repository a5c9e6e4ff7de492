package planner

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// countingTarget remembers what was asked for.
type countingTarget struct {
	*rootfs.Root
	mu     sync.Mutex
	listed map[string]int
	read   []string
}

func (c *countingTarget) Names(path string) ([]string, error) {
	c.mu.Lock()
	c.listed[path]++
	c.mu.Unlock()
	return c.Root.Names(path)
}

func (c *countingTarget) Stat(d lockv2.Destination) (fs.FileInfo, error) {
	c.mu.Lock()
	c.read = append(c.read, string(d))
	c.mu.Unlock()
	return c.Root.Stat(d)
}

func made(destinations ...string) *Composition {
	c := &Composition{}
	for _, d := range slices.Sorted(slices.Values(destinations)) {
		c.Materials = append(c.Materials, Material{Destination: lockv2.Destination(d), Digest: sha256.Sum256([]byte(d)), Size: int64(len(d))})
	}
	return c
}

// Of a target full of other files a plan lists the folders on the way that are there, and reads the files at a destination.
func TestLooksOnlyOnTheWay(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		folder := filepath.Join(dir, "other", fmt.Sprint(i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "x"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"a/b/here", "a/b/unrelated", "a/c/unrelated"} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(path), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	count := &countingTarget{Root: root, listed: map[string]int{}}
	p, err := initial(t.Context(), made("a-b/x", "a/b/here", "a/b/there", "a/b/z/deep", "a/new/x", "top"), count)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Conflicts) != 0 || len(p.Actions) != 6 {
		t.Errorf("conflicts %+v, %d actions", p.Conflicts, len(p.Actions))
	}
	delete(count.listed, "")
	if want := map[string]int{"a": 1, "a/b": 1}; fmt.Sprint(count.listed) != fmt.Sprint(want) {
		t.Errorf("listed %v, want %v", count.listed, want)
	}
	if !slices.Equal(count.read, []string{"a/b/here"}) {
		t.Errorf("looked at %q", count.read)
	}
}

func TestWanted(t *testing.T) {
	s := survey{materials: made("a-b", "a/b", "a/c/d", "a/c/e", "ab").Materials}
	text := func(list wants) string {
		var b strings.Builder
		for _, e := range list {
			fmt.Fprintf(&b, "%s %d-%d %v;", e.name, e.lo, e.hi, e.file)
		}
		return b.String()
	}
	if got, want := text(s.wanted("", 0, 5)), "a-b 0-1 true;a 1-4 false;ab 4-5 true;"; got != want {
		t.Errorf("in the root: got %s, want %s", got, want)
	}
	if got, want := text(s.wanted("a", 1, 4)), "b 1-2 true;c 2-4 false;"; got != want {
		t.Errorf("in a: got %s, want %s", got, want)
	}
}

// vanishing is a target whose files go away between the listing and the look.
type vanishing struct {
	*rootfs.Root
	dir string
}

func (v vanishing) Stat(d lockv2.Destination) (fs.FileInfo, error) {
	_ = os.Remove(filepath.Join(v.dir, string(d)))
	return v.Root.Stat(d)
}

func TestFileGoesAwayMeanwhile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p, err := initial(t.Context(), made("x"), vanishing{root, dir})
	if err != nil || len(p.Conflicts) != 0 || len(p.Actions) != 1 || p.Actions[0].Kind != Create {
		t.Errorf("plan %+v, error %v", p, err)
	}
}

// A file of more bytes than a material can have, in any line endings, is not read.
func TestHugeFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 40); err != nil {
		t.Skip(err)
	}
	f.Close()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p, err := initial(t.Context(), made("x"), root)
	if err != nil || len(p.Conflicts) != 1 || p.Conflicts[0].Reason != ReasonDifferentBytes {
		t.Errorf("plan %+v, error %v", p, err)
	}
}

func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := initial(ctx, made("x"), (*rootfs.Root)(nil)); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// The plan is the same whatever the number of workers.
func TestSameOnAnyMachine(t *testing.T) {
	dir := t.TempDir()
	var destinations []string
	for i := range 300 {
		d := fmt.Sprintf("f%d/%d", i%7, i)
		destinations = append(destinations, d)
		full := filepath.Join(dir, d)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		content := d
		if i%3 == 0 {
			content = "other"
		}
		if i%5 != 0 {
			if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var first string
	for _, workers := range []int{1, 2, 7, 16} {
		before := runtime.GOMAXPROCS(workers)
		root, err := rootfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := initial(t.Context(), made(destinations...), root)
		root.Close()
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, a := range p.Actions {
			fmt.Fprintln(&text, a.Kind, a.Material.Destination)
		}
		for _, c := range p.Conflicts {
			fmt.Fprintln(&text, c)
		}
		if first == "" {
			first = text.String()
		}
		if text.String() != first || len(p.Conflicts) == 0 {
			t.Errorf("%d workers give another plan:\n%s", workers, text.String())
		}
	}
}
