package gitcache_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/gitserver"
	"example.org/compose/lockv2"
)

// emptyPack is a pack without objects.
const emptyPack = "PACK\x00\x00\x00\x02\x00\x00\x00\x00\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e"

// liar serves r and answers requests that lies picks with an empty pack.
func liar(t *testing.T, r *repository, lies func(body []byte) bool) (*gitserver.HTTP, gitcache.Options) {
	h := gitserver.ServeHTTP(t, filepath.Dir(r.path), gitserver.HTTPOptions{TLS: true, Config: []string{"uploadpack.allowFilter=true"},
		Before: func(w http.ResponseWriter, q *http.Request) bool {
			if q.Method != http.MethodPost {
				return false
			}
			body, _ := io.ReadAll(q.Body)
			q.Body = io.NopCloser(bytes.NewReader(body))
			if !bytes.Contains(body, []byte("want ")) || !lies(body) {
				return false
			}
			w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
			fmt.Fprintf(w, "000dpackfile\n%04x\x01%s0000", 5+len(emptyPack), emptyPack)
			return true
		}})
	return h, gitcache.Options{Folder: t.TempDir(), Getenv: trusting(h)}
}

// A server that leaves out what it was asked for is not believed to have sent it, and the next run asks again.
func TestServerLeavesOut(t *testing.T) {
	for name, what := range map[string]string{"history": "filter tree:0", "trees": "filter blob:none", "files": ""} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.git("tag", "-d", "v1")
			lying := true
			h, opts := liar(t, r, func(body []byte) bool {
				if what == "" {
					return lying && !bytes.Contains(body, []byte("filter "))
				}
				return lying && bytes.Contains(body, []byte(what))
			})
			u := parse(t, h.URL+"/"+filepath.Base(r.path))
			bind(t, opts, u, r.first, "", "SOURCE_RESPONSE_INVALID")
			lying = false
			bind(t, opts, u, r.first, "one", "")
		})
	}
}

// A server that is a shallow clone itself: what it leads to is composed, what it can't tell of is not called unpublished, and once it is
// completed everything is there.
func TestShallowServer(t *testing.T) {
	for _, filter := range []bool{true, false} {
		t.Run(fmt.Sprint("filter ", filter), func(t *testing.T) {
			r := newRepository(t)
			r.git("tag", "-d", "v1")
			// Its name sorts before that of the branch that leads to the revision, and its history is cut off.
			long := r.commit(r.commit(r.first, map[string]string{"a": "1"}), map[string]string{"a": "2"})
			r.set("refs/heads/aa", long)
			r.set("refs/heads/side", r.commit(r.side, map[string]string{"a": "3"}))
			shallow := filepath.Join(t.TempDir(), "shallow.git")
			r.git("clone", "--quiet", "--bare", "--no-single-branch", "--depth=2", "file://"+r.path, shallow)
			h := gitserver.ServeHTTP(t, filepath.Dir(shallow), gitserver.HTTPOptions{TLS: true, Config: []string{fmt.Sprintf("uploadpack.allowFilter=%t", filter)}})
			u := parse(t, h.URL+"/shallow.git")
			opts := gitcache.Options{Folder: t.TempDir(), Getenv: trusting(h)}
			bind(t, opts, u, r.side, "", "")
			bind(t, opts, u, r.first, "", "SOURCE_RESPONSE_INVALID")
			s, err := gitcache.New(opts).Bind(t.Context(), u, r.third, folders)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.IsAncestor(t.Context(), r.first, r.third); code(err) != "OLD_SOURCE_REVISION_UNAVAILABLE" {
				t.Errorf("error %v", err)
			}
			r.git("--git-dir="+shallow, "fetch", "--quiet", "--unshallow")
			bind(t, opts, u, r.first, "one", "")
		})
	}
}

// What a cache lost of the history of a branch is not taken for the history.
func TestLostHistory(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, folder string){
		"packs gone":                         func(t *testing.T, folder string) { removeAll(t, glob(t, folder, "objects/pack/*")) },
		"a byte of every pack":               each("objects/pack/*.pack", func(b []byte) []byte { b[len(b)/2] ^= 0x55; return b }),
		"the note of what is whole is empty": each("compose.json", func([]byte) []byte { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.git("tag", "-d", "v1")
			opts := gitcache.Options{Folder: t.TempDir()}
			bind(t, opts, r.url(), r.second, "two", "") // with the history of main
			damage(t, onlyFolder(t, opts.Folder))
			bind(t, opts, r.url(), r.first, "one", "")
		})
	}
}

// A list of refs that failed is asked for again.
func TestConnectsAgain(t *testing.T) {
	r := newRepository(t)
	h := gitserver.ServeHTTP(t, filepath.Dir(r.path), gitserver.HTTPOptions{TLS: true, Config: []string{"uploadpack.allowFilter=true"}})
	u := parse(t, h.URL+"/"+filepath.Base(r.path))
	opts := gitcache.Options{Folder: t.TempDir(), Getenv: trusting(h)}
	bind(t, opts, u, r.third, "three", "")
	s, err := gitcache.New(opts).Bind(t.Context(), u, r.third, folders)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h.Misbehave(gitserver.Fault{Kind: gitserver.Cut, Of: "git-upload-pack"})
	if _, err := s.IsAncestor(t.Context(), r.first, r.third); code(err) != "SOURCE_UNREACHABLE" {
		t.Errorf("error %v", err)
	}
	h.Misbehave(gitserver.Fault{})
	if is, err := s.IsAncestor(t.Context(), r.first, r.third); !is || err != nil {
		t.Errorf("answer %t, error %v", is, err)
	}
}

// Who empties an entry and who reads it and comes to fetch do not wait for each other.
func TestDiscardBesideFetch(t *testing.T) {
	r := newRepository(t)
	opts := gitcache.Options{Folder: t.TempDir()}
	reader, err := gitcache.New(opts).Bind(t.Context(), r.url(), r.third, folders)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	other, err := gitcache.New(opts).Bind(t.Context(), r.url(), r.third, folders)
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	emptied := make(chan error)
	asked := gitcache.OnHeld(func() { // it waits for the reader to let go
		if is, err := reader.IsAncestor(t.Context(), r.first, r.third); !is || err != nil {
			t.Errorf("answer %t, error %v", is, err)
		}
		reader.Close()
	})
	go func() { emptied <- other.Damaged()(asked(t.Context())) }()
	if err := <-emptied; err != nil {
		t.Error(err)
	}
}

// An entry remembers no more than its own reader takes.
func TestStateIsBounded(t *testing.T) {
	var ids []lockv2.Revision
	for i := range gitcache.MaxRevisions + 100 {
		ids = append(ids, lockv2.Revision(fmt.Sprintf("%040x", i+1)))
	}
	if n := gitcache.StateSize(ids); n > gitcache.MaxState {
		t.Errorf("%d bytes, and %d are read", n, gitcache.MaxState)
	}
}
