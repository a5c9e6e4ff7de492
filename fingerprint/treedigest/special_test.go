//go:build unix

package treedigest_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.org/compose/fingerprint/treedigest"
)

// FIFOs and sockets are passed over and never opened.
func TestSpecialFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, "SKILL.md", []byte("x"))
	want, err := open(t, root).Digest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "odd\xff"), 0o644); err != nil {
		t.Skip(err)
	}
	t.Chdir(root) // a socket's path is short
	if l, err := net.Listen("unix", "socket"); err == nil {
		defer l.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if got, err := open(t, root).Digest(ctx); got != want || err != nil {
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
}

// A FIFO or a symlink that takes the place of a file after it was listed is a change, not a wait.
func TestSwappedMeanwhile(t *testing.T) {
	root := t.TempDir()
	write(t, root, "other", []byte("12345"))
	at := write(t, root, "a/b", []byte("12345"))
	tree := open(t, root)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			os.Remove(at)
			switch i % 3 {
			case 0:
				syscall.Mkfifo(at, 0o644)
			case 1:
				os.Symlink("../other", at)
			case 2:
				os.WriteFile(at, []byte("12345"), 0o644)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		_, err := tree.Digest(ctx)
		switch code(err) {
		case "", treedigest.CodeChanged, treedigest.CodeSymlink:
		default:
			t.Errorf("error %v", err)
		}
	}
	close(stop)
	<-done
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	root := t.TempDir()
	at := write(t, root, "secret", nil)
	os.Chmod(at, 0)
	if _, err := open(t, root).Digest(t.Context()); code(err) != treedigest.CodeReadFailed {
		t.Errorf("error %v", err)
	}
}
