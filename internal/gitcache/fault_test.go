package gitcache_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/gitpack"
	"example.org/compose/internal/gitserver"
)

// A server that fails at any point of any answer leads to an error with a code; nothing half is left or used, and the next run goes
// on from what came whole.
func TestServerFails(t *testing.T) {
	r := newRepository(t)
	h := gitserver.ServeHTTP(t, filepath.Dir(r.path), gitserver.HTTPOptions{TLS: true, Config: []string{"uploadpack.allowFilter=true"}})
	u := parse(t, h.URL+"/"+filepath.Base(r.path))
	codes := map[gitserver.Kind][]string{
		gitserver.Stall:   {"SOURCE_UNREACHABLE"},
		gitserver.Cut:     {"SOURCE_UNREACHABLE"},
		gitserver.Garbage: {"SOURCE_RESPONSE_INVALID", "SOURCE_UNREACHABLE"},
	}
	for kind, name := range map[gitserver.Kind]string{gitserver.Stall: "stalls", gitserver.Cut: "dies", gitserver.Garbage: "sends garbage"} {
		for _, after := range []int64{0, 10, 100, 200} {
			if kind == gitserver.Stall && after != 0 && after != 200 {
				continue // each takes as long as a server may send nothing
			}
			t.Run(fmt.Sprintf("%s after %d bytes", name, after), func(t *testing.T) {
				opts := gitcache.Options{Folder: t.TempDir(), Getenv: trusting(h)}
				h.Misbehave(gitserver.Fault{Kind: kind, After: after, Of: "git-upload-pack"})
				impatient := opts
				if kind == gitserver.Stall {
					impatient.Idle = time.Second
				}
				_, err := gitcache.New(impatient).Bind(t.Context(), u, r.first, folders)
				if got := code(err); !strings.Contains(strings.Join(codes[kind], " "), got) || got == "" {
					t.Errorf("error %v, want one of %q", err, codes[kind])
				}
				wantNoLeftOver(t, opts.Folder)
				h.Misbehave(gitserver.Fault{})
				bind(t, opts, u, r.first, "one", "")
			})
		}
	}
}

// A pack that is past a bound is not taken in.
func TestBounds(t *testing.T) {
	for name, limits := range map[string]gitpack.Limits{
		"bytes":   {Bytes: 100},
		"objects": {Objects: 1},
		"object":  {Object: 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			opts := gitcache.Options{Folder: t.TempDir(), Limits: limits}
			bind(t, opts, r.url(), r.first, "", "SOURCE_TOO_LARGE")
			wantNoLeftOver(t, opts.Folder)
		})
	}
}

func wantNoLeftOver(t *testing.T, cache string) {
	t.Helper()
	err := filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "tmp") {
			t.Errorf("left over: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
