package gitrepo_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand"
	"os"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
)

// A commit-graph that is accepted has an answer for every pair, which is what its own parents say.
func FuzzCommitGraph(f *testing.F) {
	for _, name := range []string{"v1", "v2"} { // by generationVersion
		graph, err := os.ReadFile("testdata/commitgraph/" + name)
		if err != nil {
			f.Fatal(err)
		}
		if _, _, err := gitrepo.GraphReaches(graph, 1); err != nil {
			f.Fatal(err)
		}
		f.Add(graph)
	}
	f.Add([]byte("CGPH\x01\x01\x00\x00"))
	f.Fuzz(func(t *testing.T, graph []byte) {
		const most = 40
		parents, reaches, err := gitrepo.GraphReaches(graph, most)
		if err != nil {
			return
		}
		h := &history{}
		for _, list := range parents {
			var numbers []int
			for _, parent := range list {
				if parent >= most {
					return
				}
				numbers = append(numbers, int(parent))
			}
			h.parents = append(h.parents, numbers)
		}
		for from := range parents {
			ancestors := h.closure(from, nil)
			for old := range parents {
				if got := reaches(uint32(from), uint32(old)); got != ancestors[old] {
					t.Fatalf("from %d to %d: %v, and the parents are %v", from, old, got, parents)
				}
			}
		}
	})
}

// What inflate makes of a stream is what compress/zlib makes of it, checksum aside.
func FuzzInflate(f *testing.F) {
	for _, text := range []string{"", "a", strings.Repeat("ab", 300), strings.Repeat("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n", 3)} {
		for level := zlib.HuffmanOnly; level <= zlib.BestCompression; level += 3 {
			var z bytes.Buffer
			w, err := zlib.NewWriterLevel(&z, level)
			if err != nil {
				f.Fatal(err)
			}
			w.Write([]byte(text))
			w.Close()
			f.Add(z.Bytes(), uint16(len(text)))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, n uint16) {
		got, ok := gitrepo.Inflate(stream, int(n))
		if !ok {
			return
		}
		r, err := zlib.NewReader(bytes.NewReader(append(stream[:len(stream):len(stream)], make([]byte, 16)...)))
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, n)
		if _, err := io.ReadFull(r, want); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got %q, want %q, %v", got, want, err)
		}
	})
}

// Every stream of a sound compressor is inflated.
func TestInflate(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(1))
	runs := 400
	if testing.Short() {
		runs = 60
	}
	for i := range runs {
		text := make([]byte, rng.Intn(1+rng.Intn(20000)))
		width := 1 + rng.Intn(256)
		for k := range text {
			text[k] = byte(rng.Intn(1 + rng.Intn(width)))
		}
		var z bytes.Buffer
		w, err := zlib.NewWriterLevel(&z, zlib.HuffmanOnly+i%12)
		if err != nil {
			t.Fatal(err)
		}
		for half := range 2 { // several blocks, empty ones too
			w.Write(text[half*len(text)/2 : (half+1)*len(text)/2])
			w.Flush()
		}
		w.Close()
		if got, ok := gitrepo.Inflate(z.Bytes(), len(text)); !ok || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes at level %d: %v", len(text), zlib.HuffmanOnly+i%12, ok)
		}
		if len(text) > 0 {
			if _, ok := gitrepo.Inflate(z.Bytes(), len(text)-1); ok {
				t.Fatal("took a stream that is too long")
			}
		}
		if _, ok := gitrepo.Inflate(z.Bytes(), len(text)+1); ok {
			t.Fatal("took a stream that is too short")
		}
	}
}

func FuzzParseParents(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("tree " + id + "\nparent " + id + "\nauthor A <a> 0 +0000\ncommitter A <a> 17 +0000\n\nx"))
	f.Add([]byte("tree " + id + "\nparent"))
	f.Fuzz(func(t *testing.T, content []byte) {
		parents, date, err := gitrepo.ParseParents(content)
		if date < 0 || err == nil && !bytes.HasPrefix(content, []byte("tree ")) {
			t.Errorf("date %d, %v", date, err)
		}
		for _, parent := range parents {
			if err == nil && !bytes.Contains(content, []byte("parent "+parent.String()+"\n")) {
				t.Errorf("parent %s of %q", parent, content)
			}
		}
	})
}

func TestParseParents(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	tests := []struct {
		name, content string
		parents       int
		date          int64
		ok            bool
	}{
		{"root", "tree " + a + "\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n\nx", 0, 2, true},
		{"merge", "tree " + a + "\nparent " + a + "\nparent " + b + "\nauthor A <a> 1 +0000\ncommitter C > <c> 2 +0000\n", 2, 2, true},
		{"a parent in the message", "tree " + a + "\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n\nparent " + b + "\n", 0, 2, true},
		{"a committer in the message", "tree " + a + "\nauthor A <a> 1 +0000\n\ncommitter C <c> 2 +0000\n", 0, 0, true},
		{"no date", "tree " + a + "\nauthor A <a> 1 +0000\ncommitter C <c> x\n", 0, 0, true},
		{"a date without end", "tree " + a + "\ncommitter C <c> " + strings.Repeat("9", 60) + "\n", 0, 999999999999999999, true},
		{"nothing else", "tree " + a + "\n", 0, 0, true},
		{"no tree", "parent " + a + "\n", 0, 0, false},
		{"upper case", "tree " + strings.ToUpper(a) + "\n\n", 0, 0, false},
		{"a short parent", "tree " + a + "\nparent abc\nauthor A <a> 1 +0000\n", 0, 0, false},
		{"a parent at the end", "tree " + a + "\nparent " + b, 0, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parents, date, err := gitrepo.ParseParents([]byte(test.content))
			if (err == nil) != test.ok || len(parents) != test.parents || date != test.date {
				t.Errorf("got %v, %d, %v", parents, date, err)
			}
		})
	}
}
