package gitrepo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
)

// history is a repository with a random history and what is known of it. Commits are numbered from 0; parents have
// smaller numbers.
type history struct {
	*gitRepo
	ids     []string
	parents [][]int
}

// newHistory makes n commits: lines, merges of up to six parents, several roots, and dates that lie.
func newHistory(t testing.TB, rng *rand.Rand, n int) *history {
	h := &history{gitRepo: newGit(t), parents: make([][]int, n)}
	var in bytes.Buffer
	fmt.Fprintf(&in, "feature done\n")
	for i := range n {
		for range []int{1, 1, 1, 1, 2, 2, 3, 6, 0}[rng.Intn(9)] {
			if i == 0 {
				break
			}
			parent := rng.Intn(i)
			if rng.Intn(3) > 0 {
				parent = max(0, i-1-rng.Intn(4))
			}
			if !slices.Contains(h.parents[i], parent) {
				h.parents[i] = append(h.parents[i], parent)
			}
		}
		date := 1_000_000_000 + 100*i
		switch rng.Intn(6) {
		case 0:
			date = rng.Intn(2_000_000_000)
		case 1:
			date = 1_000_000_000
		}
		fmt.Fprintf(&in, "reset refs/heads/c%d\ncommit refs/heads/c%d\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata <<.\ncommit %d\n.\n",
			i, i, i+1, date, i)
		for k, parent := range h.parents[i] {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(k, 1)], parent+1)
		}
		fmt.Fprintf(&in, "\n")
	}
	fmt.Fprintf(&in, "done\n")
	cmd := h.command("fast-import", "--quiet", "--export-marks=marks")
	cmd.Stdin = &in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v\n%s", err, out)
	}
	marks, err := os.ReadFile(h.file("marks"))
	h.must(err)
	h.ids = make([]string, n)
	for line := range strings.Lines(string(marks)) {
		mark, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		i, err := strconv.Atoi(mark[1:])
		h.must(err)
		h.ids[i-1] = id
	}
	return h
}

// unpack makes every object a file.
func (h *history) unpack() {
	h.t.Helper()
	packs, err := filepath.Glob(h.file(".git/objects/pack/*.pack"))
	h.must(err)
	for _, pack := range packs {
		content, err := os.ReadFile(pack)
		h.must(err)
		for _, kept := range []string{".pack", ".idx", ".rev"} {
			if err := os.Remove(strings.TrimSuffix(pack, ".pack") + kept); err != nil && !os.IsNotExist(err) {
				h.t.Fatal(err)
			}
		}
		cmd := h.command("unpack-objects", "-q")
		cmd.Stdin = bytes.NewReader(content)
		h.must(cmd.Run())
	}
}

func (h *history) object(i int) string {
	return h.file(".git/objects/" + h.ids[i][:2] + "/" + h.ids[i][2:])
}

// closure returns the commits that are reached from one through parents that are known, itself included.
func (h *history) closure(from int, cut map[int]bool) map[int]bool {
	reached := map[int]bool{from: true}
	stack := []int{from}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if cut[i] {
			continue
		}
		for _, parent := range h.parents[i] {
			if !reached[parent] {
				reached[parent] = true
				stack = append(stack, parent)
			}
		}
	}
	return reached
}

type verdict string

const (
	yes     verdict = "yes"
	no      verdict = "no"
	unknown verdict = "unavailable"
)

// want is the answer for two commits, where the parents of some commits are not known and some are not there.
func (h *history) want(old, of int, missing, boundary map[int]bool) verdict {
	if old == of {
		return yes
	}
	cut := map[int]bool{}
	for i := range missing {
		cut[i] = true
	}
	for i := range boundary {
		cut[i] = len(h.parents[i]) > 0
	}
	mine, theirs := h.closure(of, cut), h.closure(old, cut)
	switch {
	case missing[old]:
		return unknown
	case mine[old]:
		return yes
	case theirs[of]:
		return no
	}
	for i := range mine {
		if cut[i] && !theirs[i] {
			return unknown
		}
	}
	return no
}

func answer(r *gitrepo.Repository, old, of string) (verdict, error) {
	ok, err := r.IsAncestor(context.Background(), lockv2.Revision(old), lockv2.Revision(of))
	var e *gitrepo.Error
	switch {
	case err == nil && ok:
		return yes, nil
	case err == nil:
		return no, nil
	case !ok && errors.As(err, &e) && e.Code() == gitrepo.CodeOldSourceRevisionUnavailable:
		return unknown, err
	}
	return verdict(fmt.Sprintf("%v, %v", ok, err)), err
}

// compare holds pairs of commits against what is wanted: every one, a third in a short run. Where a commit-graph may know more than the objects
// do, the truth of the whole history is allowed too.
func (h *history) compare(path string, missing, boundary map[int]bool, graph bool) {
	h.t.Helper()
	r := mustOpen(h.t, path)
	defer r.Close()
	for of := range h.ids {
		if missing[of] {
			continue
		}
		for old := range h.ids {
			if testing.Short() && (old+2*of)%3 != 0 {
				continue
			}
			got, _ := answer(r, h.ids[old], h.ids[of])
			want := h.want(old, of, missing, boundary)
			if got == want || graph && want == unknown && !missing[old] && got == h.want(old, of, nil, nil) {
				continue
			}
			h.t.Errorf("%s: is %d an ancestor of %d: got %s, want %s (parents %v, missing %v, boundary %v)",
				filepath.Base(path), old, of, got, want, h.parents, missing, boundary)
			return
		}
	}
}
