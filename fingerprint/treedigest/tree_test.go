package treedigest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/compose/fingerprint/treedigest"
)

func write(t testing.TB, root, path string, contents []byte) string {
	t.Helper()
	at := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, contents, 0o644); err != nil {
		t.Fatal(err)
	}
	return at
}

// The value of many files of many lengths does not depend on who reads them when.
func TestLargeTree(t *testing.T) {
	root := t.TempDir()
	m := fstest.MapFS{}
	for i := range 300 {
		size := i * 97
		if i%50 == 0 {
			size = (128<<10)*(i/50) + i%3 - 1 // about a multiple of the size of a read
		}
		path := fmt.Sprintf("d%d/f%d", i%7, i)
		contents := bytes.Repeat([]byte{byte(i)}, max(0, size))
		write(t, root, path, contents)
		m[path] = &fstest.MapFile{Data: contents, Mode: 0o644}
	}
	tree := open(t, root)
	want, err := treedigest.New(m).Digest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantLegacy, err := treedigest.New(m).Legacy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if got, err := tree.Digest(t.Context()); got != want || err != nil {
			t.Errorf("got %s, error %v; want %s", got, err, want)
		}
		if got, err := tree.Legacy(t.Context()); got != wantLegacy || err != nil {
			t.Errorf("legacy: got %s, error %v; want %s", got, err, wantLegacy)
		}
	}
}

// The root of a tree may be reached through a symlink; nothing below it may.
func TestRootBehindSymlink(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "real/SKILL.md", []byte("x"))
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	want, err := open(t, filepath.Join(dir, "real")).Digest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := open(t, filepath.Join(dir, "link")).Digest(t.Context()); got != want || err != nil {
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	file := write(t, t.TempDir(), "file", nil)
	for _, path := range []string{file, filepath.Join(file, "below"), filepath.Join(t.TempDir(), "none")} {
		_, err := treedigest.Open(path)
		if code(err) != treedigest.CodeReadFailed {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// A non-UTF-8 name of an empty folder is no part of the value.
func TestOddFolderWithoutFiles(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "odd\xff"), 0o755); err != nil {
		t.Skip(err)
	}
	write(t, root, "a", []byte("a"))
	if _, err := open(t, root).Digest(t.Context()); err != nil {
		t.Error(err)
	}
	write(t, root, "odd\xff/b", nil)
	if _, err := open(t, root).Digest(t.Context()); code(err) != treedigest.CodeNameNotUTF8 {
		t.Errorf("error %v", err)
	}
}

// A path may be longer than the system takes at once; folders that nest without end are an error.
func TestDeep(t *testing.T) {
	m := fstest.MapFS{strings.Repeat("a/", 999) + "f": {Data: []byte("x"), Mode: 0o644}}
	if _, err := treedigest.New(m).Digest(t.Context()); err != nil {
		t.Error(err)
	}
	m = fstest.MapFS{strings.Repeat("a/", 1000) + "f": {Data: []byte("x"), Mode: 0o644}}
	if _, err := treedigest.New(m).Digest(t.Context()); code(err) != treedigest.CodeTooDeep {
		t.Errorf("error %v", err)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := strings.Repeat(strings.Repeat("long", 50)+"/", 25)
	if err := root.MkdirAll(name, 0o755); err != nil {
		t.Skip(err)
	}
	if err := root.WriteFile(name+"f", []byte("x"), 0o644); err != nil {
		t.Skip(err)
	}
	if _, err := open(t, root.Name()).Digest(t.Context()); err != nil {
		t.Error(err)
	}
}

// Legacy hashes one U+FFFD for a character that is cut short, one for each other bad byte.
func TestLegacyNames(t *testing.T) {
	for odd, plain := range map[string]string{
		"a\xff\xfeb":     "a\uFFFD\uFFFDb",
		"\xf0\x9f\x98z":  "\uFFFDz",
		"\xf0\x9f\x98":   "\uFFFD",
		"\xe2\x82":       "\uFFFD",
		"\xe2\x28":       "\uFFFD(",
		"\xed\xa0\x80":   "\uFFFD\uFFFD\uFFFD",
		"\xc0\x80":       "\uFFFD\uFFFD",
		"\xf5\x80":       "\uFFFD\uFFFD",
		"\xf0\x80\x80":   "\uFFFD\uFFFD\uFFFD",
		"é\xc3\xc3\xa9x": "é\uFFFDéx",
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, odd), []byte("y"), 0o644); err != nil {
			t.Skip(err)
		}
		got, err := open(t, root).Legacy(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := treedigest.New(fstest.MapFS{plain: {Data: []byte("y")}}).Legacy(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%q does not hash as %q", odd, plain)
		}
	}
}

// changing is a file system whose file "b" has other contents than its folder says.
type changing struct {
	fstest.MapFS
	contents []byte
	info     int64 // the length that Stat of the open file says
	err      error // of a read
}

func (c changing) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	if err != nil || name != "b" {
		return f, err
	}
	return &changed{File: f, r: bytes.NewReader(c.contents), c: c}, nil
}

type changed struct {
	fs.File
	r *bytes.Reader
	c changing
}

func (f *changed) Read(b []byte) (int, error) {
	if f.c.err != nil {
		return 0, f.c.err
	}
	return f.r.Read(b)
}

func (f *changed) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return length{info, f.c.info}, err
}

type length struct {
	fs.FileInfo
	size int64
}

func (l length) Size() int64 { return l.size }

func TestChanges(t *testing.T) {
	m := fstest.MapFS{"a": {Data: []byte("first")}, "b": {Data: []byte("four")}, "c": {Data: make([]byte, 1<<20)}}
	for name, tt := range map[string]struct {
		c    changing
		code string
	}{
		"as listed":           {changing{m, []byte("four"), 4, nil}, ""},
		"shorter":             {changing{m, []byte("two"), 4, nil}, treedigest.CodeChanged},
		"empty":               {changing{m, nil, 4, nil}, treedigest.CodeChanged},
		"longer":              {changing{m, []byte("fours"), 4, nil}, treedigest.CodeChanged},
		"longer when opened":  {changing{m, []byte("fours"), 5, nil}, treedigest.CodeChanged},
		"unreadable":          {changing{m, nil, 4, fs.ErrPermission}, treedigest.CodeReadFailed},
		"unreadable, no code": {changing{m, nil, 4, io.ErrNoProgress}, treedigest.CodeReadFailed},
	} {
		t.Run(name, func(t *testing.T) {
			for _, sum := range []func(*treedigest.Tree) error{
				func(tree *treedigest.Tree) error { _, err := tree.Digest(t.Context()); return err },
				func(tree *treedigest.Tree) error { _, err := tree.Legacy(t.Context()); return err },
			} {
				err := sum(treedigest.New(tt.c))
				if code(err) != tt.code {
					t.Errorf("error %v, want %q", err, tt.code)
				}
				var e *treedigest.Error
				if errors.As(err, &e) && e.Path() != "b" {
					t.Errorf("the error names %q", e.Path())
				}
				if tt.c.err != nil && !errors.Is(err, tt.c.err) {
					t.Errorf("error %v does not hold its cause", err)
				}
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := treedigest.New(fstest.MapFS{"a": {}}).Digest(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	// In the middle: the file system ends the context and goes on.
	ctx, cancel = context.WithCancel(t.Context())
	m := fstest.MapFS{}
	for i := range 100 {
		m[fmt.Sprint(i)] = &fstest.MapFile{Data: make([]byte, 1<<20)}
	}
	if _, err := treedigest.New(cancelling{m, cancel}).Digest(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type cancelling struct {
	fstest.MapFS
	cancel func()
}

func (c cancelling) Open(name string) (fs.File, error) {
	if name == "50" {
		c.cancel()
	}
	return c.MapFS.Open(name)
}

// A file that is edited at any call of a reading gives the value before, the value after, or an error that says so.
func TestEditedMeanwhile(t *testing.T) {
	replace := func(text string) func(at string) error {
		return func(at string) error {
			if err := os.WriteFile(at+"~", []byte(text), 0o644); err != nil {
				return err
			}
			return os.Rename(at+"~", at)
		}
	}
	rewrite := func(text string) func(at string) error {
		return func(at string) error {
			f, err := os.OpenFile(at, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(text)
			return errors.Join(err, f.Truncate(int64(len(text))), f.Close())
		}
	}
	// digest calls before with each call that is made, and which of its kind it is: these are the same in every run.
	digest := func(tree *treedigest.Tree, before func(call string)) (any, error) {
		times := map[string]int{}
		return tree.Before(func(call string) {
			times[call]++
			before(fmt.Sprint(call, " ", times[call]))
		}).Digest(t.Context())
	}
	grow := func() (string, *treedigest.Tree) {
		root := t.TempDir()
		for _, name := range []string{"a", "d/b", "d/e/c", "z"} {
			write(t, root, name, []byte("12345"))
		}
		return root, open(t, root)
	}
	var calls []string
	_, quiet := grow()
	if _, err := digest(quiet, func(call string) { calls = append(calls, call) }); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(at string) error{
		"longer": rewrite("longer than before"), "shorter": rewrite("s"), "empty": rewrite(""), "the same length": rewrite("other"),
		"replaced by a longer one": replace("longer than before"), "replaced, the same length": replace("other"), "removed": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			told := map[string]error{}
			for _, at := range calls {
				root, tree := grow()
				before, err := tree.Digest(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got, err := digest(tree, func(call string) {
					if call == at {
						if err := edit(filepath.Join(root, "d", "b")); err != nil {
							t.Error(err)
						}
					}
				})
				after, afterErr := tree.Digest(t.Context())
				if told[at] = err; afterErr != nil || err != nil && code(err) != treedigest.CodeChanged || err == nil && got != any(before) && got != any(after) {
					t.Errorf("edited before %q: got %v, error %v; before it is %v, after it %v, %v", at, got, err, before, after, afterErr)
				}
			}
			if told["open . 1"] != nil || (told["open d/b 1"] == nil) != (name == "the same length") || told["list d 1"] != nil {
				t.Errorf("errors %v", told)
			}
		})
	}
}

func BenchmarkDigest(b *testing.B) {
	for _, shape := range []struct{ files, size int }{{1_000, 2_000}, {10_000, 2_000}, {8, 8 << 20}} {
		b.Run(fmt.Sprintf("%d of %d bytes", shape.files, shape.size), func(b *testing.B) {
			root := b.TempDir()
			for i := range shape.files {
				write(b, root, fmt.Sprintf("d%02d/e%d/f%d", i%40, i%7, i), make([]byte, shape.size))
			}
			tree := open(b, root)
			b.SetBytes(int64(shape.files * shape.size))
			for b.Loop() {
				if _, err := tree.Digest(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func Example() {
	tree := treedigest.New(fstest.MapFS{"SKILL.md": {Data: []byte("x")}})
	current, err := tree.Digest(context.Background())
	fmt.Println(current, err)
	verdict, err := tree.Compare(context.Background(), "5535af02b190f6cf1084f455c2a13e07bd748c494262a6a779297cbe472cc8fb")
	fmt.Println(verdict == treedigest.MatchByLegacy, err)
	// Output:
	// sha256-tree-v2:5c29f9bd6a1bf2500b903d7c499eb9b31c2b0542c6d5c60555682fd3a4af92e6 <nil>
	// true <nil>
}
