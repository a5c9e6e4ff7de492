package gitwire_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/gitwire"
)

// misbehaving runs a test against servers that can be told to misbehave.
func misbehaving(t *testing.T, opts gitwire.Options, test func(t *testing.T, f fixture, r gitwire.Remote, misbehave func(gitserver.Fault))) {
	f := newFixture(t)
	t.Run("http", func(t *testing.T) {
		s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
		test(t, f, open(t, s.URL+"/team/x.git", opts), s.Misbehave)
	})
	t.Run("https", func(t *testing.T) {
		s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{TLS: true})
		opts := opts
		opts.Getenv = environment("GIT_SSL_CAINFO", s.CAFile)
		test(t, f, open(t, s.URL+"/team/x.git", opts), s.Misbehave)
	})
	t.Run("git", func(t *testing.T) {
		s := gitserver.ServeDaemon(t, f.root, gitserver.DaemonOptions{})
		test(t, f, open(t, s.URL+"/team/x.git", opts), s.Misbehave)
	})
}

// A server that stalls is given up, wherever it does.
func TestStall(t *testing.T) {
	misbehaving(t, gitwire.Options{Idle: brief}, func(t *testing.T, f fixture, r gitwire.Remote, misbehave func(gitserver.Fault)) {
		for _, after := range []int64{0, 10, 50_000} {
			misbehave(gitserver.Fault{Kind: gitserver.Stall, After: after})
			_, err := tryFetch(r, gitwire.Request{Wants: ids(f.tip)})
			wantCode(t, err, gitwire.CodeUnreachable, "sent nothing for 300ms")
		}
	})
}

// A connection that ends in the middle is an error, and the same Remote gets everything once the server is well.
func TestCut(t *testing.T) {
	misbehaving(t, gitwire.Options{}, func(t *testing.T, f fixture, r gitwire.Remote, misbehave func(gitserver.Fault)) {
		for _, after := range []int64{0, 10, 50_000, 150_000} {
			misbehave(gitserver.Fault{Kind: gitserver.Cut, After: after})
			_, err := tryFetch(r, gitwire.Request{Wants: ids(f.tip)})
			wantCode(t, err, gitwire.CodeUnreachable, "run the command again")
		}
		misbehave(gitserver.Fault{})
		if got := count(fetch(t, r, gitwire.Request{Wants: ids(f.tip)})); got != "2 commits, 2 trees, 2 blobs, 0 tags" {
			t.Errorf("got %s", got)
		}
	})
}

func TestGarbage(t *testing.T) {
	misbehaving(t, gitwire.Options{}, func(t *testing.T, f fixture, r gitwire.Remote, misbehave func(gitserver.Fault)) {
		for _, after := range []int64{0, 10, 50_000, 150_000} {
			misbehave(gitserver.Fault{Kind: gitserver.Garbage, After: after})
			_, err := tryFetch(r, gitwire.Request{Wants: ids(f.tip)})
			wantCode(t, err, gitwire.CodeResponseInvalid, "not git's protocol")
		}
	})
}

// The connection may wear out between two questions.
func TestWorn(t *testing.T) {
	f := newFixture(t)
	for _, protocol := range []string{"", "0"} {
		s := gitserver.ServeDaemon(t, f.root, gitserver.DaemonOptions{Protocol: protocol})
		r := open(t, s.URL+"/team/x.git", gitwire.Options{})
		if _, err := r.Refs(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.Disconnect()
		if got := count(fetch(t, r, gitwire.Request{Wants: ids(f.tip)})); got != "2 commits, 2 trees, 2 blobs, 0 tags" {
			t.Errorf("got %s", got)
		}
		if n := s.Connections(); n != 2 {
			t.Errorf("there were %d connections, not 2", n)
		}
	}
}

func TestOneConnection(t *testing.T) {
	f := newFixture(t)
	s := gitserver.ServeDaemon(t, f.root, gitserver.DaemonOptions{})
	r := open(t, s.URL+"/team/x.git", gitwire.Options{})
	for range 3 {
		if _, err := r.Refs(context.Background(), "refs/heads/"); err != nil {
			t.Fatal(err)
		}
		fetch(t, r, gitwire.Request{Wants: ids(f.tip)})
	}
	if n := s.Connections(); n != 1 {
		t.Errorf("there were %d connections, not 1", n)
	}
}

func TestBounds(t *testing.T) {
	misbehaving(t, gitwire.Options{MaxBytes: 100_000, MaxRefs: 3}, func(t *testing.T, f fixture, r gitwire.Remote, _ func(gitserver.Fault)) {
		pack, err := tryFetch(r, gitwire.Request{Wants: ids(f.tip)})
		wantCode(t, err, gitwire.CodeTooLarge, "more than 100000 bytes")
		if len(pack) > 100_000 {
			t.Errorf("%d bytes came", len(pack))
		}
		if _, err := r.Refs(context.Background(), "refs/heads/"); err != nil {
			t.Error(err)
		}
		_, err = r.Refs(context.Background())
		wantCode(t, err, gitwire.CodeTooLarge, "more than 3 refs")
	})
}

// What into says ends the fetch; what comes after it is not mixed up with the next answer.
func TestInto(t *testing.T) {
	own := errors.New("no room")
	misbehaving(t, gitwire.Options{}, func(t *testing.T, f fixture, r gitwire.Remote, _ func(gitserver.Fault)) {
		err := r.Fetch(context.Background(), gitwire.Request{Wants: ids(f.tip)}, func(pack io.Reader) error {
			_, err := io.ReadFull(pack, make([]byte, 1000))
			return errors.Join(err, own)
		})
		if !errors.Is(err, own) {
			t.Errorf("got %v", err)
		}
		err = r.Fetch(context.Background(), gitwire.Request{Wants: ids(f.tip)}, func(pack io.Reader) error { return nil })
		if err != nil {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		err = r.Fetch(ctx, gitwire.Request{Wants: ids(f.tip)}, func(pack io.Reader) error {
			io.ReadFull(pack, make([]byte, 1000))
			cancel()
			_, err := io.Copy(io.Discard, pack)
			return err
		})
		if err != nil && !errors.Is(err, context.Canceled) { // all may have come before
			t.Errorf("got %v", err)
		}
		if refs, err := r.Refs(context.Background()); err != nil || len(refs) != 4 {
			t.Errorf("got %v, %v", refs, err)
		}
	})
}

func TestBadRequests(t *testing.T) {
	f := newFixture(t)
	s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{Config: []string{"uploadpack.allowFilter=false"}})
	r := open(t, s.URL+"/team/x.git", gitwire.Options{})
	if able, err := r.Can(context.Background()); err != nil || able.Filter {
		t.Fatalf("got %v, %v", able, err)
	}
	for name, ask := range map[string]gitwire.Request{
		"nothing is wanted": {},
		"no such filter":    {Wants: ids(f.tip), Filter: "blob:limit=1"},
		"no filter there":   {Wants: ids(f.tip), Filter: gitwire.NoBlobs},
	} {
		if _, err := tryFetch(r, ask); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("there were %d requests, not 1", n)
	}
	if _, err := gitwire.Open(context.Background(), parse(t, "file:///x"), gitwire.Options{}); err == nil {
		t.Error("a path was opened")
	}
}
