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
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got, err := open(t, root).Digest(ctx); got != want || err != nil {
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
}

// What takes the place of a file after it was listed is a change: it is neither waited for nor followed.
func TestSwappedMeanwhile(t *testing.T) {
	swaps := map[string]func(at string) error{
		"gone":    os.Remove,
		"fifo":    func(at string) error { return syscall.Mkfifo(at, 0o644) },
		"symlink": func(at string) error { return os.Symlink("../other", at) },
		"folder":  func(at string) error { return os.Mkdir(at, 0o755) },
		"longer":  func(at string) error { return os.WriteFile(at, []byte("123456"), 0o644) },
		"a socket": func(at string) error {
			l, err := net.Listen("unix", at)
			if err == nil {
				l.(*net.UnixListener).SetUnlinkOnClose(false)
				l.Close()
			}
			return err
		},
		"a file in the place of its folder": func(at string) error {
			if err := os.Remove(filepath.Dir(at)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Dir(at), nil, 0o644)
		},
		"a symlink in the place of its folder": func(at string) error {
			if err := os.Remove(filepath.Dir(at)); err != nil {
				return err
			}
			return os.Symlink("elsewhere", filepath.Dir(at))
		},
	}
	for name, swap := range swaps {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			t.Chdir(root) // a socket's path is short
			write(t, root, "elsewhere/b", []byte("12345"))
			write(t, root, "other", []byte("12345"))
			write(t, root, "a/b", []byte("12345"))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := open(t, root).ListThenRead(ctx, func() {
				at := filepath.Join("a", "b")
				if name != "gone" {
					if err := os.Remove(at); err != nil {
						t.Fatal(err)
					}
				}
				if err := swap(at); err != nil {
					t.Fatal(err)
				}
			})
			if code(err) != treedigest.CodeChanged {
				t.Errorf("error %v", err)
			}
		})
	}
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
