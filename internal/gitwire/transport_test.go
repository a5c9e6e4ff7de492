package gitwire_test

import (
	"context"
	"fmt"
	"testing"

	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/gitwire"
)

// Every way to serve a repository gives the same.
func TestTransports(t *testing.T) {
	f := newFixture(t)
	for name, serve := range map[string]func(t *testing.T, f fixture) gitwire.Remote{
		"http 2": func(t *testing.T, f fixture) gitwire.Remote {
			return open(t, gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{}).URL+"/team/x.git", gitwire.Options{})
		},
		"http 1": func(t *testing.T, f fixture) gitwire.Remote {
			return open(t, gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{Protocol: "1"}).URL+"/team/x.git", gitwire.Options{})
		},
		"http 0": func(t *testing.T, f fixture) gitwire.Remote {
			return open(t, gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{Protocol: "0"}).URL+"/team/x.git", gitwire.Options{})
		},
		"https 2": func(t *testing.T, f fixture) gitwire.Remote {
			s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{TLS: true})
			return open(t, s.URL+"/team/x.git", gitwire.Options{Getenv: environment("GIT_SSL_CAINFO", s.CAFile)})
		},
		"git 2": func(t *testing.T, f fixture) gitwire.Remote {
			return open(t, gitserver.ServeDaemon(t, f.root, gitserver.DaemonOptions{}).URL+"/team/x.git", gitwire.Options{})
		},
		"git 0": func(t *testing.T, f fixture) gitwire.Remote {
			return open(t, gitserver.ServeDaemon(t, f.root, gitserver.DaemonOptions{Protocol: "0"}).URL+"/team/x.git", gitwire.Options{})
		},
		"ssh 2": func(t *testing.T, f fixture) gitwire.Remote { return openSSH(t, f.dir) },
		"ssh 0": func(t *testing.T, f fixture) gitwire.Remote {
			return openSSH(t, f.dir, "SetEnv GIT_PROTOCOL=version=0 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null")
		},
	} {
		t.Run(name, func(t *testing.T) {
			version := 0
			if name[len(name)-1] == '2' {
				version = 2
			}
			r := serve(t, f)
			checkCan(t, f, r, version)
			checkRefs(t, f, r, version)
			checkFetch(t, f, r, version)
			checkMissing(t, f, r, version)
		})
	}
}

func openSSH(t *testing.T, path string, config ...string) gitwire.Remote {
	t.Helper()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{Config: config})
	return open(t, s.URL(path), gitwire.Options{Getenv: s.Getenv, Home: s.Home})
}

func checkRefs(t *testing.T, f fixture, r gitwire.Remote, version int) {
	want := []gitwire.Ref{
		{Name: "HEAD", ID: f.tip, Target: "refs/heads/main"},
		{Name: "refs/heads/main", ID: f.tip},
		{Name: "refs/heads/side", ID: f.side},
		{Name: "refs/tags/v1", ID: f.tag, Peeled: f.old},
	}
	for range 2 { // the second time on what the first left
		got, err := r.Refs(context.Background())
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
	}
	got, err := r.Refs(context.Background(), "refs/tags/", "HEAD")
	if err != nil || fmt.Sprint(got) != fmt.Sprint([]gitwire.Ref{want[0], want[3]}) {
		t.Fatalf("got %v, %v", got, err)
	}
	if got, err := r.Refs(context.Background(), "refs/heads/none"); err != nil || len(got) != 0 {
		t.Fatalf("got %v, %v", got, err)
	}
}

func checkCan(t *testing.T, f fixture, r gitwire.Remote, version int) {
	got, err := r.Can(context.Background())
	if err != nil || got != (gitwire.Ability{Filter: true, AnyObject: version == 2}) {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func checkFetch(t *testing.T, f fixture, r gitwire.Remote, version int) {
	for name, tt := range map[string]struct {
		ask  gitwire.Request
		want string
	}{
		"all":                 {gitwire.Request{Wants: ids(f.tip, f.tip)}, "2 commits, 2 trees, 2 blobs, 0 tags"},
		"two tips":            {gitwire.Request{Wants: ids(f.tip, f.side)}, "3 commits, 3 trees, 3 blobs, 0 tags"},
		"a tag":               {gitwire.Request{Wants: ids(f.tag)}, "1 commits, 1 trees, 1 blobs, 1 tags"},
		"commits alone":       {gitwire.Request{Wants: ids(f.tip), Filter: gitwire.NoTrees}, "2 commits, 0 trees, 0 blobs, 0 tags"},
		"no blobs, one":       {gitwire.Request{Wants: ids(f.tip), Filter: gitwire.NoBlobs, Depth: 1}, "1 commits, 1 trees, 0 blobs, 0 tags"},
		"one":                 {gitwire.Request{Wants: ids(f.tip), Depth: 1}, "1 commits, 1 trees, 1 blobs, 0 tags"},
		"what is not here":    {gitwire.Request{Wants: ids(f.tip), Haves: ids(f.old)}, "1 commits, 1 trees, 1 blobs, 0 tags"},
		"haves it lacks":      {gitwire.Request{Wants: ids(f.tip), Haves: ids(f.lost, f.blob)}, ""},
		"several haves":       {gitwire.Request{Wants: ids(f.tip), Haves: ids(f.side, f.old)}, "1 commits, 1 trees, 1 blobs, 0 tags"},
		"commits, what lacks": {gitwire.Request{Wants: ids(f.tip), Haves: ids(f.old), Filter: gitwire.NoTrees}, "1 commits, 0 trees, 0 blobs, 0 tags"},
	} {
		if got := count(fetch(t, r, tt.ask)); tt.want != "" && got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
	if version == 2 {
		if got := count(fetch(t, r, gitwire.Request{Wants: ids(f.hidden), Haves: ids(f.side)})); got != "1 commits, 0 trees, 0 blobs, 0 tags" {
			t.Errorf("a commit of no ref: got %s", got)
		}
		if got := count(fetch(t, r, gitwire.Request{Wants: ids(f.blob)})); got != "0 commits, 0 trees, 1 blobs, 0 tags" {
			t.Errorf("a blob: got %s", got)
		}
	}
}

func checkMissing(t *testing.T, f fixture, r gitwire.Remote, version int) {
	_, err := tryFetch(r, gitwire.Request{Wants: ids(f.lost)})
	wantCode(t, err, gitwire.CodeInvalidRevision, "not our ref")
	if version == 0 {
		_, err = tryFetch(r, gitwire.Request{Wants: ids(f.hidden)})
		wantCode(t, err, gitwire.CodeInvalidRevision, "not our ref")
	}
	// The remote can be used on.
	if got := count(fetch(t, r, gitwire.Request{Wants: ids(f.old, f.tip)[1:], Depth: 1})); got != "1 commits, 1 trees, 1 blobs, 0 tags" {
		t.Errorf("got %s", got)
	}
}
