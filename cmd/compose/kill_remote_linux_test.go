package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/gitserver"
	"example.org/compose/lockv2"
	"github.com/rogpeppe/go-internal/txtar"
)

// remoteCatalog makes a repository with two revisions of the catalog of the remote scripts, and returns its file URL.
func remoteCatalog(t *testing.T) (url, one, two string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "remote", "lifecycle_file.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(t.TempDir(), "templates")
	for _, f := range archive.Files {
		name, ok := strings.CutPrefix(f.Name, "work/")
		if !ok {
			continue
		}
		at := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	gitserver.Git(t, repo, "init", "--quiet", "--initial-branch=main")
	commit := func() string {
		gitserver.Git(t, repo, "add", "--all")
		gitserver.Git(t, repo, "commit", "--quiet", "--message=catalog")
		return gitserver.Git(t, repo, "rev-parse", "HEAD")
	}
	one = commit()
	if err := os.WriteFile(filepath.Join(repo, "partials", "foot.md"), []byte("new foot\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + repo, one, commit()
}

// The program is killed at its calls while it fetches; whatever the cache is then, the same command comes to the same answer.
func TestKilledFetching(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program many times")
	}
	url, one, two := remoteCatalog(t)
	apply := func(revision, cache string, more ...string) []string {
		return append([]string{"apply", "--format", "json", "--source", url, "--revision", revision, "--cache", cache}, more...)
	}
	plan := func(cache string) []string {
		return []string{"plan", "--format", "json", "--mode", "update", "--source", url, "--revision", two, "--cache", cache}
	}
	target := filepath.Join(t.TempDir(), "target")
	if exit, out := compose(apply(one, t.TempDir(), "--recipe", "app"), target); exit != 0 {
		t.Fatal(out)
	}
	exit, want := compose(plan(t.TempDir()), target)
	if exit != 0 {
		t.Fatal(want)
	}
	step := 3
	if *killEverywhere {
		step = 1
	}
	kills := 0
	for n := 1; ; n += step {
		cache := filepath.Join(t.TempDir(), "cache")
		killed := traced(t, n, plan(cache), target)
		if !killed.killed {
			break
		}
		kills++
		if exit, out := compose(plan(cache), target); exit != 0 || out != want {
			t.Fatalf("killed at call %d (%s): the same command: %s", n, killed.last, out)
		}
		if exit, out := compose(append(plan(cache), "--offline"), target); exit != 0 || out != want {
			t.Fatalf("killed at call %d (%s): without a network: %s", n, killed.last, out)
		}
		if exit, out := answerOf("cache", "check", "--cache", cache); exit != 0 {
			t.Fatalf("killed at call %d (%s): the cache: %s", n, killed.last, out)
		}
	}
	t.Logf("killed at %d calls", kills)
	// Three packs, each with its index, and what says that they are whole.
	if kills*step < 3*5 {
		t.Errorf("killed at %d calls, which are too few for what is written", kills)
	}
}

// An interrupted update from a URL is finished at the marker's revision, which is not given again.
func TestKilledUpdateFromURL(t *testing.T) {
	url, one, two := remoteCatalog(t)
	cache := t.TempDir()
	target := filepath.Join(t.TempDir(), "target")
	flags := []string{"--format", "json", "--source", url, "--cache", cache}
	if exit, out := compose(append([]string{"apply", "--recipe", "app", "--revision", one}, flags...), target); exit != 0 {
		t.Fatal(out)
	}
	// With all that is needed in the cache, each run makes the calls that the one before made.
	if exit, out := compose(append([]string{"plan", "--mode", "update", "--revision", two}, flags...), target); exit != 0 {
		t.Fatal(out)
	}
	update := append([]string{"apply", "--mode", "update"}, flags...)
	for n := 1; ; n++ {
		if trace := traced(t, n, append(update, "--revision", two), target); !trace.killed {
			t.Fatal("the update was never killed while its marker was there")
		}
		if _, err := os.Lstat(filepath.Join(target, lockv2.MarkerPath)); err == nil {
			break
		}
	}
	if exit, out := compose(append(update, "--revision", one), target); exit != exitRefused || outcome(out) != codeRecoverySource {
		t.Fatalf("at another revision: %s", out)
	}
	if exit, out := compose(update, target); exit != 0 || outcome(out) != "recovered" {
		t.Fatal(out)
	}
	if exit, out := compose([]string{"validate", "--format", "json"}, target); exit != 0 {
		t.Fatal(out)
	}
}

// answerOf runs a command that has no target in this process.
func answerOf(args ...string) (exit int, out string) {
	var stdout, stderr strings.Builder
	exit = run(args, &stdout, &stderr)
	return exit, stdout.String() + stderr.String()
}
