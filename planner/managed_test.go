package planner_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
)

// composed makes a target as a first composition leaves it, but for the modes.
func composed(t testing.TB, comp *planner.Composition) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, lockv2.LockPath, string(comp.LockBytes()))
	for i := range comp.Materials {
		write(t, dir, string(comp.Materials[i].Destination), content(t, comp, &comp.Materials[i]))
	}
	return dir
}

func content(t testing.TB, comp *planner.Composition, m *planner.Material) string {
	t.Helper()
	r, err := comp.Open(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, path)
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, dir string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
}

// composition returns what the catalog supplies for a choice, as if at revision n of one repository.
func composition(t testing.TB, c catalogtest.Catalog, cfg resolver.Config) *planner.Composition {
	t.Helper()
	comp, err := planner.Materialize(t.Context(), catalogtest.Load(t, c.Files()), "example/catalog", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return comp
}

func selection(t testing.TB, recipe string, include, exclude []string) resolver.Config {
	t.Helper()
	cfg, err := resolver.FromSelection(recipe, include, exclude)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// reconcile plans, checks the plan against its schema, and that what it says of itself agrees.
func reconcile(t testing.TB, op planner.Operation, comp *planner.Composition, dir string) *planner.ManagedPlan {
	t.Helper()
	p, err := tryReconcile(t, op, comp, dir)
	if err != nil {
		t.Fatal(err)
	}
	schema := map[planner.Operation]string{planner.Update: schemas.UpdatePlan, planner.Upgrade: schemas.UpgradePlan}[op]
	for _, v := range schemas.Validate(schema, p.Document()) {
		t.Errorf("the plan breaks its schema at %s: %s", v.Pointer, v.Message)
	}
	if b, err := lockv2.Encode(&p.Lock); err != nil || !bytes.Equal(b, p.LockBytes()) {
		t.Errorf("the new lock is none: %v", err)
	}
	if len(p.Conflicts) == 0 {
		checkImplied(t, p)
	}
	return p
}

func tryReconcile(t testing.TB, op planner.Operation, comp *planner.Composition, dir string) (p *planner.ManagedPlan, err error) {
	t.Helper()
	observing(t, dir, func(root *rootfs.Root, seen *planner.Snapshot) {
		checkSame(t, comp, seen)
		p, err = planner.Reconcile(t.Context(), op, seen.Managed, comp, root)
	})
	return p, err
}

// checkImplied compares the actions of a plan with those that its two locks imply.
func checkImplied(t testing.TB, p *planner.ManagedPlan) {
	t.Helper()
	implied, err := planner.Implied(p.Old.Lock, &p.Lock)
	if err != nil {
		t.Errorf("the locks of a plan without conflicts imply: %v", err)
	}
	actions := p.Actions()
	for i := range actions {
		if m := actions[i].Material; (m == nil) != (actions[i].Kind == planner.Remove) || m != nil && m.Digest != actions[i].To {
			t.Errorf("material %+v of %+v", m, actions[i])
		}
		actions[i].Material = nil
	}
	if !slices.Equal(actions, implied) {
		t.Errorf("the plan's actions\n %v\nthe locks imply\n %v", actions, implied)
	}
}

// told returns what a plan does, one line for each destination that changes or is in conflict.
func told(p *planner.ManagedPlan) []string {
	var all []string
	for _, c := range p.Conflicts {
		text := c.Code
		for _, part := range []string{string(c.Destination), c.Reason} {
			if part != "" {
				text += " " + part
			}
		}
		if c.Destination == "" {
			text += " " + string(c.Component)
		}
		all = append(all, text)
	}
	for _, f := range p.Files {
		if f.Kind != planner.Unchanged {
			all = append(all, fmt.Sprintf("%s %s", f.Kind, f.Destination))
		}
	}
	return all
}

// app2 is app with a change of every kind that an update may bring.
func app2() catalogtest.Catalog {
	c := app()
	artifact, cli := &c.Components[0], &c.Components[1]
	artifact.Version, cli.Version = 2, 2
	artifact.Materials[0].Content = "# app, again\n"         // a seed
	artifact.Materials[2].Content = "steps: [build, test]\n" // managed
	artifact.Materials = append(artifact.Materials,
		catalogtest.Material{Destination: "docs/new/deep.md", Content: "new\n"},
		catalogtest.Material{Destination: "notes.md", Ownership: "seed", Content: "notes\n"})
	cli.Registrations = registration("cli_interface", "cli-interface2") // generated
	cli.Materials = cli.Materials[1:]                                   // docs/cli.md goes
	return c
}

// Golden documents of the two operations, without conflicts and with one of each code.
func TestManagedDocuments(t *testing.T) {
	old, next := composition(t, app(), choice(t)), composition(t, app2(), choice(t))
	dir := composed(t, old)
	write(t, dir, "README.md", "mine\n")
	p := reconcile(t, planner.Upgrade, next, dir)
	golden(t, "upgrade-plan.json", strictjson.Encode(p.Document()))
	if p.Noop() || len(p.Conflicts) != 0 {
		t.Errorf("noop %v, conflicts %v", p.Noop(), p.Conflicts)
	}
	want := []string{"preserve README.md", "replace ci/build.yml", "replace contracts/manifest.json", "remove docs/cli.md", "create docs/new/deep.md", "create notes.md"}
	if got := told(p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	same := app() // the same versions and descriptors, other bytes
	same.Components[0].Materials[2].Content = "steps: [build, test]\n"
	golden(t, "update-plan.json", strictjson.Encode(reconcile(t, planner.Update, composition(t, same, choice(t)), dir).Document()))

	next2 := app2()
	next2.Components[0].Materials[3].Destination = "contracts/moved.json"
	next2.Components[0].Materials[0].Ownership = "managed"
	next2.Components[0].Materials = append(next2.Components[0].Materials, catalogtest.Material{Destination: "docs/cli.md", Content: "one\ntwo\n"})
	next2.Components[1].Version = 1
	write(t, dir, "ci/build.yml", "steps: [build]\r\n")
	write(t, dir, "contracts/manifest.json", "edited")
	remove(t, dir, "docs/deep")
	write(t, dir, "notes.md", "notes\n")
	for op, name := range map[planner.Operation]string{planner.Update: "update-conflicts.json", planner.Upgrade: "upgrade-conflicts.json"} {
		p := reconcile(t, op, composition(t, next2, choice(t)), dir)
		golden(t, name, strictjson.Encode(strictjson.List(p.Conflicts, func(c planner.Conflict) strictjson.Value { return c.Document() })))
	}
}

func TestReconcile(t *testing.T) {
	old := composition(t, app(), choice(t))
	cases := []struct {
		name   string
		change func(*catalogtest.Catalog)
		bend   func(t *testing.T, dir string)
		want   []string
	}{
		{name: "nothing changed"},
		{name: "modes alone", bend: func(t *testing.T, dir string) {
			for path, mode := range map[string]os.FileMode{"ci/build.yml": 0o777, "bin/run": 0o600, "README.md": 0o444, "docs": 0o700} {
				if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{name: "the source's executable bit alone", change: func(c *catalogtest.Catalog) { c.Components[0].Materials[1].Executable = false }},
		{name: "files of the consumer's own", bend: files("docs/mine", "x", "readme.md", "another spelling of a file that is there")},
		{name: "all deleted", bend: func(t *testing.T, dir string) { remove(t, dir, "ci", "docs/cli.md", "README.md") },
			want: []string{"OLD_STATE_INVALID README.md missing", "OLD_STATE_INVALID ci/build.yml missing", "OLD_STATE_INVALID docs/cli.md missing"}},
		{name: "a folder is a link to one with the same files", bend: func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "docs"), filepath.Join(dir, "real")); err != nil {
				t.Fatal(err)
			}
			link("docs", "real")(t, dir)
		}, want: []string{"OLD_STATE_INVALID docs/cli.md symlink", "OLD_STATE_INVALID docs/deep/er.md symlink"}},
		{name: "a file is a link to the same bytes", bend: func(t *testing.T, dir string) {
			remove(t, dir, "ci/build.yml")
			write(t, dir, "same", "steps: [build]\n")
			link("ci/build.yml", "../same")(t, dir)
		}, want: []string{"OLD_STATE_INVALID ci/build.yml symlink"}},
		{name: "a folder is a file", bend: func(t *testing.T, dir string) { remove(t, dir, "docs/deep"); write(t, dir, "docs/deep", "") },
			want: []string{"OLD_STATE_INVALID docs/deep/er.md parent-not-directory"}},
		{name: "a file is a folder", bend: func(t *testing.T, dir string) { remove(t, dir, "bin/run"); write(t, dir, "bin/run/x", "") },
			want: []string{"OLD_STATE_INVALID bin/run is-directory"}},
		{name: "a rename in case alone", change: func(c *catalogtest.Catalog) { c.Components[1].Materials[0].Destination = "docs/CLI.md" },
			want: []string{"DESTINATION_CONFLICT docs/CLI.md case-collision"}},
		{name: "a folder renamed in case alone", change: func(c *catalogtest.Catalog) {
			c.Components[1].Materials[0].Destination, c.Components[1].Materials[1].Destination = "Docs/cli.md", "Docs/deep/er.md"
		}, want: []string{"DESTINATION_CONFLICT Docs/cli.md case-collision", "DESTINATION_CONFLICT Docs/deep/er.md case-collision"}},
		{name: "a file becomes a folder", change: func(c *catalogtest.Catalog) { c.Components[1].Materials[0].Destination = "docs/cli.md/x" },
			want: []string{"DESTINATION_CONFLICT docs/cli.md/x parent-not-directory"}},
		{name: "a folder becomes a file", change: func(c *catalogtest.Catalog) { c.Components[1].Materials[1].Destination = "docs/deep" },
			want: []string{"DESTINATION_CONFLICT docs/deep is-directory"}},
		{name: "new destinations that are taken", change: func(c *catalogtest.Catalog) {
			for _, d := range []string{"new/same", "new/other", "new/dir", "new/link", "new/SPELLED", "new/free", "bin2/x"} {
				c.Components[0].Materials = append(c.Components[0].Materials, catalogtest.Material{Destination: d, Content: "x"})
			}
		}, bend: func(t *testing.T, dir string) {
			files("new/same", "x", "new/other", "y", "new/dir/z", "", "new/spelled", "x", "bin2", "")(t, dir)
			link("new/link", "same")(t, dir)
		}, want: []string{"DESTINATION_CONFLICT bin2/x parent-not-directory", "DESTINATION_CONFLICT new/SPELLED case-collision", "DESTINATION_CONFLICT new/dir is-directory",
			"DESTINATION_CONFLICT new/link symlink", "DESTINATION_CONFLICT new/other exists", "DESTINATION_CONFLICT new/same exists", "create new/free"}},
		{name: "staging is a file", bend: files(".template-composition/staging", ""),
			want: []string{"DESTINATION_CONFLICT .template-composition/staging reserved-metadata"}},
		{name: "left-over staging", bend: files(".template-composition/staging/0", "x")},
		{name: "another's file in staging", bend: files(".template-composition/staging/0", "x", ".template-composition/staging/mine.txt", "x"),
			want: []string{"DESTINATION_CONFLICT .template-composition/staging/mine.txt reserved-metadata"}},
		{name: "the lock in CRLF", bend: func(t *testing.T, dir string) {
			b, err := os.ReadFile(filepath.Join(dir, lockv2.LockPath))
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, lockv2.LockPath, strings.ReplaceAll(string(b), "\n", "\r\n"))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			next := app()
			if c.change != nil {
				c.change(&next)
			}
			dir := composed(t, old)
			if c.bend != nil {
				c.bend(t, dir)
			}
			comp := composition(t, next, choice(t))
			p := reconcile(t, planner.Upgrade, comp, dir)
			got := slices.DeleteFunc(told(p), func(line string) bool {
				return line == "preserve README.md" || strings.HasPrefix(line, "COMPONENT_") || strings.HasPrefix(line, "remove ")
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n %q\nwant\n %q", got, c.want)
			}
			if c.change == nil && p.Noop() != (len(c.want) == 0) {
				t.Errorf("noop %v", p.Noop())
			}
		})
	}
}

// files writes files, given as path and content in turn.
func files(pairs ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		for i := 0; i < len(pairs); i += 2 {
			write(t, dir, pairs[i], pairs[i+1])
		}
	}
}

// What the same run would free counts as taken, and the message says how it gets free.
func TestFreedByTheSameRun(t *testing.T) {
	next := app()
	next.Components[1].Materials[0].Destination = "docs/CLI.md"
	next.Components[0].Materials = append(next.Components[0].Materials,
		catalogtest.Material{Destination: "notes/readme", Content: "x"}, catalogtest.Material{Destination: "docs/other", Content: "x"})
	next.Components[0].Materials[0].Destination = "README.md/x" // below what was a seed, which stays
	dir := composed(t, composition(t, app(), choice(t)))
	write(t, dir, "NOTES", "the consumer's own")
	write(t, dir, "docs/other", "the consumer's own")
	p := reconcile(t, planner.Update, composition(t, next, choice(t)), dir)
	for destination, frees := range map[lockv2.Destination]string{"docs/CLI.md": "docs/cli.md", "notes/readme": "", "docs/other": "", "README.md/x": ""} {
		i := slices.IndexFunc(p.Conflicts, func(c planner.Conflict) bool { return c.Destination == destination })
		if i < 0 {
			t.Errorf("no conflict at %s", destination)
			continue
		}
		if got := detail(p.Conflicts[i], "frees"); got != frees {
			t.Errorf("%s frees %q, want %q", destination, got, frees)
		}
		if got := strings.Contains(p.Conflicts[i].Message, "in a later one"); got != (frees != "") {
			t.Errorf("%s: %s", destination, p.Conflicts[i].Message)
		}
	}
}

func detail(c planner.Conflict, name string) string {
	for _, d := range c.Details {
		if d.Name == name {
			return d.Value.Text
		}
	}
	return ""
}

// An upgrade takes components in and lets others go; what was a seed stays in the target and leaves the lock.
func TestUpgradeChangesTheSelection(t *testing.T) {
	cat := app()
	cat.Components[1].Materials = append(cat.Components[1].Materials, catalogtest.Material{Destination: "own.md", Ownership: "seed", Content: "own\n"})
	cat.Components = append(cat.Components, catalogtest.Component{ID: "capability.extra", Materials: []catalogtest.Material{{Destination: "extra.md", Content: "x"}}})
	cat.Recipes = append(cat.Recipes, catalogtest.Recipe{ID: "plus", Artifact: "artifact.app", Required: []string{"capability.extra"}, Optional: []string{"capability.cli"}})
	dir := composed(t, composition(t, cat, choice(t)))
	p := reconcile(t, planner.Upgrade, composition(t, cat, selection(t, "plus", nil, nil)), dir)
	want := []string{"preserve README.md", "replace contracts/manifest.json", "remove docs/cli.md", "remove docs/deep/er.md", "create extra.md", "preserve own.md"}
	if got := told(p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := fmt.Sprint(p.Components); got != "{[capability.extra] [capability.cli] [artifact.app lifecycle.composition-state] []}" {
		t.Errorf("components %s", got)
	}
	if slices.ContainsFunc(p.Lock.Files, func(f lockv2.File) bool { return f.Destination == "own.md" }) {
		t.Error("a seed that is gone from the composition is in the new lock")
	}
}

// Parameters alone change the lock and nothing else.
func TestParametersOnlyUpgrade(t *testing.T) {
	old := composition(t, app(), choice(t))
	dir := composed(t, old)
	cfg, err := resolver.ParseConfig("composition.json", []byte(`{"schema_version": 1, "recipe": "app", "parameters": {"artifact.app": {"n": 1.50}}}`))
	if err != nil {
		t.Fatal(err)
	}
	p := reconcile(t, planner.Upgrade, composition(t, app(), cfg), dir)
	if len(p.Actions()) != 0 || p.Noop() || p.Lock.ConfigurationDigest != cfg.Digest {
		t.Errorf("actions %v, noop %v", p.Actions(), p.Noop())
	}
}

// The lock that an update writes carries the digests of seeds and of the configuration.
func TestUpdateCarriesDigests(t *testing.T) {
	cfg, err := resolver.ParseConfig("composition.json", []byte(`{ "schema_version": 1, "recipe": "app" }`))
	if err != nil {
		t.Fatal(err)
	}
	old := composition(t, app(), cfg)
	dir := composed(t, old)
	next := composition(t, app2(), planner.UpdateConfig(&old.Lock))
	p := reconcile(t, planner.Upgrade, next, dir)
	if p.Lock.ConfigurationDigest != cfg.Digest {
		t.Error("the configuration's digest is not carried")
	}
	for i, f := range p.Lock.Files {
		was := slices.IndexFunc(old.Lock.Files, func(o lockv2.File) bool { return o.Destination == f.Destination })
		switch {
		case f.Destination == "README.md" && f.Digest != old.Lock.Files[was].Digest:
			t.Error("the digest of a seed that stays is not carried")
		case f.Destination != "README.md" && f.Digest != next.Lock.Files[i].Digest:
			t.Errorf("%s has not the new digest", f.Destination)
		}
	}
	if next.Lock.Files[1].Destination != "README.md" || next.Lock.Files[1].Digest == old.Lock.Files[1].Digest {
		t.Error("the composition's own lock was changed")
	}
}

// A component of another version is for upgrade; another descriptor of the same version is for nobody.
func TestComponentConflicts(t *testing.T) {
	dir := composed(t, composition(t, app(), choice(t)))
	next := app()
	next.Components[0].Version = 3
	next.Components[1].Materials = next.Components[1].Materials[:1]
	comp := composition(t, next, choice(t))
	for op, want := range map[planner.Operation]string{
		planner.Update:  "COMPONENT_VERSION_UPGRADE_REQUIRED artifact.app, COMPONENT_DESCRIPTOR_CHANGED_WITHOUT_VERSION capability.cli",
		planner.Upgrade: "COMPONENT_DESCRIPTOR_CHANGED_WITHOUT_VERSION capability.cli",
	} {
		p := reconcile(t, op, comp, dir)
		var got []string
		for _, c := range p.Conflicts {
			got = append(got, c.Code+" "+string(c.Component))
		}
		if strings.Join(got, ", ") != want || len(p.Components.Changed) != 2 || p.Noop() {
			t.Errorf("%s: got %q, want %q; components %+v", op, got, want, p.Components)
		}
	}
	// A lower version is another version, too.
	dir = composed(t, comp)
	next.Components[0].Version = 2
	if p := reconcile(t, planner.Upgrade, composition(t, next, choice(t)), dir); len(p.Conflicts) != 0 {
		t.Errorf("a lower version: %+v", p.Conflicts)
	}
}

func TestUpdateRefusesAnotherChoice(t *testing.T) {
	dir := composed(t, composition(t, app(), choice(t)))
	next := composition(t, app(), selection(t, "app", nil, []string{"capability.cli"}))
	if p, err := tryReconcile(t, planner.Update, next, dir); err == nil {
		t.Errorf("planned %v", told(p))
	}
	if _, err := tryReconcile(t, "sideways", next, dir); err == nil {
		t.Error("planned an unknown operation")
	}
}

// A lock that changes, or a marker that appears, while the target is looked at is an error, not a plan.
func TestReconcileLooksAgain(t *testing.T) {
	comp := composition(t, app(), choice(t))
	for name, want := range map[string]string{lockv2.LockPath: "PRECONDITION_CHANGED", lockv2.MarkerPath: "RECOVERY_REQUIRED"} {
		dir := composed(t, comp)
		root, err := rootfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		old, err := planner.ReadManaged(root)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, "{}")
		_, err = planner.Reconcile(t.Context(), planner.Update, old, comp, root)
		root.Close()
		var fault diag.Coded
		if !errors.As(err, &fault) || fault.Code() != want {
			t.Errorf("%s changed: got %v, want %s", name, err, want)
		}
	}
}
