package dropin_test

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// clone copies what git tracks or would track, as it is in the work tree, into a repository of its own with one commit.
func clone(t *testing.T, dir string) {
	t.Helper()
	command := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	command.Dir = checkout(t)
	list, err := command.Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		from, to := filepath.Join(checkout(t), name), filepath.Join(dir, name)
		info, err := os.Lstat(from)
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, and not yet committed
		}
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	identity := []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
	for _, words := range []string{"init -q", "add -A", "commit -q -m a"} {
		run(t, dir, identity, "git", strings.Fields(words)...).want(t, 0)
	}
}

// Two releases of one commit, from folders of different names and with different settings around them, are the same bytes.
func TestReleaseIsReproducible(t *testing.T) {
	needs(t, "bash", "git")
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if testing.Short() {
		t.Skip("builds compose twice")
	}
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "another", "place")
	var sums []string
	var program string
	clone(t, first)
	run(t, first, nil, "git", "clone", "-q", first, second).want(t, 0)
	for i, dir := range []string{first, second} {
		out := filepath.Join(t.TempDir(), "out")
		variables := [][]string{{"CGO_ENABLED=1", "GOFLAGS=-tags=x"}, {"CGO_ENABLED=0", "GOAMD64=v2"}}[i]
		run(t, t.TempDir(), variables, "bash", filepath.Join(dir, ".ci", "release"), out, platform).want(t, 0)
		list, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(list))
		programs, err := filepath.Glob(filepath.Join(out, "compose_*"))
		if err != nil || len(programs) != 1 {
			t.Fatalf("%q, %v", programs, err)
		}
		program = programs[0]
		b, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%x  %s\n", sha256.Sum256(b), filepath.Base(program)); string(list) != want {
			t.Errorf("SHA256SUMS holds %q, want %q", list, want)
		}
		for _, place := range []string{dir, os.Getenv("HOME")} {
			if len(place) > 1 && bytes.Contains(b, []byte(place+"/")) {
				t.Errorf("the program names %s", place)
			}
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("two builds differ:\n%s%s", sums[0], sums[1])
	}
	run(t, first, nil, program, "version", "--format", "json").want(t, 0, `"version"`)
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(run(t, second, nil, "git", "rev-parse", "HEAD").output)
	var stamped []string
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs.") {
			stamped = append(stamped, s.Key+"="+s.Value)
		}
	}
	if !slices.Contains(stamped, "vcs.revision="+head) || !slices.Contains(stamped, "vcs.modified=false") {
		t.Errorf("stamped %q, want %s", stamped, head)
	}
}
