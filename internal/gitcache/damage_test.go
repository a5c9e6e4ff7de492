package gitcache_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/gitrepo"
)

// Whatever happens to the files of an entry: a reader gets the right bytes, or an error that leads to a new fetch, after which it
// gets them.
func TestDamage(t *testing.T) {
	damages := map[string]func(t *testing.T, folder string){
		"a byte of every pack": func(t *testing.T, folder string) {
			for _, pack := range glob(t, folder, "objects/pack/*.pack") {
				edit(t, pack, func(b []byte) []byte { b[len(b)/2] ^= 0x55; return b })
			}
		},
		"cut packs":         each("objects/pack/*.pack", func(b []byte) []byte { return b[:len(b)/2] }),
		"empty packs":       each("objects/pack/*.pack", func([]byte) []byte { return nil }),
		"a byte of indexes": each("objects/pack/*.idx", func(b []byte) []byte { b[len(b)-30] ^= 0x55; return b }),
		"empty indexes":     each("objects/pack/*.idx", func([]byte) []byte { return nil }),
		"packs gone": func(t *testing.T, folder string) {
			if err := os.RemoveAll(filepath.Join(folder, "objects", "pack")); err != nil {
				t.Fatal(err)
			}
		},
		"one pack gone": func(t *testing.T, folder string) { remove(t, glob(t, folder, "objects/pack/*.pack")[0]) },
		"indexes gone": func(t *testing.T, folder string) {
			for _, idx := range glob(t, folder, "objects/pack/*.idx") {
				remove(t, idx)
			}
		},
		"the state gone":      func(t *testing.T, folder string) { remove(t, filepath.Join(folder, "compose.json")) },
		"the state cut":       each("compose.json", func(b []byte) []byte { return b[:len(b)-5] }),
		"the state of others": each("compose.json", func(b []byte) []byte { return append(b[:30:30], b[31:]...) }),
		"HEAD gone":           func(t *testing.T, folder string) { remove(t, filepath.Join(folder, "HEAD")) },
		"a broken config":     each("config", func([]byte) []byte { return []byte("[core") }),
		"SHA-256":             each("config", func([]byte) []byte { return []byte("[extensions]\n\tobjectFormat = sha256\n") }),
		"the state too long":  each("compose.json", func(b []byte) []byte { return append(b, make([]byte, 4<<20)...) }),
		"left-over files": func(t *testing.T, folder string) {
			for _, name := range []string{"tmp-1", "objects/pack/tmp-2.pack"} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			opts := gitcache.Options{Folder: t.TempDir()}
			bind(t, opts, r.url(), r.second, "two", "")
			folder := onlyFolder(t, opts.Folder)
			damage(t, folder)
			for attempt := 0; ; attempt++ {
				s, err := gitcache.New(opts).Bind(t.Context(), r.url(), r.second, folders)
				if err != nil {
					t.Fatal(err)
				}
				got, err := read(t, s, r.second, "components/a/b")
				s.Close()
				if err == nil {
					if got != "two" {
						t.Errorf("got %q", got)
					}
					break
				}
				var fault *gitrepo.Error
				if attempt > 0 || !errors.As(err, &fault) || fault.Code() != "READ_FAILED" {
					t.Fatal(err)
				}
				if err := s.Damaged()(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			entries, err := gitcache.New(opts).Check(t.Context(), folders, false)
			if err != nil || len(entries) != 1 || entries[0].Fault != nil {
				t.Errorf("entries %+v, error %v", entries, err)
			}
		})
	}
}

// check finds what a reader would find, and more; with remove the entry goes.
func TestCheck(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, folder string){
		"a byte of a pack":      each("objects/pack/*.pack", func(b []byte) []byte { b[len(b)-25] ^= 0x55; return b }),
		"packs gone":            func(t *testing.T, folder string) { removeAll(t, glob(t, folder, "objects/pack/*")) },
		"the state is no state": each("compose.json", func([]byte) []byte { return []byte("{}") }),
		"a revision is not here": each("compose.json", func(b []byte) []byte {
			return replace(b, `"revisions": [`, `"revisions": ["1111111111111111111111111111111111111111", `)
		}),
		"a history is not here": each("compose.json", func(b []byte) []byte {
			return replace(b, `"history": [`, `"history": ["1111111111111111111111111111111111111111", `)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			cache := gitcache.New(gitcache.Options{Folder: t.TempDir()})
			bindIn(t, cache, r)
			entries, err := cache.List(t.Context())
			if err != nil || len(entries) != 1 {
				t.Fatal(entries, err)
			}
			damage(t, entries[0].Folder())
			if entries, err = cache.Check(t.Context(), folders, false); err != nil || len(entries) != 1 || entries[0].Fault == nil || entries[0].Removed() {
				t.Fatalf("entries %+v, error %v", entries[0], err)
			}
			if entries, err = cache.Check(t.Context(), folders, true); err != nil || !entries[0].Removed() {
				t.Fatalf("entries %+v, error %v", entries[0], err)
			}
			if entries, err = cache.List(t.Context()); err != nil || len(entries) != 0 {
				t.Errorf("entries %+v, error %v", entries, err)
			}
		})
	}
}

func TestPrune(t *testing.T) {
	r := newRepository(t)
	cache := gitcache.New(gitcache.Options{Folder: t.TempDir()})
	bindIn(t, cache, r)
	prune := func(unused time.Duration) bool {
		t.Helper()
		entries, err := cache.Prune(t.Context(), unused)
		if err != nil || len(entries) != 1 {
			t.Fatalf("entries %+v, error %v", entries, err)
		}
		return entries[0].Removed()
	}
	if prune(time.Hour) {
		t.Error("an entry that was just used is removed")
	}
	s, err := cache.Bind(t.Context(), r.url(), r.second, folders)
	if err != nil {
		t.Fatal(err)
	}
	if prune(0) {
		t.Error("an entry that is in use is removed")
	}
	if got, err := read(t, s, r.second, "components/a/b"); got != "two" || err != nil {
		t.Errorf("got %q, error %v", got, err)
	}
	entries, _ := cache.List(t.Context())
	s.Close()
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(entries[0].Folder(), "use.lock"), long, long); err != nil {
		t.Fatal(err)
	}
	if prune(3 * time.Hour) {
		t.Error("an entry that was used two hours ago is removed as unused for three")
	}
	if !prune(time.Hour) {
		t.Error("an entry that was used two hours ago is kept as used in the last")
	}
	bindIn(t, cache, r)
	if !prune(0) {
		t.Error("an entry that nobody uses is kept")
	}
}

// bindIn fetches a revision and lets go of it.
func bindIn(t *testing.T, cache *gitcache.Cache, r *repository) *gitcache.Source {
	t.Helper()
	s, err := cache.Bind(t.Context(), r.url(), r.second, folders)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	return s
}

// What a run already fetched is emptied as well when it turns out damaged later in that run.
func TestDamagedAfterFetch(t *testing.T) {
	r := newRepository(t)
	opts := gitcache.Options{Folder: t.TempDir()}
	s, err := gitcache.New(opts).Bind(t.Context(), r.url(), r.second, folders)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := s.Damaged()(t.Context()); err != nil {
		t.Fatal(err)
	}
	if entries, err := gitcache.New(opts).List(t.Context()); err != nil || len(entries) != 1 || len(entries[0].Revisions) != 0 {
		t.Errorf("entries %+v, error %v", entries, err)
	}
}

// A pack whose index a crash kept from coming is no damage, and goes with the next fetch.
func TestPackWithoutIndex(t *testing.T) {
	r := newRepository(t)
	opts := gitcache.Options{Folder: t.TempDir()}
	bind(t, opts, r.url(), r.third, "three", "")
	folder := onlyFolder(t, opts.Folder)
	stray := filepath.Join(folder, "objects", "pack", "pack-1111111111111111111111111111111111111111.pack")
	if err := os.WriteFile(stray, []byte("PACK"), 0o444); err != nil {
		t.Fatal(err)
	}
	entries, err := gitcache.New(opts).Check(t.Context(), folders, true)
	if err != nil || entries[0].Fault != nil {
		t.Errorf("entries %+v, error %v", entries[0], err)
	}
	bind(t, opts, r.url(), r.first, "one", "")
	if _, err := os.Lstat(stray); err == nil {
		t.Error("the pack is still there")
	}
}

// What is not compose's own stays, whatever its name.
func TestForeignFolders(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "0123456789abcdef0123456789abcdef01234567", "data")
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
	cache := gitcache.New(gitcache.Options{Folder: folder})
	if entries, err := cache.Prune(t.Context(), 0); err != nil || len(entries) != 0 {
		t.Errorf("entries %+v, error %v", entries, err)
	}
	if entries, err := cache.Check(t.Context(), folders, true); err != nil || len(entries) != 0 {
		t.Errorf("entries %+v, error %v", entries, err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}

// A tag that leads to a tree is no part of the history that is looked for.
func TestTagOfATree(t *testing.T) {
	r := newRepository(t)
	r.git("tag", "snapshot", string(r.side)+"^{tree}")
	opts := gitcache.Options{Folder: t.TempDir()}
	bind(t, opts, r.url(), r.fork, "", "REVISION_NOT_PUBLISHED") // everything was looked at
	bind(t, opts, r.url(), r.first, "one", "")
	entries, err := gitcache.New(opts).Check(t.Context(), folders, false)
	if err != nil || len(entries) != 1 || entries[0].Fault != nil {
		t.Errorf("entries %+v, error %v", entries[0], err)
	}
}
