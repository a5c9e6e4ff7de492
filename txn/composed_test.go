package txn

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// shared is a catalog of three composed materials, one of them a seed, and two that are copied; what a partial says is all that
// its revisions differ in.
func shared(foot string) catalogtest.Files {
	const text = "# Guide\n@<partials/head.md>\nend\n"
	files := catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Materials: []catalogtest.Material{{Destination: "plain.md", Content: text}}},
			{ID: "capability.guide", Materials: []catalogtest.Material{
				{Destination: "guide.md", Compose: "include-v1", Content: text},
				{Destination: "deep/run", Compose: "include-v1", Content: "@<partials/foot.md>\n@<partials/foot.md>\n", Executable: true},
				{Destination: "alone.md", Compose: "include-v1", Content: "alone\n"},
				{Destination: "seed.md", Compose: "include-v1", Ownership: "seed", Content: text},
			}},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Default: []string{"capability.guide"}}},
	}.Files()
	return files.Set("partials/head.md", "head\n@<foot.md>\n").Set("partials/foot.md", foot)
}

// newShared is an update in which nothing but a partial changes, and compositions of later revisions.
func newShared(t *testing.T, later ...string) (*lifecycle, []*planner.Composition) {
	t.Helper()
	cfg, err := resolver.FromSelection("app", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	repo := catalogtest.Repository(t)
	var made []*planner.Composition
	for _, foot := range append([]string{"foot 1\n", "foot 2\n"}, later...) {
		cat, err := catalog.Load(t.Context(), repo.Source(repo.Commit(shared(foot))))
		if err != nil {
			t.Fatal(err)
		}
		comp, err := planner.Materialize(t.Context(), cat, "example/catalog", cfg)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, comp)
	}
	l := &lifecycle{before: made[0], after: made[1], op: planner.Update, dir: filepath.Join(memoryDir(t), "target")}
	compose(t, l.dir, l.before)
	l.start = tree(t, l.dir)
	dir := l.copy(t)
	defer os.RemoveAll(dir)
	if _, err := l.reconcile(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	l.want = tree(t, dir)
	for path, text := range map[string]string{
		"guide.md": "-rw-r--r-- # Guide\nhead\nfoot 2\nend\n", "deep/run": "-rwxr-xr-x foot 2\nfoot 2\n", "seed.md": "-rw-r--r-- # Guide\nhead\nfoot 1\nend\n",
		"plain.md": "-rw-r--r-- # Guide\n@<partials/head.md>\nend\n", "alone.md": "-rw-r--r-- alone\n", lockv2.MarkerPath: "", lockv2.StagingFolder: ""} {
		if l.want[path] != text {
			t.Fatalf("after an update %s is %q, want %q", path, l.want[path], text)
		}
	}
	return l, made[2:]
}

// A process that ends at any call of an update of composed materials is finished by the same command, which expands them anew.
func TestComposedStoppedAtEveryCall(t *testing.T) {
	l, _ := newShared(t)
	for name, kind := range kinds() {
		t.Run(name, func(t *testing.T) {
			marked := 0
			for k, ended := 1, false; !ended; k++ {
				dir := l.copy(t)
				when := fmt.Sprintf("after a stop at call %d", k)
				result, err := l.reconcile(t.Context(), dir, kind.stopAt(k))
				if ended = err == nil; ended && len(result.Replaced) != 2 {
					t.Fatalf("got %+v", result)
				}
				if now := tree(t, dir); now[lockv2.MarkerPath] != "" {
					marked++
				} else if now[lockv2.LockPath] == l.start[lockv2.LockPath] {
					sameTree(t, without(now, lockv2.StagingFolder), l.start, when)
				}
				l.finishes(t, dir, when)
				os.RemoveAll(dir)
			}
			if marked < 10 {
				t.Errorf("only %d stops left a marker", marked)
			}
		})
	}
}

// What was begun with one partial is never finished with another.
func TestComposedRecoveryFromAnotherRevision(t *testing.T) {
	l, later := newShared(t, "foot 3\n")
	kind := diskKind{dry: true}
	tried := 0
	for k, ended := 1, false; !ended; k++ {
		dir := l.copy(t)
		_, err := l.reconcile(t.Context(), dir, kind.stopAt(k))
		ended = err == nil
		stopped := tree(t, dir)
		if stopped[lockv2.MarkerPath] == "" {
			os.RemoveAll(dir)
			continue
		}
		tried++
		root, err := rootfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ReadMarker(root)
		root.Close()
		if err != nil {
			t.Fatal(err)
		}
		when := fmt.Sprintf("after a stop at call %d", k)
		_, err = Recover(t.Context(), dir, m, later[0], twin(&faultDisk{diskKind: kind}))
		if coded := diag.Coded(nil); !errors.As(err, &coded) || coded.Code() != CodeInvalidTransaction {
			t.Fatalf("%s, with another partial: %v", when, err)
		}
		sameTree(t, tree(t, dir), stopped, when+", with another partial")
		l.finishes(t, dir, when)
		os.RemoveAll(dir)
	}
	if tried < 5 {
		t.Errorf("only %d stops left a marker", tried)
	}
}
