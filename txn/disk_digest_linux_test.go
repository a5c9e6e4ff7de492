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

// A digest is remembered where a later write gives the file another time of change, whether its file system counts ticks or seconds.
func TestSettled(t *testing.T) {
	const second = int64(1e9)
	for _, tt := range []struct {
		ctime, now int64
		want       bool
	}{
		{5*second + 4e6, 5*second + 4e6, false}, // perhaps written, and written again, within a tick
		{5*second + 4e6, 5*second + 8e6, true},
		{5*second + 4e6, 6 * second, true},
		{5*second + 4e6, 5 * second, false}, // finer than the clock
		{5 * second, 5*second + 999e6, false},
		{5 * second, 6 * second, true},
		{5*second + 1, 4*second + 2, false}, // a clock that was put back
		{5 * second, 0, false},              // no clock
	} {
		s := stamp{ctime: unix.NsecToTimespec(tt.ctime)}
		if got := s.settledAt(unix.NsecToTimespec(tt.now)); got != tt.want {
			t.Errorf("changed at %d, read at %d: settled %v, want %v", tt.ctime, tt.now, got, tt.want)
		}
	}
}

// The clock is the one that file systems take their times from: a file that was changed before a tick has an earlier time than one that is changed after it.
func TestTick(t *testing.T) {
	dir := t.TempDir()
	d, ok := realDisk(t, dir).(*linuxDisk)
	if !ok || !d.local {
		t.Skip("another disk")
	}
	for range 200 {
		put(t, dir, "f", "a")
		d.tick()
		var before, after unix.Stat_t
		if err := unix.Stat(filepath.Join(dir, "f"), &before); err != nil {
			t.Fatal(err)
		}
		put(t, dir, "f", "b")
		if err := unix.Stat(filepath.Join(dir, "f"), &after); err != nil {
			t.Fatal(err)
		}
		if stampOf(&before).settledAt(d.now) && stampOf(&before) == stampOf(&after) {
			t.Fatalf("changed at %v, settled at %v, changed again at %v", before.Ctim, d.now, after.Ctim)
		}
	}
}

// A file that was replaced is read once more however it looks, and where files can't be exchanged nothing is remembered.
func TestMovedDigest(t *testing.T) {
	dir := memoryDir(t)
	put(t, dir, "old", "a")
	put(t, dir, "new", "b")
	d, ok := realDisk(t, dir).(*linuxDisk)
	if !ok || !d.local {
		t.Skip("another disk")
	}
	remember := func(path string) {
		for found := false; !found; _, found = d.digests[path] {
			d.tick()
			if _, err := d.Digest(t.Context(), lockv2.Destination(path), make([]byte, 10)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
	}
	remember("old")
	if err := d.Exchange("new", "old"); err != nil {
		t.Fatal(err)
	}
	if k := d.digests["new"]; !k.moved {
		t.Error("what came out is not known")
	}
	sum, _, err := d.Look(t.Context(), "new", nil) // there is no buffer to read into
	if err != nil || sum.Digest != digestOf("a") {
		t.Errorf("%v, %v", sum, err)
	}
	if _, found := d.digests["new"]; found {
		t.Error("it is still known after a look")
	}
	remember("old")
	d.forgetDigests()
	d.Forget()
	if _, err := d.Digest(t.Context(), "old", make([]byte, 10)); err != nil || len(d.digests) != 0 {
		t.Errorf("%v; remembered %v", err, d.digests)
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
			for remembered := false; !remembered; _, _, remembered = d.known("f") { // as soon as the file is settled
				d.tick()
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
