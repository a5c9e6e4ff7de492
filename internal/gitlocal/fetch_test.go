package gitlocal_test

import (
	"context"
	"errors"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/gitlocal"
	"example.org/compose/internal/gitpack"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/gitwire"
	"github.com/go-git/go-git/v5/plumbing"
)

// filters are those of a request with git's names.
var filters = map[gitwire.Filter][]string{
	gitwire.AllObjects: nil,
	gitwire.NoBlobs:    {"--filter=blob:none"},
	gitwire.NoTrees:    {"--filter=tree:0"},
}

// sample has folders, a merge, tags of everything, a submodule, a symlink and an executable file. It is a copy of its
// own.
func sample(t testing.TB) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	original := filepath.Join(scratch, "sample")
	sampleOnce.Do(func() { buildSample(t, original) })
	if _, err := os.Stat(filepath.Join(original, ".git", "refs", "tags", "light")); err != nil {
		t.Fatal("the sample was not built")
	}
	r := &repository{t: t, path: filepath.Join(t.TempDir(), "repo"), date: 1_710_000_000}
	if err := os.CopyFS(r.path, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	return r
}

var sampleOnce sync.Once

func buildSample(t testing.TB, path string) {
	r := initRepository(t, path)
	first := r.commit("a/b/c.txt", "one\n")
	r.commit("a/d.txt", "two\n")
	r.git("checkout", "-q", "-b", "side", first)
	r.commit("other/e.txt", "three\n")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-edit", "side")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+first+",module")
	r.git("update-index", "--add", "--cacheinfo", "120000,"+r.gitWith("a", "hash-object", "-w", "--stdin")+",link")
	r.git("update-index", "--chmod=+x", "a/d.txt")
	r.git("commit", "-q", "-m", "more kinds")
	r.git("tag", "-a", "-m", "commit", "v1", first)
	r.git("tag", "-a", "-m", "tag", "v2", "v1")
	r.git("tag", "-a", "-m", "tree", "tree", "main:a")
	r.git("tag", "-a", "-m", "blob", "blob", "main:a/d.txt")
	r.git("tag", "light", "side")
}

func TestFetchAsGit(t *testing.T) {
	r := sample(t)
	remote := r.open()
	for _, wants := range [][]string{
		{"main"}, {"side"}, {"main", "side"}, {"v1"}, {"v2"}, {"tree"}, {"blob"}, {"main:"}, {"main:a"}, {"main:a/d.txt"},
		{"main:a/b", "main:other"}, {"side", "main:a/d.txt", "v2", "main:link"},
	} {
		ids := r.ids(wants...)
		for filter, args := range filters {
			got := mustFetch(t, remote, gitwire.Request{Wants: ids, Filter: filter})
			wantIDs(t, strings.Join(wants, " ")+" "+string(filter), got, r.revList(append(args, wants...)...))

			got = mustFetch(t, remote, gitwire.Request{Wants: ids, Filter: filter, Depth: 1})
			wantIDs(t, strings.Join(wants, " ")+" of depth 1 "+string(filter), got, r.revList(append(append(args, "--no-walk"), wants...)...))
		}
	}
}

// What is asked for by its id is given out, also where it is met on the way to something else, of which git says
// nothing.
func TestFetchByIDAndOnTheWay(t *testing.T) {
	r := sample(t)
	wants := r.ids("main", "main:a", "main:a/b", "main:a/b/c.txt")
	for filter := range filters {
		for _, order := range [][]plumbing.Hash{wants, {wants[3], wants[2], wants[1], wants[0]}} {
			got := mustFetch(t, r.open(), gitwire.Request{Wants: order, Filter: filter, Depth: 1})
			for _, id := range wants {
				if !slices.Contains(got, id.String()) {
					t.Errorf("%s: %s is not given out", filter, id)
				}
			}
		}
	}
}

// However histories branch, commits are those of git rev-list; of what the haves lead to nothing is given out.
func TestFetchHaves(t *testing.T) {
	for seed := range int64(4) {
		r := newRepository(t, "--bare")
		rng := rand.New(rand.NewSource(seed))
		commits := r.grow(rng, 40, 0)
		if seed%2 == 0 {
			r.git("repack", "-q", "-a", "-d")
		}
		remote := r.open()
		for range 8 {
			ask := gitwire.Request{}
			var args []string
			for range 1 + rng.Intn(2) {
				want := commits[rng.Intn(len(commits))]
				ask.Wants, args = append(ask.Wants, plumbing.NewHash(want)), append(args, want)
			}
			for range rng.Intn(3) {
				have := commits[rng.Intn(len(commits))]
				ask.Haves, args = append(ask.Haves, plumbing.NewHash(have)), append(args, "^"+have)
			}
			for filter, more := range filters {
				ask.Filter = filter
				wantIDs(t, strings.Join(args, " "), mustFetch(t, remote, ask), r.revList(append(more, args...)...))
			}
		}
	}
}

// Where clocks lie, more may be given out than has to be, and never less, nor anything else.
func TestFetchWithWrongClocks(t *testing.T) {
	for seed := range int64(4) {
		r := newRepository(t, "--bare")
		rng := rand.New(rand.NewSource(seed))
		commits := r.grow(rng, 40, 1000)
		remote := r.open()
		for range 10 {
			want, have := commits[rng.Intn(len(commits))], commits[rng.Intn(len(commits))]
			got := mustFetch(t, remote, gitwire.Request{Wants: []plumbing.Hash{plumbing.NewHash(want)}, Haves: []plumbing.Hash{plumbing.NewHash(have)}})
			all, known := r.revList(want), r.revList(have)
			for _, id := range all {
				if !slices.Contains(got, id) && !slices.Contains(known, id) {
					t.Errorf("seed %d, %s ^%s: %s is not given out", seed, want, have, id)
				}
			}
			for _, id := range got {
				if !slices.Contains(all, id) {
					t.Errorf("seed %d, %s ^%s: %s is given out", seed, want, have, id)
				}
			}
		}
	}
}

// Haves of other repositories are passed over; what is had is not given out, but for objects that are asked for by
// their id.
func TestFetchOddHaves(t *testing.T) {
	r := sample(t)
	remote := r.open()
	unknown := plumbing.NewHash("0123456789012345678901234567890123456789")
	odd := append(r.ids("main:a", "v1", "main:a/d.txt"), unknown)
	wantIDs(t, "odd haves", mustFetch(t, remote, gitwire.Request{Wants: r.ids("main"), Haves: odd}), r.revList("main"))
	wantIDs(t, "all is had", mustFetch(t, remote, gitwire.Request{Wants: r.ids("side"), Haves: r.ids("main")}), nil)
	wantIDs(t, "all is had, of depth 1", mustFetch(t, remote, gitwire.Request{Wants: r.ids("main"), Haves: r.ids("main"), Depth: 1}), nil)
	wantIDs(t, "by id", mustFetch(t, remote, gitwire.Request{Wants: r.ids("main:a"), Haves: r.ids("main")}), r.revList("main:a"))
	wantIDs(t, "a tag", mustFetch(t, remote, gitwire.Request{Wants: r.ids("v1"), Haves: r.ids("main")}), []string{r.git("rev-parse", "v1")})
}

// Replace refs and grafts change nothing.
func TestFetchIgnoresReplacements(t *testing.T) {
	r := sample(t)
	want := r.revList("main")
	r.git("replace", "main~1", "side")
	r.git("replace", "main:a/d.txt", r.gitWith("other", "hash-object", "-w", "--stdin"))
	r.write(".git/info/grafts", r.git("rev-parse", "main")+"\n")
	wantIDs(t, "main", mustFetch(t, r.open(), gitwire.Request{Wants: r.ids("main")}), want)
}

// A shallow clone gives out what it has, as a server does, also where a parent that it cuts off is there by chance.
func TestFetchShallow(t *testing.T) {
	full := sample(t)
	clone := full.at(filepath.Join(t.TempDir(), "shallow"))
	full.git("clone", "-q", "--depth=2", "file://"+full.path, clone.path)
	for _, depth := range []string{"2", "1"} { // with the second, the objects of the first stay
		clone.git("fetch", "-q", "--depth="+depth)
		remote := clone.open()
		for filter, args := range filters {
			wantIDs(t, "all", mustFetch(t, remote, gitwire.Request{Wants: clone.ids("HEAD"), Filter: filter}), clone.revList(append(args, "HEAD")...))
			wantIDs(t, "of depth 1", mustFetch(t, remote, gitwire.Request{Wants: clone.ids("HEAD"), Filter: filter, Depth: 1}),
				full.revList(append(args, "--no-walk", "main")...))
		}
		if depth == "2" { // what is had up to the boundary is enough
			wantIDs(t, "with a have", mustFetch(t, remote, gitwire.Request{Wants: clone.ids("HEAD"), Haves: full.ids("main~1")}), full.revList("main", "^main~1"))
		}
		wantIDs(t, "with one before it", mustFetch(t, remote, gitwire.Request{Wants: clone.ids("HEAD"), Haves: full.ids("v1^{}")}), clone.revList("HEAD"))
		_, err := fetch(t, remote, gitwire.Request{Wants: full.ids("v1^{}"), Filter: gitwire.NoTrees})
		wantCode(t, err, gitlocal.CodeInvalidRevision, full.git("rev-parse", "v1^{}"))
	}
}

// Files of a tree that was given out without them, and which are not there themselves, are no slip of who asks: the
// repository is damaged, or a partial clone, and the error says how to get the rest.
func TestFetchFilesThatAreMissing(t *testing.T) {
	full := sample(t)
	full.git("config", "uploadpack.allowFilter", "true")
	blob := full.ids("main:a/b/c.txt") // no tag leads to it
	partial := full.at(filepath.Join(t.TempDir(), "it's partial"))
	full.git("clone", "-q", "--bare", "--filter=blob:none", "file://"+full.path, partial.path)
	damaged := sample(t)
	if err := os.Remove(damaged.loose("main:a/b/c.txt")); err != nil {
		t.Fatal(err)
	}
	for r, says := range map[*repository]string{
		partial: `git -C '` + strings.ReplaceAll(partial.path, "'", `'\''`) + `' fetch --refetch --no-filter`,
		damaged: "fsck --full",
	} {
		remote := r.open()
		_, err := fetch(t, remote, gitwire.Request{Wants: blob})
		wantCode(t, err, gitlocal.CodeInvalidRevision, blob[0].String()) // any id could have been asked for
		mustFetch(t, remote, gitwire.Request{Wants: full.ids("main"), Filter: gitwire.NoBlobs, Depth: 1})
		_, err = fetch(t, remote, gitwire.Request{Wants: blob})
		wantCode(t, err, gitrepo.CodeReadFailed, blob[0].String())
		wantCode(t, err, gitrepo.CodeReadFailed, says)
	}
}

// The forms that a repository on disk may have are all read.
func TestFetchForms(t *testing.T) {
	r := sample(t)
	want := r.revList("main")
	ask := gitwire.Request{Wants: r.ids("main")}
	r.git("worktree", "add", "-q", "../tree", "side")
	r.git("clone", "-q", "--bare", r.path, "../bare")
	r.git("clone", "-q", "--shared", "--bare", r.path, "../shared")
	for _, path := range []string{".", ".git", "../tree", "../bare", "../shared"} {
		wantIDs(t, path, mustFetch(t, r.at(filepath.Join(r.path, path)).open(), ask), want)
	}
	r.git("clone", "-q", "--bare", r.path, "../suffix.git")
	wantIDs(t, "suffix", mustFetch(t, r.at(filepath.Join(r.path, "../suffix")).open(), ask), want)
	r.git("gc", "-q")
	wantIDs(t, "packed", mustFetch(t, r.open(), ask), want)
}

func TestFetchRefuses(t *testing.T) {
	r := sample(t)
	remote := r.open()
	unknown := plumbing.NewHash("0123456789012345678901234567890123456789")
	_, err := fetch(t, remote, gitwire.Request{Wants: append(r.ids("main"), unknown)})
	wantCode(t, err, gitlocal.CodeInvalidRevision, unknown.String())
	if _, err := fetch(t, remote, gitwire.Request{Wants: r.ids("main"), Depth: 2}); err == nil {
		t.Error("depth 2 is taken")
	}
	if _, err := fetch(t, remote, gitwire.Request{Wants: r.ids("main"), Filter: "blob:limit=1k"}); err == nil {
		t.Error("a filter that is none is taken")
	}

	tag := r.gitWith("object "+unknown.String()+"\ntype commit\ntag x\ntagger C <c@example.org> 1 +0000\n\nx\n", "hash-object", "-t", "tag", "-w", "--stdin", "--literally")
	_, err = fetch(t, remote, gitwire.Request{Wants: []plumbing.Hash{plumbing.NewHash(tag)}})
	wantCode(t, err, gitlocal.CodeInvalidRevision, tag)

	_, err = gitlocal.Open(context.Background(), filepath.Join(r.path, "nowhere"))
	wantCode(t, err, gitrepo.CodeInvalidSource, "no such folder")
}

// loose is the file of a loose object.
func (r *repository) loose(revision string) string {
	id := r.git("rev-parse", revision)
	return r.file(".git/objects/" + id[:2] + "/" + id[2:])
}

// What is missing or damaged ends the pack, and the error is that of the object.
func TestFetchDamaged(t *testing.T) {
	ask := gitwire.Request{Wants: sample(t).ids("main", "v1")}
	for _, revision := range []string{"main:a/d.txt", "main:a", "main~1", "main", "v1"} {
		for _, how := range []string{"missing", "other bytes", "cut off"} {
			r := sample(t)
			id, path := r.git("rev-parse", revision), r.loose(revision)
			other, err := os.ReadFile(r.loose("side:other/e.txt"))
			if err == nil {
				err = os.Remove(path)
			}
			switch {
			case err == nil && how == "other bytes":
				err = os.WriteFile(path, other, 0o600)
			case err == nil && how == "cut off":
				err = os.WriteFile(path, other[:2], 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			code := gitrepo.CodeReadFailed
			if how == "missing" && (revision == "main" || revision == "v1") {
				code = gitlocal.CodeInvalidRevision
			}
			_, err = fetch(t, r.open(), ask)
			wantCode(t, err, code, id)
		}
	}
}

// A pack goes into gitpack and out of gitrepo; what is wrong with the source is not what is wrong with the pack.
func TestFetchIntoPack(t *testing.T) {
	r := sample(t)
	into := newRepository(t, "--bare")
	receive := func(pack io.Reader) error {
		_, err := gitpack.Receive(context.Background(), into.file("objects/pack"), pack, gitpack.Limits{}, nil)
		return err
	}
	ask := gitwire.Request{Wants: r.ids("main")}
	if err := r.open().Fetch(context.Background(), ask, receive); err != nil {
		t.Fatal(err)
	}
	got, err := gitrepo.Open(into.path)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	for _, id := range r.revList("main") {
		if _, _, err := got.ReadObject(context.Background(), plumbing.NewHash(id), 1<<20); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(r.loose("main:a/d.txt")); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.open().Fetch(context.Background(), ask, receive), gitrepo.CodeReadFailed, r.ids("main:a/d.txt")[0].String())
}

// An error of the reader ends the fetch; so does one that reads no further.
func TestFetchReaderEnds(t *testing.T) {
	r := sample(t)
	r.commit("large", strings.Repeat("much text\n", 1<<20))
	remote := r.open()
	own := errors.New("own")
	for _, n := range []int64{0, 1, 100} {
		for _, want := range []error{own, nil} {
			err := remote.Fetch(context.Background(), gitwire.Request{Wants: r.ids("main")}, func(pack io.Reader) error {
				if _, err := io.CopyN(io.Discard, pack, n); err != nil {
					t.Error(err)
				}
				return want
			})
			if err != want {
				t.Errorf("after %d bytes: got %v, want %v", n, err, want)
			}
		}
	}
	// The next one is not disturbed.
	wantIDs(t, "main", mustFetch(t, remote, gitwire.Request{Wants: r.ids("main")}), r.revList("main"))
}

func TestFetchEndsWithContext(t *testing.T) {
	r := sample(t)
	remote := r.open()
	ctx, cancel := context.WithCancel(context.Background())
	err := remote.Fetch(ctx, gitwire.Request{Wants: r.ids("main")}, func(pack io.Reader) error {
		cancel()
		_, err := io.Copy(io.Discard, pack)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := remote.Fetch(ctx, gitwire.Request{Wants: r.ids("main")}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := remote.Refs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := gitlocal.Open(ctx, r.path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A tree that git would not write is given out all the same, as git does; who reads it decides.
func TestFetchOddTrees(t *testing.T) {
	r := newRepository(t)
	blob := plumbing.NewHash(r.gitWith("x", "hash-object", "-w", "--stdin"))
	tree := r.gitWith("100644 b\x00"+string(blob[:])+"0100664 a\x00"+string(blob[:]), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
	wantIDs(t, "out of order", mustFetch(t, r.open(), gitwire.Request{Wants: []plumbing.Hash{plumbing.NewHash(tree)}}),
		slices.Sorted(slices.Values([]string{tree, blob.String()})))
	for _, content := range []string{"100644", "100644 a", "100644 a\x00short", "9 a\x00" + string(blob[:]), "77777777777 a\x00" + string(blob[:])} {
		tree := r.gitWith(content, "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
		_, err := fetch(t, r.open(), gitwire.Request{Wants: []plumbing.Hash{plumbing.NewHash(tree)}})
		wantCode(t, err, gitrepo.CodeReadFailed, tree)
	}
}
