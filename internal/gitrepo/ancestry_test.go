package gitrepo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
)

func seeds(t *testing.T) int {
	if *full {
		return 4
	}
	return 1
}

// The test's own idea of an ancestor is that of git.
func TestIsAncestorModel(t *testing.T) {
	t.Parallel()
	h := newHistory(t, rand.New(rand.NewSource(1)), 40)
	for of, id := range h.ids {
		reached := h.run("rev-list", id)
		for old := range h.ids {
			if want := h.want(old, of, nil, nil); (want == yes) != strings.Contains(reached, h.ids[old]) {
				t.Fatalf("%d, %d: %s, and git:\n%s", old, of, want, reached)
			}
		}
	}
}

// Random histories, in every way to store them.
func TestIsAncestorStored(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t) {
		rng := rand.New(rand.NewSource(int64(seed)))
		h := newHistory(t, rng, 24)
		whole := func() { t.Helper(); h.compare(h.path, nil, nil, false) }
		whole() // one pack, as fast-import writes it
		h.run("repack", "-adqf")
		whole()

		// Replace refs and grafts change nothing. git does not use its commit-graph then.
		h.run("replace", h.ids[20], h.ids[2])
		h.write(".git/info/grafts", h.ids[22]+" "+h.ids[0]+"\n"+h.ids[18]+"\n")
		whole()
		h.run("replace", "-d", h.ids[20])
		h.must(os.Remove(h.file(".git/info/grafts")))

		for _, version := range []string{"1", "2"} {
			h.run("-c", "commitGraph.generationVersion="+version, "commit-graph", "write", "--reachable")
			h.mustHaveGraph()
			whole()
			h.must(os.Remove(h.file(".git/objects/info/commit-graph")))
		}
		// A graph of a part of the history, and a chain of layers.
		for _, last := range []int{9, 15, 20} {
			cmd := h.command("commit-graph", "write", "--stdin-commits", "--split=no-merge", fmt.Sprintf("--max-commits=%d", rng.Intn(24)))
			cmd.Stdin = strings.NewReader(h.ids[last] + "\n" + h.ids[last-1] + "\n")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			h.mustHaveGraph()
			whole()
		}
		h.unpack()
		whole()
		h.must(os.RemoveAll(h.file(".git/objects/info/commit-graphs")))
		whole()

		// Alternates, with the graph there and with a layer of its own above it.
		h.run("commit-graph", "write", "--reachable")
		other := h.at("shared")
		h.run("clone", "-q", "--shared", "--no-checkout", h.path, other.path)
		h.compare(other.path, nil, nil, false)
		h.must(os.Remove(h.file(".git/objects/info/commit-graph")))
		for _, repo := range []*gitRepo{h.gitRepo, other} {
			cmd := repo.command("commit-graph", "write", "--stdin-commits", "--split=no-merge")
			cmd.Stdin = strings.NewReader(h.ids[map[bool]int{true: 14, false: 23}[repo == h.gitRepo]] + "\n")
			repo.must(cmd.Run())
		}
		h.compare(other.path, nil, nil, false)
	}
}

func (h *history) mustHaveGraph() {
	h.t.Helper()
	r := mustOpen(h.t, h.path)
	defer r.Close()
	if commits, leveled := r.CommitGraph(); commits == 0 || !leveled {
		h.t.Fatalf("the commit-graph has %d commits, levels %v", commits, leveled)
	}
}

// Shallow clones of every depth say "no" only where what they hold is enough.
func TestIsAncestorShallow(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t) {
		h := newHistory(t, rand.New(rand.NewSource(100+int64(seed))), 18)
		for depth := 1; depth < 9; depth++ {
			if !*full && depth != 1 && depth != 4 && depth != 6 {
				continue
			}
			clone := h.at(fmt.Sprintf("depth-%d", depth))
			// Either every branch, or one alone, so that commits are missing.
			branches := []string{"--single-branch", "--no-single-branch"}[depth%2]
			h.run("clone", "-q", "--no-checkout", branches, "--branch=c17", fmt.Sprintf("--depth=%d", depth), "file://"+h.path, clone.path)
			h.compare(clone.path, h.missingIn(clone), h.boundaryOf(clone), false)
			if depth == 4 {
				linked := h.at("linked")
				clone.run("worktree", "add", "-q", "--no-checkout", "--detach", linked.path)
				h.compare(linked.path, h.missingIn(clone), h.boundaryOf(clone), false)
				clone.run("worktree", "remove", "--force", linked.path)
				if len(h.boundaryOf(clone)) > 0 {
					clone.run("fetch", "-q", "--unshallow")
				}
				h.compare(clone.path, h.missingIn(clone), nil, false)
			}
		}
		// A boundary whose parents are stored all the same is one.
		h.run("commit-graph", "write", "--reachable")
		h.write(".git/shallow", h.ids[16]+"\n"+h.ids[12]+"\n"+h.ids[7]+"\n")
		h.compare(h.path, nil, h.boundaryOf(h.gitRepo), false)
	}
}

func (h *history) missingIn(g *gitRepo) map[int]bool {
	cmd := g.command("cat-file", "--batch-check")
	cmd.Stdin = strings.NewReader(strings.Join(h.ids, "\n") + "\n")
	out, err := cmd.Output()
	h.must(err)
	missing := map[int]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if strings.HasSuffix(line, " missing") {
			missing[i] = true
		}
	}
	return missing
}

func (h *history) boundaryOf(g *gitRepo) map[int]bool {
	text, err := os.ReadFile(g.file(".git/shallow"))
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	boundary := map[int]bool{}
	for i, id := range h.ids {
		if strings.Contains(string(text), id) {
			boundary[i] = true
		}
	}
	return boundary
}

// Commits that are gone lead to no wrong answer, with a commit-graph and without.
func TestIsAncestorMissing(t *testing.T) {
	t.Parallel()
	for seed := range 2 * seeds(t) {
		rng := rand.New(rand.NewSource(200 + int64(seed)))
		h := newHistory(t, rng, 18)
		h.unpack()
		graph := seed%2 == 1
		if graph {
			cmd := h.command("commit-graph", "write", "--stdin-commits")
			cmd.Stdin = strings.NewReader(h.ids[6+rng.Intn(12)] + "\n")
			h.must(cmd.Run())
		}
		missing := map[int]bool{}
		for range 5 {
			i := rng.Intn(len(h.ids))
			if !missing[i] {
				h.must(os.Remove(h.object(i)))
			}
			missing[i] = true
			h.compare(h.path, missing, nil, graph)
		}
	}
}

// A damaged commit is an error of its own where the answer depends on it.
func TestIsAncestorDamaged(t *testing.T) {
	t.Parallel()
	g := newGit(t)
	ids := []string{g.commit("0"), g.commit("1"), g.commit("2"), g.commit("3")}
	path := g.file(".git/objects/" + ids[1][:2] + "/" + ids[1][2:])
	other, err := os.ReadFile(g.file(".git/objects/" + ids[2][:2] + "/" + ids[2][2:]))
	g.must(err)
	g.must(os.Chmod(path, 0o644))
	g.must(os.WriteFile(path, other, 0o644))
	r := mustOpen(t, g.path)
	if got, err := answer(r, ids[2], ids[3]); got != yes {
		t.Error(err)
	}
	_, err = r.IsAncestor(context.Background(), lockv2.Revision(ids[0]), lockv2.Revision(ids[3]))
	if text := wantCode(t, err, gitrepo.CodeReadFailed); !strings.Contains(text, ids[1]) {
		t.Error(text)
	}
}

func TestIsAncestorRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g := newGit(t)
	g.write("f", "text\n")
	first := g.commit("first")
	second := g.commit("second")
	g.run("tag", "-a", "-m", "t", "v1")
	absent := strings.Repeat("ab", 20)
	r := mustOpen(t, g.path)
	tests := []struct {
		name, old, of, code, says string
	}{
		{"old missing", absent, second, gitrepo.CodeOldSourceRevisionUnavailable, "git -C"},
		{"old a tag", g.run("rev-parse", "v1"), second, gitrepo.CodeOldSourceRevisionUnavailable, "is the id of a tag"},
		{"old a tree", g.run("rev-parse", "HEAD^{tree}"), second, gitrepo.CodeOldSourceRevisionUnavailable, "is the id of a tree"},
		{"old a blob", g.run("rev-parse", "HEAD:f"), second, gitrepo.CodeOldSourceRevisionUnavailable, "is the id of a blob"},
		{"old no id", "main", second, gitrepo.CodeOldSourceRevisionUnavailable, "no revision"},
		{"old zero", strings.Repeat("0", 40), second, gitrepo.CodeOldSourceRevisionUnavailable, "no revision"},
		{"bound missing", first, absent, gitrepo.CodeInvalidRevision, "no such commit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := r.IsAncestor(ctx, lockv2.Revision(test.old), lockv2.Revision(test.of))
			if text := wantCode(t, err, test.code); !strings.Contains(text, test.says) {
				t.Errorf("%s\ndoes not say %q", text, test.says)
			}
		})
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.IsAncestor(ended, lockv2.Revision(first), lockv2.Revision(second)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context ended", err)
	}

	// How to deepen is said where the old revision is missing and where the history ends too early.
	other := g.commit("third")
	clone := g.at("clone")
	g.run("clone", "-q", "--depth=1", "file://"+g.path, clone.path)
	shallow := mustOpen(t, clone.path)
	_, err := shallow.IsAncestor(ctx, lockv2.Revision(first), lockv2.Revision(other))
	if text := wantCode(t, err, gitrepo.CodeOldSourceRevisionUnavailable); !strings.Contains(text, "shallow clone") || !strings.Contains(text, "git -C "+clone.path+" fetch --unshallow") {
		t.Error(text)
	}
	clone.run("fetch", "-q", "--depth=1", "origin", first)
	_, err = shallow.IsAncestor(ctx, lockv2.Revision(first), lockv2.Revision(other))
	if text := wantCode(t, err, gitrepo.CodeOldSourceRevisionUnavailable); !strings.Contains(text, "whose history ends at "+other) || !strings.Contains(text, "fetch --unshallow") {
		t.Error(text)
	}
	clone.run("fetch", "-q", "--unshallow")
	if ok, err := shallow.IsAncestor(ctx, lockv2.Revision(first), lockv2.Revision(other)); !ok {
		t.Errorf("after --unshallow: %v", err)
	}
	clone.write(".git/shallow", "not an id\n")
	_, err = shallow.IsAncestor(ctx, lockv2.Revision(first), lockv2.Revision(other))
	wantCode(t, err, gitrepo.CodeReadFailed)
}

func TestIsAncestorInMemory(t *testing.T) {
	t.Parallel()
	s := memory.NewStorage()
	add := func(parents ...plumbing.Hash) plumbing.Hash {
		content := "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
		for _, parent := range parents {
			content += "parent " + parent.String() + "\n"
		}
		return put(t, s, plumbing.CommitObject, content+"author A <a@example.org> 0 +0000\ncommitter A <a@example.org> 0 +0000\n\nx\n")
	}
	first := add()
	second := add(first)
	lost := add(plumbing.NewHash(strings.Repeat("ab", 20)))
	r := gitrepo.InMemory(s, lockv2.Revision(second.String()))
	for _, test := range []struct {
		old, of plumbing.Hash
		want    verdict
	}{{first, second, yes}, {second, first, no}, {first, lost, unknown}, {lost, second, no}, {plumbing.NewHash(strings.Repeat("ab", 20)), second, unknown}} {
		if got, err := answer(r, test.old.String(), test.of.String()); got != test.want {
			t.Errorf("%s, %s: got %s (%v), want %s", test.old, test.of, got, err, test.want)
		}
	}
}

// A commit-graph with any byte changed changes no answer.
func TestIsAncestorBrokenGraph(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(5))
	h := newHistory(t, rng, 20)
	h.run("commit-graph", "write", "--reachable")
	path := h.file(".git/objects/info/commit-graph")
	graph, err := os.ReadFile(path)
	h.must(err)
	h.must(os.Chmod(path, 0o644))
	r := mustOpen(t, h.path)
	step := 30
	if *full {
		step = 3
	}
	for at := 0; at < len(graph); at += 1 + rng.Intn(step) {
		broken := append([]byte(nil), graph...)
		broken[at] ^= 1 << rng.Intn(8)
		if rng.Intn(10) == 0 {
			broken = broken[:at]
		}
		h.must(os.WriteFile(path, broken, 0o644))
		for range 3 {
			old, of := rng.Intn(20), rng.Intn(20)
			if got, err := answer(r, h.ids[old], h.ids[of]); got != h.want(old, of, nil, nil) {
				t.Fatalf("byte %d: %d, %d: got %s, %v", at, old, of, got, err)
			}
		}
	}

	// A chain stands on its sound layers.
	h.must(os.Remove(path))
	for _, last := range []int{8, 13, 19} {
		cmd := h.command("commit-graph", "write", "--stdin-commits", "--split=no-merge")
		cmd.Stdin = strings.NewReader(h.ids[last] + "\n")
		h.must(cmd.Run())
	}
	layers, err := os.ReadFile(h.file(".git/objects/info/commit-graphs/commit-graph-chain"))
	h.must(err)
	names := strings.Fields(string(layers))
	before, _ := r.CommitGraph()
	for i := len(names) - 1; i >= 0; i-- {
		h.must(os.Remove(filepath.Join(h.file(".git/objects/info/commit-graphs"), "graph-"+names[i]+".graph")))
		commits, _ := r.CommitGraph()
		if commits >= before || i > 0 && commits == 0 {
			t.Errorf("%d commits with %d layers, and %d with one less", before, i+1, commits)
		}
		before = commits
		h.compare(h.path, nil, nil, false)
	}
}
