package skillrx_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/compose/fingerprint/skillrx"
	"example.org/compose/internal/diag"
)

// graph makes files of lines such as "a.md: b.md c.md".
func graph(lines ...string) []skillrx.File {
	var files []skillrx.File
	for _, line := range lines {
		name, includes, _ := strings.Cut(line, ":")
		files = append(files, skillrx.File{Path: name, Node: skillrx.HashNode(name, []byte(name)), Includes: strings.Fields(includes)})
	}
	return files
}

func TestCompose(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []skillrx.File
		order string // of the nodes
	}{
		{"alone", graph("a:"), "a"},
		{"in the order of reading", graph("c:", "b: c", "a: b c d", "d:"), "a b c d"},
		{"what is not reached", graph("a: b", "b:", "x: y"), "a b"},
		{"a file twice", graph("a: b b", "b:"), "a b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := skillrx.Compose(tt.files, "a")
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			for _, n := range tree.Nodes {
				order = append(order, n.Path)
			}
			if got := strings.Join(order, " "); got != tt.order {
				t.Errorf("nodes %s, want %s", got, tt.order)
			}
			if tree.Composition(nil) != tree.Root().Composition {
				t.Error("the value is not the root's")
			}
		})
	}
}

func TestComposeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, code, path, chain string
		files                   []skillrx.File
	}{
		{"no root", skillrx.CodeMissing, "a", "", graph("b:")},
		{"a missing file", skillrx.CodeMissing, "b", "a b", graph("a: b", "b: x")},
		{"a cycle", skillrx.CodeCycle, "c", "a b c b", graph("a: b", "b: c", "c: b")},
		{"itself", skillrx.CodeCycle, "a", "a a", graph("a: a")},
		{"the first of two faults", skillrx.CodeMissing, "a", "a", graph("a: x b", "b: b")},
		{"a path twice", skillrx.CodeDuplicatePath, "a", "", graph("a:", "a:")},
		{"no path", skillrx.CodeInvalidPath, "", "", graph(":")},
		{"absolute", skillrx.CodeInvalidPath, "/a", "", graph("/a:")},
		{"outside", skillrx.CodeInvalidPath, "../a", "", graph("../a:")},
		{"not the shortest", skillrx.CodeInvalidPath, "b/./a", "", graph("b/./a:")},
		{"backslash", skillrx.CodeInvalidPath, `b\a`, "", graph(`b\a:`)},
		{"NUL", skillrx.CodeInvalidPath, "b\x00a", "", graph("b\x00a:")},
		{"not UTF-8", skillrx.CodeInvalidPath, "\uFFFD", "", graph("\xff:")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skillrx.Compose(tt.files, "a")
			var fault *skillrx.Error
			if !errors.As(err, &fault) || fault.Code() != tt.code || fault.Path() != tt.path || strings.Join(fault.Chain, " ") != tt.chain {
				t.Errorf("error %v, want %s at %q with chain %q", err, tt.code, tt.path, tt.chain)
			}
		})
	}
}

// Order of the input is no part of the value; order, repetition and depth of the includes are.
func TestWhatCounts(t *testing.T) {
	value := func(lines ...string) string {
		tree, err := skillrx.Compose(graph(lines...), "a")
		if err != nil {
			t.Fatal(err)
		}
		return tree.Composition(nil).String()
	}
	if value("a: b c", "b:", "c:") != value("c:", "a: b c", "b:", "unrelated:") {
		t.Error("the order of the files counts")
	}
	seen := map[string]int{}
	for i, lines := range [][]string{{"a: b c", "b:", "c:"}, {"a: c b", "b:", "c:"}, {"a: b", "b: c", "c:"}, {"a: b c c", "b:", "c:"}, {"a: b b c", "b:", "c:"}, {"a: b c", "b: c", "c:"}} {
		v := value(lines...)
		if before, twice := seen[v]; twice {
			t.Errorf("%v and number %d have the same value", lines, before)
		}
		seen[v] = i
	}
}

// lattice is n levels of two files, each of which includes both of the next level: 2^n paths.
func lattice(n int) []skillrx.File {
	lines := []string{"root: 0-a 0-b"}
	for i := range n {
		next := fmt.Sprintf("%d-a %d-b", i+1, i+1)
		if i == n-1 {
			next = ""
		}
		lines = append(lines, fmt.Sprintf("%d-a: %s", i, next), fmt.Sprintf("%d-b: %s", i, next))
	}
	return graph(lines...)
}

func TestShapes(t *testing.T) {
	deep := []string{}
	for i := range 50_000 {
		deep = append(deep, fmt.Sprintf("%d: %d", i, i+1))
	}
	for name, files := range map[string][]skillrx.File{
		"lattice": lattice(500),
		"chain":   graph(append(deep, "50000:")...),
	} {
		if _, err := skillrx.Compose(files, files[0].Path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestContext(t *testing.T) {
	digest := func(doc string) skillrx.ContextDigest {
		d, err := skillrx.ParseContext([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if digest(`{"a":1,"b":[true,null]}`) != digest("{ \"b\" : [true, null],\n \"a\": 1.0e0 }") {
		t.Error("spelling counts")
	}
	if digest(`{"a":[1,2]}`) == digest(`{"a":[2,1]}`) || digest(`{}`) == digest(`{"a":null}`) {
		t.Error("content does not count")
	}
	for _, doc := range []string{"", "{", `{"a":1,"a":1}`, `{"a":1e400}`, `[-1e999]`, "\ufeff{}", `"\ud800"`} {
		_, err := skillrx.ParseContext([]byte(doc))
		var coded diag.Coded
		if !errors.As(err, &coded) || coded.Code() != "INVALID_JSON" {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

// FuzzCompose: no graph makes it panic or run on; a value exists exactly when there is no fault, whatever the order of
// the files.
func FuzzCompose(f *testing.F) {
	f.Add("a: b b\nb: c\nc:")
	f.Add("a: a")
	f.Add("a: b\nb: a")
	f.Fuzz(func(t *testing.T, text string) {
		files := graph(strings.Split(text, "\n")...)
		root := files[0].Path
		tree, err := skillrx.Compose(files, root)
		slices.Reverse(files)
		again, errAgain := skillrx.Compose(files, root)
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("%v, in reverse %v", err, errAgain)
		}
		if err == nil && tree.Composition(nil) != again.Composition(nil) {
			t.Fatal("the order of the files counts")
		}
	})
}

func BenchmarkLattice(b *testing.B) {
	for _, n := range []int{30, 300, 3000} {
		files := lattice(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := skillrx.Compose(files, "root"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleCompose() {
	page, head := []byte("@<head.md>\nbody\n"), []byte("# Head\n")
	tree, err := skillrx.Compose([]skillrx.File{
		{Path: "page.md", Node: skillrx.HashNode("page.md", page), Includes: []string{"head.md"}},
		{Path: "head.md", Node: skillrx.HashNode("head.md", head)},
	}, "page.md")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range tree.Nodes {
		fmt.Println(n.Path, len(n.Edges))
	}
	options, _ := skillrx.ParseContext([]byte(`{"profile": "release"}`))
	fmt.Println(tree.Composition(nil) == tree.Composition(&options))
	// Output:
	// page.md 1
	// head.md 0
	// false
}
