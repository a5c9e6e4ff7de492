package report_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/graph"
	"example.org/compose/internal/report"
	"example.org/compose/internal/review"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// service is a catalog whose second version changes something of every kind.
func service(version int) catalogtest.Files {
	docs := catalogtest.Component{ID: "capability.docs", Version: version, Materials: []catalogtest.Material{
		{Destination: "docs/guide.md", Compose: "include-v1", Content: "# Guide\n@<partials/größe.md>\nend\n"},
		{Destination: "docs/fences.md", Content: fmt.Sprintf("````\n```\n</details> @here #%d\n````\n", version)},
		{Destination: "docs/logo.png", Content: fmt.Sprintf("\x89PNG\x00%d", version)},
		{Destination: "docs/same.md", Content: "the same\n"},
	}}
	ci := catalogtest.Component{ID: "capability.ci", Materials: []catalogtest.Material{
		{Destination: "scripts/check.sh", Content: fmt.Sprintf("#!/bin/sh\necho %d\n", version), Executable: true},
		{Destination: "scripts/lines.txt", Content: fmt.Sprintf("one\ntwo\nthree %d\n", version)},
	}}
	c := catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Version: version, Materials: []catalogtest.Material{{Destination: "README.md", Ownership: "seed", Content: "# App\n"}}},
			ci, docs,
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Default: []string{"capability.ci", "capability.docs"}}},
	}
	switch version {
	case 1:
		c.Components = append(c.Components, catalogtest.Component{ID: "capability.old", Materials: []catalogtest.Material{{Destination: "old/a.txt", Content: "old\n"}}})
		c.Recipes[0].Default = append(c.Recipes[0].Default, "capability.old")
	case 2:
		c.Components = append(c.Components, catalogtest.Component{ID: "capability.new", Materials: []catalogtest.Material{{Destination: "new/b.txt", Content: "new\n"}}})
		c.Recipes[0].Default = append(c.Recipes[0].Default, "capability.new")
	}
	return c.Files().Set("partials/größe.md", fmt.Sprintf("part %d with `code`\n", version))
}

// lab is a target beside a repository with two revisions.
type lab struct {
	t        *testing.T
	dir      string
	catalogs [2]*catalog.Catalog
	old, new *planner.Composition
}

// newLab composes the first revision in a new target.
func newLab(t *testing.T, before, after catalogtest.Files) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir()}
	repo := catalogtest.Repository(t)
	l.old = l.composition(0, repo, before)
	l.new = l.composition(1, repo, after)
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

func (l *lab) composition(i int, repo *catalogtest.Repo, files catalogtest.Files) *planner.Composition {
	l.t.Helper()
	cat, err := catalog.Load(l.t.Context(), repo.Source(repo.Commit(files)))
	if err != nil {
		l.t.Fatal(err)
	}
	l.catalogs[i] = cat
	made, err := planner.Materialize(l.t.Context(), cat, "example/catalog", l.choice())
	if err != nil {
		l.t.Fatal(err)
	}
	return made
}

func (l *lab) choice() resolver.Config {
	cfg, err := resolver.FromSelection("app", nil, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return cfg
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

func (l *lab) options(i int) report.Options {
	l.t.Helper()
	m, err := graph.Of(l.catalogs[i], "example/catalog", l.choice())
	if err != nil {
		l.t.Fatal(err)
	}
	return report.Options{Place: review.Place{Target: "app"}, Graph: m, Next: "compose apply --target app"}
}

// initial reports a first composition of the first revision.
func (l *lab) initial(root *rootfs.Root) *report.Report {
	l.t.Helper()
	plan, err := planner.Initial(l.t.Context(), l.old, root)
	if err != nil {
		l.t.Fatal(err)
	}
	r, err := report.OfInitial(l.t.Context(), plan, root, l.options(0))
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// managed reports an update or upgrade to the second revision.
func (l *lab) managed(op planner.Operation) *report.Report {
	l.t.Helper()
	root := l.open()
	old, err := planner.ReadManaged(root)
	if err != nil {
		l.t.Fatal(err)
	}
	plan, err := planner.Reconcile(l.t.Context(), op, old, l.new, root)
	if err != nil {
		l.t.Fatal(err)
	}
	r, err := report.OfManaged(l.t.Context(), plan, root, l.options(1))
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// samples are reports of each kind, as they are made.
func samples(t *testing.T) map[string]*report.Report {
	l := newLab(t, service(1), service(2))
	all := map[string]*report.Report{"initial": l.initial(nil), "upgrade": l.managed(planner.Upgrade), "version": l.managed(planner.Update)}
	l.write("scripts/check.sh", "#!/bin/sh\necho mine \x1b[1m\n")
	l.write("docs/guide.md", "mine\n")
	l.write("docs/same.md", "the same\r\n")
	if err := os.Remove(filepath.Join(l.dir, "docs/logo.png")); err != nil {
		t.Fatal(err)
	}
	l.write("new/b.txt", "here before\n")
	all["conflicts"] = l.managed(planner.Upgrade)
	return all
}

// bodyOf is a page without what every page has.
func bodyOf(page []byte) string {
	_, body, _ := strings.Cut(string(page), "<body>\n")
	body, _, _ = strings.Cut(body, "<script>")
	before, graph, found := strings.Cut(body, "<svg xmlns")
	if found {
		_, after, _ := strings.Cut(graph, "</svg>")
		body = before + "(graph)" + after
	}
	return body
}

// The reports that have been looked at.
func TestGolden(t *testing.T) {
	for name, r := range samples(t) {
		text, cut := r.Markdown(60_000)
		if cut.Any() {
			t.Errorf("%s: cut: %s", name, cut.String(r))
		}
		checkMarkdown(t, string(text))
		golden(t, name+".md", string(text))
		page, _ := r.HTML()
		checkHTML(t, string(page))
		golden(t, name+".html", bodyOf(page))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at the new one, then run go test -update\n%s", file, got)
	}
}

// What becomes of a file, in numbers.
func TestCounts(t *testing.T) {
	all := samples(t)
	for _, test := range []struct {
		name   string
		counts map[report.Bucket]int
		lines  report.Lines
		writes bool
	}{
		{"initial", map[report.Bucket]int{report.Create: 9}, report.Lines{Added: 16, Uncompared: 1}, true},
		{"upgrade", map[report.Bucket]int{report.Create: 1, report.Replace: 5, report.Remove: 1, report.Preserve: 1, report.Unchanged: 2}, report.Lines{Added: 5, Removed: 5, Uncompared: 1}, true},
		{"conflicts", map[report.Bucket]int{report.Conflicting: 5, report.Replace: 2, report.Remove: 1, report.Preserve: 1, report.Unchanged: 1}, report.Lines{Added: 2, Removed: 3}, false},
	} {
		r := all[test.name]
		for _, b := range report.Buckets() {
			if got := r.Count(b); got != test.counts[b] {
				t.Errorf("%s: %d files in %s, want %d", test.name, got, b, test.counts[b])
			}
		}
		if got := r.Lines(); got != test.lines || r.Writes != test.writes {
			t.Errorf("%s: %+v, %v", test.name, got, r.Writes)
		}
	}
}
