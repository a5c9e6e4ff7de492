package rootfs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// record is a Second that keeps what it was shown.
type record struct {
	begun  int
	size   int64
	pieces int
	bytes.Buffer
	add func() // nil for nothing
}

func (r *record) Begin(size int64) {
	r.begun, r.size, r.pieces = r.begun+1, size, 0
	r.Reset()
}

func (r *record) Add(piece []byte) {
	r.pieces++
	r.Write(piece)
	if r.add != nil {
		r.add()
	}
}

func TestDigestWith(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	for _, text := range []string{"", "a", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 1000)} {
		grow(t, dir, "f = "+text)
		var seen record
		got, err := r.DigestWith(t.Context(), "f", make([]byte, 64), &seen)
		if want := (rootfs.Sum{Digest: sum(text), Size: int64(len(text))}); err != nil || got != want {
			t.Errorf("%d bytes: got %+v, %v, want %+v", len(text), got, err, want)
		}
		if seen.String() != text || seen.size != int64(len(text)) || seen.begun != 1 || len(text) <= 64 && seen.pieces > 1 {
			t.Errorf("%d bytes: shown %d bytes of %d in %d pieces, begun %d times", len(text), seen.Len(), seen.size, seen.pieces, seen.begun)
		}
	}
	if _, err := r.DigestWith(t.Context(), "none", make([]byte, 64), new(record)); reasonOf(t, err) != rootfs.Missing {
		t.Errorf("nothing there: %v", err)
	}
}

// A file that changes while it is read is shown anew from its start.
func TestDigestWithBeginsAgain(t *testing.T) {
	dir := tree(t, "f = "+strings.Repeat("x", 100))
	seen := &record{}
	seen.add = func() {
		seen.add = nil
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("other"), 0o644); err != nil {
			t.Error(err)
		}
	}
	got, err := open(t, dir).DigestWith(t.Context(), "f", make([]byte, 64), seen)
	if err != nil || got.Digest != sum("other") || seen.String() != "other" || seen.begun != 2 || seen.size != 5 {
		t.Errorf("got %+v, %v, shown %q of %d, begun %d times", got, err, seen, seen.size, seen.begun)
	}
}

func TestEqual(t *testing.T) {
	dir := tree(t, "d/", "link -> f")
	r := open(t, dir)
	for _, text := range []string{"", "a", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 128), strings.Repeat("x", 1000)} {
		grow(t, dir, "f = "+text)
		for want, same := range map[string]bool{text: true, text + "y": false, "y" + text: false, "": text == ""} {
			if got, err := r.Equal("f", []byte(want), make([]byte, 64)); got != same || err != nil {
				t.Errorf("%d bytes against %d: got %v, %v", len(text), len(want), got, err)
			}
		}
		if n := len(text) - 1; n > 0 {
			for _, other := range []string{text[:n], text[:n] + "y"} {
				if got, err := r.Equal("f", []byte(other), make([]byte, 64)); got || err != nil {
					t.Errorf("%d bytes, other at the end: got %v, %v", len(text), got, err)
				}
			}
		}
	}
	for d, want := range map[lockv2.Destination]rootfs.Reason{"none": rootfs.Missing, "d": rootfs.IsDirectory, "link": rootfs.Symlink} {
		if got, err := r.Equal(d, nil, make([]byte, 64)); got || reasonOf(t, err) != want {
			t.Errorf("%s: got %v, %v, want %s", d, got, err, want)
		}
	}
}
