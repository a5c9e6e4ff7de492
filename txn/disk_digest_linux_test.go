package txn

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"golang.org/x/sys/unix"
)

// A digest is remembered where a later write gives the file another time of change, on whatever clock its file system counts.
func TestSettled(t *testing.T) {
	const second = int64(1e9)
	for _, tt := range []struct {
		ctime, now int64
		want       bool
	}{
		{5*second + 1, 5*second + 1 + settled, false},
		{5*second + 1, 5*second + 2 + settled, true},
		{5 * second, 5*second + 999e6, false}, // perhaps written, and written again, within a second that is counted whole
		{5 * second, 7*second + settled, false},
		{5 * second, 7*second + settled + 1, true},
		{5*second + 1, 4 * second, false}, // a clock that was put back, or a server's that is ahead
	} {
		s := stamp{ctime: unix.NsecToTimespec(tt.ctime)}
		if got := s.settledAt(tt.now); got != tt.want {
			t.Errorf("changed at %d, read at %d: settled %v, want %v", tt.ctime, tt.now, got, tt.want)
		}
	}
}

// What is remembered of a file is forgotten with any change to it, one that leaves its size and its time of the last write too.
func TestRememberedDigest(t *testing.T) {
	for name, change := range map[string]func(dir, at string) error{
		"nothing": func(dir, at string) error { return nil },
		"written": func(dir, at string) error { return os.WriteFile(at, []byte("b"), 0o644) },
		"written, its time put back": func(dir, at string) error {
			info, err := os.Stat(at)
			if err == nil {
				err = os.WriteFile(at, []byte("b"), 0o644)
			}
			if err != nil {
				return err
			}
			return os.Chtimes(at, info.ModTime(), info.ModTime())
		},
		"replaced, with the time of the old one": func(dir, at string) error {
			info, err := os.Stat(at)
			if err == nil {
				err = os.WriteFile(at+"~", []byte("b"), 0o644)
			}
			if err == nil {
				err = os.Chtimes(at+"~", info.ModTime(), info.ModTime())
			}
			if err != nil {
				return err
			}
			return os.Rename(at+"~", at)
		},
		"removed": func(dir, at string) error { return os.Remove(at) },
		"a link to what it was": func(dir, at string) error {
			if err := os.Rename(at, filepath.Join(dir, "moved")); err != nil {
				return err
			}
			return os.Symlink("moved", at)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := memoryDir(t)
			put(t, dir, "f", "a")
			d, ok := realDisk(t, dir).(*linuxDisk)
			if !ok {
				t.Skip("another disk")
			}
			buf := make([]byte, 100)
			var want rootfs.Sum
			for remembered := false; !remembered; _, remembered = d.known("f") { // as soon as the file is settled
				sum, err := d.Digest(t.Context(), "f", buf)
				if err != nil {
					t.Fatal(err)
				}
				want = sum
				time.Sleep(10 * time.Millisecond)
			}
			if err := change(dir, filepath.Join(dir, "f")); err != nil {
				t.Fatal(err)
			}
			got, err := d.Digest(t.Context(), "f", buf)
			real, realErr := d.Root.Digest(t.Context(), lockv2.Destination("f"), buf)
			if (err != nil) != (realErr != nil) || got != real || (name == "nothing") != (err == nil && got == want) {
				t.Errorf("got %v, %v; the file has %v, %v; before it was %v", got, err, real, realErr, want)
			}
		})
	}
}
