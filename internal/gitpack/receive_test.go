package gitpack_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/compose/internal/gitpack"
	"github.com/go-git/go-git/v5/plumbing"
)

// The source may stay open behind the pack: nothing more is asked of it. However its bytes come, the result is the same.
func TestReceiveReadsOnePack(t *testing.T) {
	var b builder
	b.whole(plumbing.BlobObject, random(1<<20))
	b.whole(plumbing.BlobObject, bytes.Repeat([]byte("hello "), 200_000))
	for _, pack := range [][]byte{packOf(0, nil), chain(100, true), b.pack()} {
		for name, reader := range map[string]func(io.Reader) io.Reader{
			"at once":       func(r io.Reader) io.Reader { return r },
			"by bytes":      iotest.OneByteReader,
			"by halves":     iotest.HalfReader,
			"end with data": iotest.DataErrReader,
		} {
			open := &openEnded{r: reader(bytes.NewReader(pack)), left: len(pack)}
			result, err := gitpack.Receive(context.Background(), t.TempDir(), open, gitpack.Limits{}, nil)
			if err != nil || result.Bytes != int64(len(pack)) {
				t.Errorf("%s: got %+v, %v", name, result, err)
			}
			if open.asked {
				t.Errorf("%s: more was read than the pack", name)
			}
		}
		// What comes with it is no matter.
		if _, _, err := receive(t, append(bytes.Clone(pack), "and more"...), gitpack.Limits{}); err != nil {
			t.Error(err)
		}
	}
}

// openEnded never ends.
type openEnded struct {
	r     io.Reader
	left  int
	asked bool
}

func (o *openEnded) Read(p []byte) (int, error) {
	if o.left == 0 {
		o.asked = true
		return 0, errors.New("asked for more than the pack")
	}
	n, err := o.r.Read(p)
	o.left -= n
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func TestReceiveSaysHowMuchCame(t *testing.T) {
	pack := chain(100, false)
	var heard []int64
	_, err := gitpack.Receive(context.Background(), t.TempDir(), iotest.HalfReader(bytes.NewReader(pack)), gitpack.Limits{}, func(n int64) { heard = append(heard, n) })
	if err != nil || len(heard) < 1 || heard[len(heard)-1] != int64(len(pack)) {
		t.Errorf("heard %d of %d, %v", heard, len(pack), err)
	}
	for i := 1; i < len(heard); i++ {
		if heard[i] <= heard[i-1] {
			t.Errorf("heard %d after %d", heard[i], heard[i-1])
		}
	}
}

// Until all is checked, there are temporary files alone.
func TestReceiveInstallsLast(t *testing.T) {
	pack := chain(3, false)
	folder := t.TempDir()
	looked := 0
	look := func(int64) {
		looked++
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) == 0 {
			t.Error(entries, err)
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "tmp-") {
				t.Errorf("%s is there before the end", e.Name())
			}
		}
	}
	if _, err := gitpack.Receive(context.Background(), folder, iotest.OneByteReader(bytes.NewReader(pack)), gitpack.Limits{}, look); err != nil {
		t.Error(err)
	}
	if looked != len(pack) {
		t.Errorf("looked %d times", looked)
	}
}

// Nobody is to write to the files, and what is there already is replaced, whatever it is.
func TestReceiveReplaces(t *testing.T) {
	pack := chain(3, false)
	base := mustReceive(t, pack, gitpack.Limits{})
	index := mustRead(t, base+".idx")
	for _, before := range []string{"nothing new", "damage"} {
		if before == "damage" {
			for _, extension := range []string{".pack", ".idx"} {
				if err := os.Chmod(base+extension, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(base+extension, []byte("damaged"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(base+extension, 0o400); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := gitpack.Receive(context.Background(), filepath.Dir(base), bytes.NewReader(pack), gitpack.Limits{}, nil); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, filepath.Dir(base), filepath.Base(base)+".idx", filepath.Base(base)+".pack")
		if !bytes.Equal(mustRead(t, base+".pack"), pack) || !bytes.Equal(mustRead(t, base+".idx"), index) {
			t.Errorf("%s: the files have other bytes", before)
		}
		for _, extension := range []string{".pack", ".idx"} {
			info, err := os.Stat(base + extension)
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o444 {
				t.Error(info.Mode(), err)
			}
		}
	}
}

// Many at once install the same pack.
func TestReceiveAtOnce(t *testing.T) {
	pack := chain(50, true)
	folder := t.TempDir()
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			_, err := gitpack.Receive(context.Background(), folder, bytes.NewReader(pack), gitpack.Limits{}, nil)
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	name := "pack-" + hex.EncodeToString(pack[len(pack)-20:])
	wantFiles(t, folder, name+".idx", name+".pack")
	if err := gitpack.Check(context.Background(), filepath.Join(folder, name), gitpack.Limits{}); err != nil {
		t.Error(err)
	}
}
