package rootfs_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// tree makes a target: "x/" is a folder, "x -> y" a symlink, "x |" a FIFO, "x = text" a file.
func tree(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, line := range lines {
		grow(t, dir, line)
	}
	return dir
}

func grow(t *testing.T, dir, line string) {
	t.Helper()
	var err error
	at := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if name, text, ok := strings.Cut(line, " = "); ok {
		err = os.WriteFile(at(name), []byte(text), 0o644)
	} else if name, to, ok := strings.Cut(line, " -> "); ok {
		err = os.Symlink(to, at(name))
	} else if name, ok := strings.CutSuffix(line, " |"); ok {
		if runtime.GOOS == "windows" {
			t.Skip("no FIFOs here")
		}
		err = mkfifo(at(name))
	} else {
		err = os.MkdirAll(at(line), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *rootfs.Root {
	t.Helper()
	r, err := rootfs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func reasonOf(t *testing.T, err error) rootfs.Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *rootfs.Error
	if !errors.As(err, &e) {
		t.Fatalf("not an *Error: %v", err)
	}
	return e.Reason
}

// within fails the test when f blocks, as an open of a FIFO would.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		t.Fatal("blocked")
	}
}

func TestReasons(t *testing.T) {
	dir := tree(t, "a/b/c = text", "f = text", "d/", "fifo |", "a/link -> b", "a/file-link -> b/c",
		"out -> /etc", "dangling -> nowhere", "loop -> loop", "long = 12345")
	tests := []struct {
		destination lockv2.Destination
		reason      rootfs.Reason
		at          string
	}{
		{"a/b/c", "", ""},
		{"f", "", ""},
		{"none", rootfs.Missing, "none"},
		{"none/x/y", rootfs.Missing, "none"},
		{"a/none", rootfs.Missing, "a/none"},
		{"f/x", rootfs.ParentNotDirectory, "f"},
		{"fifo/x/y", rootfs.ParentNotDirectory, "fifo"},
		{"d", rootfs.IsDirectory, "d"},
		{"fifo", rootfs.NotRegular, "fifo"},
		{"a/link/c", rootfs.Symlink, "a/link"},
		{"a/file-link", rootfs.Symlink, "a/file-link"},
		{"out/passwd", rootfs.Symlink, "out"},
		{"out", rootfs.Symlink, "out"},
		{"dangling", rootfs.Symlink, "dangling"},
		{"dangling/x", rootfs.Symlink, "dangling"},
		{"loop/x", rootfs.Symlink, "loop"},
		{"long", rootfs.TooLarge, "long"},
		{"../x", rootfs.Unreadable, "../x"},
		{"/etc/passwd", rootfs.Unreadable, "/etc/passwd"},
		{"", rootfs.Unreadable, ""},
		{".", rootfs.Unreadable, "."},
		{"a//b", rootfs.Unreadable, "a//b"},
		{"a/./b", rootfs.Unreadable, "a/./b"},
		{lockv2.Destination(strings.Repeat("n", 300)), rootfs.Unreadable, strings.Repeat("n", 300)},
		{"nul\x00", rootfs.Unreadable, "nul\x00"},
	}
	r := open(t, dir)
	for _, test := range tests {
		t.Run(string(test.destination), func(t *testing.T) {
			within(t, func() {
				_, err := r.ReadFile(test.destination, 4)
				if got := reasonOf(t, err); got != test.reason {
					t.Fatalf("ReadFile: got %q (%v), want %q", got, err, test.reason)
				}
				var e *rootfs.Error
				if errors.As(err, &e) && (e.At != test.at || e.Destination != test.destination || e.Code() != rootfs.CodeReadFailed) {
					t.Errorf("at %q for %q with %s, want %q", e.At, e.Destination, e.Code(), test.at)
				}
				if test.reason == rootfs.TooLarge {
					return
				}
				_, err = r.Digest(context.Background(), test.destination, make([]byte, 3))
				if got := reasonOf(t, err); got != test.reason {
					t.Errorf("Digest: got %q, want %q", got, test.reason)
				}
				_, err = (*rootfs.Root)(nil).Stat(test.destination)
				if got := reasonOf(t, err); got != rootfs.Missing && test.reason != rootfs.Unreadable {
					t.Errorf("the nil Root: got %q", got)
				}
			})
		})
	}
}

func TestStatDoesNotFollow(t *testing.T) {
	r := open(t, tree(t, "a/link -> .", "a/fifo |", "a/d/"))
	for d, want := range map[lockv2.Destination]fs.FileMode{"a/link": fs.ModeSymlink, "a/fifo": fs.ModeNamedPipe, "a/d": fs.ModeDir} {
		info, err := r.Stat(d)
		if err != nil || info.Mode().Type() != want {
			t.Errorf("%s: %v, %v, want %v", d, info, err, want)
		}
	}
	if _, err := r.Stat("a/link/d"); reasonOf(t, err) != rootfs.Symlink {
		t.Errorf("below a symlink: %v", err)
	}
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("the superuser, or no user at all, reads everything")
	}
	dir := tree(t, "f = text", "d/x = text")
	for _, name := range []string{"f", "d"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "d"), 0o755) })
	r := open(t, dir)
	for _, d := range []lockv2.Destination{"f", "d/x"} {
		if _, err := r.ReadFile(d, 9); reasonOf(t, err) != rootfs.Unreadable || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", d, err)
		}
	}
}

func TestProbe(t *testing.T) {
	dir := tree(t, "folder/sub/", "file = x", "link -> folder", "up -> .", "fifo |", "dangling -> nowhere")
	at := func(s string) string { return dir + "/" + s }
	tests := []struct {
		path  string
		state rootfs.RootState
	}{
		{at("folder"), rootfs.Folder},
		{at("folder/"), rootfs.Folder},
		{at("folder//./"), rootfs.Folder},
		{at("folder/."), rootfs.Folder},
		{at("folder/sub/.."), rootfs.Folder},
		{at("link/sub"), rootfs.Folder},
		{at("link/../folder"), rootfs.Folder},
		{at("up/up/up/folder"), rootfs.Folder},
		{"/", rootfs.Folder},
		{"//", rootfs.Folder},
		{".", rootfs.Folder},
		{"./", rootfs.Folder},
		{"..", rootfs.Folder},
		{at("none"), rootfs.Absent},
		{at("none/none/"), rootfs.Absent},
		{at("link"), rootfs.Invalid},
		{at("link/"), rootfs.Invalid},
		{at("link/."), rootfs.Invalid},
		{at("link/.//"), rootfs.Invalid},
		{at("dangling"), rootfs.Invalid},
		{at("file"), rootfs.Invalid},
		{at("file/"), rootfs.Invalid},
		{at("file/x"), rootfs.Invalid},
		{at("fifo"), rootfs.Invalid},
		{"", rootfs.Invalid},
		{"a\x00b", rootfs.Invalid},
	}
	for _, test := range tests {
		t.Run(strings.TrimPrefix(test.path, dir), func(t *testing.T) {
			within(t, func() {
				state, err := rootfs.Probe(test.path)
				if state != test.state || (err != nil) != (state == rootfs.Invalid) {
					t.Errorf("got %d, %v, want %d", state, err, test.state)
				}
				r, err := rootfs.Open(test.path)
				if (err == nil) != (test.state == rootfs.Folder) {
					t.Errorf("Open: %v", err)
				}
				var e *rootfs.Error
				if err != nil && (!errors.As(err, &e) || e.Code() != rootfs.CodeInvalidTarget || e.Path() != test.path) {
					t.Errorf("Open: %#v", err)
				}
				r.Close()
			})
		})
	}
}

func TestOpenFollowsTheSystemUpward(t *testing.T) {
	dir := tree(t, "real/deep/", "real/x = right", "x = wrong", "link -> real/deep")
	b, err := open(t, dir+"/link/..").ReadFile("x", 9)
	if string(b) != "right" {
		t.Errorf("link/.. is the folder that holds what the link points to: got %q, %v", b, err)
	}
}

func TestDigest(t *testing.T) {
	texts := []string{"", "a", "\r", "\n", "\r\n", "a\r\nb\r\n", "\r\r\n\n", "a\r", "\r\n\r", strings.Repeat("line\r\n", 1000), strings.Repeat("\r", 100)}
	dir := t.TempDir()
	r := open(t, dir)
	for _, text := range texts {
		grow(t, dir, "f = "+text)
		want := rootfs.Sum{Digest: sum(text), LF: sum(strings.ReplaceAll(text, "\r\n", "\n")), Size: int64(len(text))}
		for _, size := range []int{1, 2, 3, 7, 64 << 10} {
			got, err := r.DigestLF(t.Context(), "f", make([]byte, size))
			if err != nil || got != want {
				t.Errorf("%.20q with a buffer of %d: got %+v, %v, want %+v", text, size, got, err, want)
			}
			got, err = r.Digest(t.Context(), "f", make([]byte, size))
			if err != nil || got != (rootfs.Sum{Digest: want.Digest, Size: want.Size}) {
				t.Errorf("%.20q with a buffer of %d: got %+v, %v", text, size, got, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Digest(ctx, "f", make([]byte, 9)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

func sum(text string) fingerprint.Material { return fingerprint.Material(sha256.Sum256([]byte(text))) }

func TestFileThatGrowsIsChanged(t *testing.T) {
	dir := tree(t, "f = "+strings.Repeat("x", 1<<20))
	file, err := os.OpenFile(filepath.Join(dir, "f"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	// Each piece that is read makes the file longer, as a log does.
	ctx := &growing{Context: t.Context(), grow: func() { file.WriteString("more") }}
	if _, err := open(t, dir).Digest(ctx, "f", make([]byte, 64<<10)); reasonOf(t, err) != rootfs.Changed {
		t.Errorf("got %v", err)
	}
	ctx.grow = func() { ctx.grow = func() {}; file.WriteString("once") }
	if _, err := open(t, dir).Digest(ctx, "f", make([]byte, 64<<10)); err != nil {
		t.Errorf("after one change: %v", err)
	}
}

// growing is a context whose Err, asked between pieces, does something.
type growing struct {
	context.Context
	grow func()
}

func (g *growing) Err() error { g.grow(); return g.Context.Err() }

func TestNames(t *testing.T) {
	dir := tree(t, "b/z = x", "b/Y = x", "b/x/", "a -> b", "c = x")
	r := open(t, dir)
	for path, want := range map[string]string{"": "[a b c]", "b": "[Y x z]", "b/x": "[]"} {
		if got, err := r.Names(path); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: got %v, %v, want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]rootfs.Reason{"a": rootfs.Symlink, "c": rootfs.ParentNotDirectory, "d": rootfs.Missing, "../x": rootfs.Unreadable, ".": rootfs.Unreadable} {
		if _, err := r.Names(path); reasonOf(t, err) != want {
			t.Errorf("%q: got %v, want %s", path, err, want)
		}
	}
	grow(t, dir, "b/new = x")
	if got, _ := r.Names("b"); len(got) != 3 {
		t.Errorf("listed twice: %v", got)
	}
	r.Forget()
	if got, _ := r.Names("b"); len(got) != 4 {
		t.Errorf("after Forget: %v", got)
	}
	if _, err := (*rootfs.Root)(nil).Names(""); reasonOf(t, err) != rootfs.Missing {
		t.Errorf("the nil Root: %v", err)
	}
}

func TestForgetSeesAFolderThatWasReplaced(t *testing.T) {
	dir := tree(t, "a/f = old", "b/f = new")
	r := open(t, dir)
	read := func() string { b, _ := r.ReadFile("a/f", 9); return string(b) }
	read()
	for _, move := range [][2]string{{"a", "c"}, {"b", "a"}} {
		if err := os.Rename(filepath.Join(dir, move[0]), filepath.Join(dir, move[1])); err != nil {
			t.Fatal(err)
		}
	}
	r.Forget()
	if got := read(); got != "new" {
		t.Errorf("got %q", got)
	}
}

func TestCloseIsFinal(t *testing.T) {
	r := open(t, tree(t, "a/f = x"))
	if _, err := r.ReadFile("a/f", 9); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.ReadFile("a/f", 9); reasonOf(t, err) != rootfs.Unreadable {
		t.Errorf("got %v", err)
	}
}

// More folders than stay open, from many goroutines, with Forget now and then.
func TestManyFolders(t *testing.T) {
	const folders, files = 300, 3
	dir := t.TempDir()
	var all []lockv2.Destination
	for i := range folders {
		for j := range files {
			d := fmt.Sprintf("d%d/s/f%d", i, j)
			grow(t, dir, d+" = "+d)
			all = append(all, lockv2.Destination(d))
		}
	}
	r := open(t, dir)
	before := openFiles()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			err := rootfs.Each(t.Context(), len(all), func(i int, buf []byte) {
				s, err := r.Digest(t.Context(), all[i], buf)
				if err != nil || s.Digest != sum(string(all[i])) {
					t.Errorf("%s: %v, %v", all[i], s, err)
				}
				if i%100 == 0 {
					r.Forget()
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if now := openFiles(); now > before+128 {
		t.Errorf("%d files are open, %d before", now, before)
	}
	r.Close()
	if now := openFiles(); now > before {
		t.Errorf("after Close %d files are open, %d before", now, before)
	}
}

// openFiles counts this process's open files, where the system tells.
func openFiles() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return len(names)
}

// secret stands outside of every target.
const secret = "outside"

// A name that changes all the time between a folder and a symlink, or a file, a symlink and a FIFO, is never read through
// the link and never blocks. What each instant of a look does is in swap_linux_test.go.
func TestSwaps(t *testing.T) {
	for _, test := range []struct {
		name        string
		pool        []string // what takes the place of x in turn
		destination lockv2.Destination
	}{
		{"folder", []string{"pool/0/f = inside", "pool/1 -> outside", "pool/2/f = inside"}, "x/f"},
		{"folder, FIFO", []string{"pool/0/f = inside", "pool/1 |"}, "x/f"},
		{"file", []string{"pool/0 = inside", "pool/1 -> outside/f", "pool/2 |"}, "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := tree(t, append(test.pool, "outside/f = "+secret)...)
			var stop atomic.Bool
			var group sync.WaitGroup
			group.Go(func() {
				x := filepath.Join(dir, "x")
				for i := 0; !stop.Load(); i++ {
					if kind := filepath.Join(dir, "pool", fmt.Sprint(i%len(test.pool))); os.Rename(kind, x) == nil {
						os.Rename(x, kind)
					}
				}
			})
			r := open(t, dir)
			reasons := map[rootfs.Reason]int{}
			within(t, func() {
				for range 3000 {
					r.Forget()
					b, err := r.ReadFile(test.destination, 1<<10)
					if string(b) == secret {
						t.Error("read through a symlink")
						break
					}
					reasons[reasonOf(t, err)]++
				}
			})
			stop.Store(true)
			group.Wait()
			t.Log(reasons)
		})
	}
}

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 31, 1000} {
		seen := make([]int, n)
		if err := rootfs.Each(t.Context(), n, func(i int, buf []byte) { seen[i]++ }); err != nil {
			t.Error(err)
		}
		for i, times := range seen {
			if times != 1 {
				t.Errorf("%d of %d was called %d times", i, n, times)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	err := rootfs.Each(ctx, 1000, func(i int, buf []byte) { once.Do(cancel) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
