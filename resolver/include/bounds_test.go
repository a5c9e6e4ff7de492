package include_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/compose/resolver/include"
)

// lattice is n levels of two files, each of which includes both of the next level.
func lattice(n int) map[string]string {
	files := map[string]string{"root/start": "@<0-a>\n@<0-b>\n"}
	for i := range n {
		for _, side := range []string{"a", "b"} {
			files[fmt.Sprintf("root/%d-%s", i, side)] = fmt.Sprintf("@<%d-a>\n@<%d-b>\n", i+1, i+1)
		}
	}
	files[fmt.Sprintf("root/%d-a", n)], files[fmt.Sprintf("root/%d-b", n)] = "a\n", "b\n"
	return files
}

func TestLattice(t *testing.T) {
	for _, n := range []int{30, 100} {
		files := newMemory(lattice(n))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := include.Resolve(t.Context(), files, "start", include.Options{Depth: 128})
		must(t, err)
		tree, err := c.Tree()
		must(t, err)
		if len(tree.Nodes) != 2*n+3 {
			t.Errorf("%d nodes", len(tree.Nodes))
		}
		for _, made := range []func() error{c.Check, func() error { _, err := c.Manifest(); return err }, func() error { _, err := c.Open(); return err }, func() error { return c.Expand(io.Discard) }} {
			code, chain := fault(made())
			if code != include.CodeTooLarge || chain[0] != "start" || len(chain) > n+2 {
				t.Errorf("%s with %q", code, chain)
			}
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("a lattice of %d levels takes %d bytes", n, used)
		}
	}
}

// The bound is met where a plain expansion would meet it.
func TestTooManyIncludes(t *testing.T) {
	thousand := strings.Repeat("@<c>\n", 1000)
	files := map[string]string{"root/a": "@<b>\n@<x>\n" + strings.Repeat("@<b>\n", 998), "root/b": thousand, "root/c": "", "root/x": ""}
	// 1000 and 999 times 1000: at the bound.
	c, err := include.Resolve(t.Context(), newMemory(files), "a", include.Options{})
	must(t, err)
	must(t, c.Check())
	m, err := c.Manifest()
	must(t, err)
	if len(m.Edges) != include.MaxExpansions {
		t.Errorf("%d edges", len(m.Edges))
	}
	files["root/x"] = "@<c>\n"
	c, err = include.Resolve(t.Context(), newMemory(files), "a", include.Options{})
	must(t, err)
	if code, chain := fault(c.Check()); code != include.CodeTooLarge || !slices.Equal(chain, []string{"a", "b"}) {
		t.Errorf("%s with %q", code, chain)
	}
	files["root/a"] = strings.Repeat("@<c>\n", include.MaxExpansions+1)
	if _, err = include.Resolve(t.Context(), newMemory(files), "a", include.Options{}); codeOf(err) != include.CodeTooLarge {
		t.Errorf("error %v", err)
	}
}

func TestTooLong(t *testing.T) {
	const piece = 1 << 20
	files := newMemory(map[string]string{"root/a": strings.Repeat("@<b>\n", include.MaxText/piece), "root/b": strings.Repeat("x", piece), "root/c": "@<a>\ny"})
	c, err := include.Resolve(t.Context(), files, "a", include.Options{})
	must(t, err)
	if err := c.Check(); err != nil || c.Size() != include.MaxText {
		t.Errorf("%d bytes: %v", c.Size(), err)
	}
	clear(files.reads)
	c, err = include.Resolve(t.Context(), files, "c", include.Options{})
	must(t, err)
	if code, chain := fault(c.Check()); code != include.CodeTooLarge || !slices.Equal(chain, []string{"c"}) {
		t.Errorf("%s with %q", code, chain)
	}
}

// large is Files of which one is as large as it may be together with what was read before, or one byte more.
type large struct {
	*memory
	more int64
}

func (l large) Read(ctx context.Context, place include.Place, limit int64) ([]byte, error) {
	if place.Path != "large" {
		return l.memory.Read(ctx, place, limit)
	}
	if limit != include.MaxText-int64(len("@<large>\n")) || l.more > 0 {
		return nil, include.ErrTooLarge
	}
	return nil, nil
}

func TestFilesTooLarge(t *testing.T) {
	for more, want := range map[int64]string{0: "", 1: include.CodeTooLarge} {
		files := large{newMemory(map[string]string{"root/a": "@<large>\n", "root/large": ""}), more}
		_, err := include.Resolve(t.Context(), files, "a", include.Options{})
		if code := codeOf(errOr(err)); code != want {
			t.Errorf("%d bytes more: %v", more, err)
		}
	}
}

func errOr(err error) error {
	if err == nil {
		return errors.New("")
	}
	return err
}

// A file that was included before may lie too deep the second time.
func TestDepthOfASecondVisit(t *testing.T) {
	files := map[string]string{"root/a": "@<c>\n@<b>\n", "root/b": "@<x>\n@<c>\n", "root/x": "", "root/c": "@<x>\n@<d>\n@<e>\n", "root/d": "@<x>\n", "root/e": "@<d>\n"}
	_, err := include.Resolve(t.Context(), newMemory(files), "a", include.Options{Depth: 4})
	must(t, errNot(err, include.CodeDepth))
	if _, chain := fault(err); !slices.Equal(chain, []string{"a", "b", "c", "e", "d"}) {
		t.Errorf("chain %q: %v", chain, err)
	}
	for depth, want := range map[int]string{-1: "a", 1: "a c", 2: "a c d", 3: "a c e d"} {
		_, err := include.Resolve(t.Context(), newMemory(files), "a", include.Options{Depth: depth})
		if _, chain := fault(err); codeOf(errOr(err)) != include.CodeDepth || strings.Join(chain, " ") != want {
			t.Errorf("depth %d: %v with %q", depth, err, chain)
		}
	}
	if _, err := include.Resolve(t.Context(), newMemory(files), "a", include.Options{Depth: 5}); err != nil {
		t.Error(err)
	}
}

func errNot(err error, code string) error {
	if codeOf(errOr(err)) == code {
		return nil
	}
	return fmt.Errorf("error %v, want %s", err, code)
}

func TestDepthBound(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("root/%d", i)] = fmt.Sprintf("@<%d>\n", i+1)
	}
	for depth, want := range map[int]int{0: 33, 128: 129, 1000: 129} {
		_, err := include.Resolve(t.Context(), newMemory(files), "0", include.Options{Depth: depth})
		if code, chain := fault(err); code != include.CodeDepth || len(chain) != want {
			t.Errorf("depth %d: %s with %d in the chain, want %d", depth, code, len(chain), want)
		}
	}
	files["root/32"] = "end"
	if _, err := include.Resolve(t.Context(), newMemory(files), "0", include.Options{}); err != nil {
		t.Error(err)
	}
}

func TestMessages(t *testing.T) {
	files := map[string]string{"root/a": "---\nx\n---\n\n@<b>\n", "root/b": "b\n\n  @<c> tail\n"}
	_, err := include.Resolve(t.Context(), newMemory(files), "a", include.Options{})
	if got := fmt.Sprint(err); got != "b: line 3: @<c> tail names no file that is known before rendering; write @<path> alone on its line (the includes: a -> b)" {
		t.Error(got)
	}
	files["root/a"] = "---\nx\n---\n\n@<c>\n"
	_, err = include.Resolve(t.Context(), newMemory(files), "a", include.Options{})
	if got := fmt.Sprint(err); got != `a: line 5: "c" is not there` {
		t.Error(got)
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	top := laid(t, "root/a.md: a")
	folder, err := include.OpenFolder(include.FolderOptions{Root: top + "/root"})
	must(t, err)
	defer folder.Close()
	if _, err := include.Resolve(ctx, folder, "a.md", include.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func ExampleResolve() {
	files := newMemory(map[string]string{"root/page.md": "@<parts/head.md>\nbody\n", "root/parts/head.md": "# Head\n"})
	c, err := include.Resolve(context.Background(), files, "page.md", include.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var text strings.Builder
	c.Expand(&text)
	fmt.Print(text.String())
	manifest, _ := c.Manifest()
	for _, e := range manifest.Edges {
		fmt.Println(e.Parent.Value, "->", e.Child.Value)
	}
	// Output:
	// # Head
	// body
	// page.md -> parts/head.md
}

// Linear: twice the includes take twice the time.
func BenchmarkResolve(b *testing.B) {
	for _, shape := range []struct {
		name  string
		files map[string]string
	}{
		{"one file 10000 times", map[string]string{"start": strings.Repeat("@<a>\n", 10_000), "a": "text\n"}},
		{"one file 20000 times", map[string]string{"start": strings.Repeat("@<a>\n", 20_000), "a": "text\n"}},
		{"a chain of 32", chainOf(32)},
		{"a fan of 2500", fan(2500)},
		{"a fan of 5000", fan(5000)},
		{"a lattice 30 deep", trimmed(lattice(30))},
	} {
		b.Run(shape.name, func(b *testing.B) {
			var entries []string
			for name, text := range shape.files {
				entries = append(entries, "root/"+name+": "+text)
			}
			top := laid(b, entries...)
			for b.Loop() {
				folder, err := include.OpenFolder(include.FolderOptions{Root: top + "/root"})
				must(b, err)
				c, err := include.Resolve(b.Context(), folder, "start", include.Options{})
				must(b, err)
				_, err = c.Tree()
				must(b, err)
				if c.Check() == nil {
					_, err = c.Manifest()
					must(b, err)
					must(b, c.Expand(io.Discard))
				}
				folder.Close()
			}
		})
	}
}

func trimmed(files map[string]string) map[string]string {
	short := map[string]string{}
	for name, text := range files {
		short[strings.TrimPrefix(name, "root/")] = text
	}
	return short
}

func chainOf(n int) map[string]string {
	files := map[string]string{"start": "@<1>\n"}
	for i := 1; i < n; i++ {
		files[fmt.Sprint(i)] = fmt.Sprintf("@<%d>\n", i+1)
	}
	files[fmt.Sprint(n)] = "end\n"
	return files
}

func fan(n int) map[string]string {
	files := map[string]string{}
	var start strings.Builder
	for i := range n {
		fmt.Fprintf(&start, "@<parts/%d.md>\n", i)
		files[fmt.Sprintf("parts/%d.md", i)] = fmt.Sprintf("part %d\n", i)
	}
	files["start"] = start.String()
	return files
}
