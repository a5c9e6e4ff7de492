package gitpack_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/compose/internal/gitpack"
	"github.com/go-git/go-git/v5/plumbing"
)

func hexOf(b []byte) string { return hex.EncodeToString(b) }

// object is one to be written; closed counts how often it was closed.
func object(kind plumbing.ObjectType, content string, closed *int) gitpack.Object {
	return gitpack.Object{
		ID: plumbing.ComputeHash(kind, []byte(content)), Kind: kind, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return &counted{strings.NewReader(content), closed}, nil },
	}
}

type counted struct {
	io.Reader
	closed *int
}

func (c *counted) Close() error { *c.closed++; return nil }

func sequence(objects []gitpack.Object, last error) iter.Seq2[gitpack.Object, error] {
	return func(yield func(gitpack.Object, error) bool) {
		for _, o := range objects {
			if !yield(o, nil) {
				return
			}
		}
		if last != nil {
			yield(gitpack.Object{}, last)
		}
	}
}

func TestWrite(t *testing.T) {
	closed := 0
	var objects []gitpack.Object
	for _, n := range []int{0, 1, 15, 16, 100, 2047, 2048, 100_000, 1 << 20} {
		objects = append(objects, object(plumbing.BlobObject, string(random(n)), &closed))
	}
	objects = append(objects, object(plumbing.BlobObject, strings.Repeat("text ", 200_000), &closed),
		object(plumbing.TreeObject, "", &closed),
		object(plumbing.TagObject, "object 0123456789012345678901234567890123456789\ntype commit\n", &closed),
		object(plumbing.CommitObject, "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a> 1 +0000\ncommitter C <c> 1 +0000\n\n", &closed))
	var packs [2]bytes.Buffer
	for i := range packs {
		if err := gitpack.Write(context.Background(), &packs[i], len(objects), sequence(objects, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(packs[0].Bytes(), packs[1].Bytes()) {
		t.Error("the same objects make another pack")
	}
	if closed != 2*len(objects) {
		t.Errorf("%d were closed, of %d", closed, 2*len(objects))
	}
	base := mustReceive(t, packs[0].Bytes(), gitpack.Limits{})
	index := string(mustRead(t, base+".idx"))
	for _, o := range objects {
		if !strings.Contains(index, string(o.ID[:])) {
			t.Errorf("%s of %d bytes is not in the pack", o.Kind, o.Size)
		}
	}
	wantIndexOfGit(t, packs[0].Bytes(), []byte(index))
}

func TestWriteNothing(t *testing.T) {
	var pack bytes.Buffer
	if err := gitpack.Write(context.Background(), &pack, 0, sequence(nil, nil)); err != nil || !bytes.Equal(pack.Bytes(), packOf(0, nil)) {
		t.Errorf("%x, %v", pack.Bytes(), err)
	}
}

func TestWriteRefuses(t *testing.T) {
	own := errors.New("own")
	closed := 0
	hello := object(plumbing.BlobObject, "hello", &closed)
	with := func(change func(o *gitpack.Object)) []gitpack.Object {
		o := hello
		change(&o)
		return []gitpack.Object{o}
	}
	tests := []struct {
		name    string
		n       int
		objects []gitpack.Object
		last    error
		code    string // "": own
	}{
		{"too few", 2, []gitpack.Object{hello}, nil, gitpack.CodeReadFailed},
		{"too many", 1, []gitpack.Object{hello, hello}, nil, gitpack.CodeReadFailed},
		{"shorter", 1, with(func(o *gitpack.Object) { o.Size++ }), nil, gitpack.CodeReadFailed},
		{"longer", 1, with(func(o *gitpack.Object) { o.Size-- }), nil, gitpack.CodeReadFailed},
		{"negative", 1, with(func(o *gitpack.Object) { o.Size = -1 }), nil, gitpack.CodeReadFailed},
		{"a delta", 1, with(func(o *gitpack.Object) { o.Kind = plumbing.OFSDeltaObject }), nil, gitpack.CodeReadFailed},
		{"no kind", 1, with(func(o *gitpack.Object) { o.Kind = 0 }), nil, gitpack.CodeReadFailed},
		{"more than there can be", 1 << 33, nil, nil, gitpack.CodeTooLarge},
		{"an error among the objects", 2, []gitpack.Object{hello}, own, ""},
		{"an error on opening", 1, with(func(o *gitpack.Object) { o.Open = func() (io.ReadCloser, error) { return nil, own } }), nil, ""},
		{"an error on reading", 1, with(func(o *gitpack.Object) {
			o.Open = func() (io.ReadCloser, error) { return &counted{iotest.ErrReader(own), &closed}, nil }
		}), nil, ""},
	}
	for _, tt := range tests {
		err := gitpack.Write(context.Background(), io.Discard, tt.n, sequence(tt.objects, tt.last))
		if tt.code == "" {
			if err != own {
				t.Errorf("%s: got %v", tt.name, err)
			}
			continue
		}
		wantCode(t, err, tt.code, "")
	}
	// Of the writer, after any number of bytes.
	var pack bytes.Buffer
	if err := gitpack.Write(context.Background(), &pack, 1, sequence([]gitpack.Object{hello}, nil)); err != nil {
		t.Fatal(err)
	}
	for n := range pack.Len() {
		if err := gitpack.Write(context.Background(), &failing{n, own}, 1, sequence([]gitpack.Object{hello}, nil)); err != own {
			t.Errorf("after %d bytes: got %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := gitpack.Write(ctx, io.Discard, 1, sequence([]gitpack.Object{hello}, nil)); err != context.Canceled {
		t.Error(err)
	}
}

// failing takes that many bytes.
type failing struct {
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, f.err
	}
	f.left -= len(p)
	return len(p), nil
}
