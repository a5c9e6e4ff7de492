package review_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/review"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// app is a catalog with a component of each kind of material: copied, composed, generated, and a seed.
func app(version string, change func(*catalogtest.Catalog)) catalogtest.Files {
	c := catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Materials: []catalogtest.Material{{Destination: "seed.txt", Ownership: "seed", Content: "seed " + version + "\n"}}},
			{ID: "capability.base", Registrations: registrations, Materials: []catalogtest.Material{
				{Destination: "bin.dat", Content: "\x00" + version},
				{Destination: "contracts/manifest.json", Generator: "contract-manifest-v1"},
				{Destination: "guide.md", Compose: "include-v1", Content: "# Guide\n@<partials/part.md>\nend\n"},
				{Destination: "same.txt", Content: "same\n"},
				{Destination: "text.txt", Content: "one\n" + version + "\nthree\n"},
			}},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Default: []string{"capability.base"}}},
	}
	if change != nil {
		change(&c)
	}
	return c.Files().Set("partials/part.md", "part "+version+"\n")
}

// registrations is what the contract manifest is generated from.
const registrations = `[{"id": "app", "document": "contracts/app.json", "schema": "schemas/app.schema.json", "migration_slug": "app",
		"document_schema_version": 1, "version_history": [{"version": 1, "change_type": "initial"}], "purpose": "the app"}]`

// lab is a target that was composed from the first of two revisions.
type lab struct {
	t    *testing.T
	dir  string
	repo *catalogtest.Repo
	old  *planner.Composition
	new  *planner.Composition
}

func newLab(t *testing.T, before, after catalogtest.Files) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), repo: catalogtest.Repository(t)}
	l.old = l.composition(before)
	l.new = l.composition(after)
	l.write(lockv2.LockPath, string(l.old.LockBytes()))
	for i := range l.old.Materials {
		r, err := l.old.Open(t.Context(), &l.old.Materials[i])
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		l.write(string(l.old.Materials[i].Destination), string(b))
	}
	return l
}

func (l *lab) composition(files catalogtest.Files) *planner.Composition {
	l.t.Helper()
	cat, err := catalog.Load(l.t.Context(), l.repo.Source(l.repo.Commit(files)))
	if err != nil {
		l.t.Fatal(err)
	}
	cfg, err := resolver.FromSelection("app", nil, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	comp, err := planner.Materialize(l.t.Context(), cat, "example/catalog", cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	return comp
}

func (l *lab) write(path, content string) {
	l.t.Helper()
	full := filepath.Join(l.dir, path)
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(content), 0o644)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) open() *rootfs.Root {
	l.t.Helper()
	root, err := rootfs.Open(l.dir)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { root.Close() })
	return root
}

// plan returns the plan of the update.
func (l *lab) plan() *planner.ManagedPlan {
	l.t.Helper()
	root := l.open()
	old, err := planner.ReadManaged(root)
	if err != nil {
		l.t.Fatal(err)
	}
	plan, err := planner.Reconcile(l.t.Context(), planner.Update, old, l.new, root)
	if err != nil {
		l.t.Fatal(err)
	}
	return plan
}

// update returns the review of the update.
func (l *lab) update() *review.Review { return review.OfManaged(l.plan(), l.open()) }

// shown renders the files of a review that tell of something, or of all destinations that are named.
func shown(t *testing.T, r *review.Review, destinations ...lockv2.Destination) string {
	t.Helper()
	var b strings.Builder
	for f, err := range r.Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if len(destinations) > 0 && !slices.Contains(destinations, f.Destination) || len(destinations) == 0 && len(f.Comparisons) == 0 {
			continue
		}
		what := string(f.Action)
		if f.Conflict != nil {
			what = f.Conflict.Code
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", f.Destination, f.Component, f.Ownership, what)
		for _, c := range f.Comparisons {
			fmt.Fprintf(&b, "%s %s %s\n%s", c.Kind, c.Old.Name, c.New.Name, unified(&c))
		}
	}
	return b.String()
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
