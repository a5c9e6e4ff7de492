package starter_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
	"example.org/compose/txn"
)

// update rewrites what is derived: the stored schema of the lock, testdata/revisions.txt and the rows of
// docs/starter.md. go generate does it in the right order.
var update = flag.Bool("update", false, "rewrite the pinned ids and the stored schema")

const (
	pinned       = "testdata/revisions.txt" // the ids in every build, the oldest first
	page         = "../../docs/starter.md"
	storedSchema = "revisions/1/components/lifecycle.composition-state/files/composition-lock.schema.json"
)

// A change of a source below revisions/ changes the id of its revision and of every later one. Before the first
// release that is a reason to look twice; after it, to add a revision instead, because locks name those that are out.
func TestRevisionsArePinned(t *testing.T) {
	got := revisions(t)
	if *update {
		rewrite(t, got)
	}
	var want strings.Builder
	for _, revision := range got {
		fmt.Fprintln(&want, revision)
	}
	if text := read(t, pinned); text != want.String() {
		t.Errorf("%s has\n%s\nand the sources give\n%s", pinned, text, &want)
	}
	for i, revision := range got {
		if row := fmt.Sprintf("| %d | `%s` |", i+1, revision); !strings.Contains(read(t, page), row) {
			t.Errorf("docs/starter.md has no row %q", row)
		}
	}
	repository, err := starter.Repository()
	if err != nil {
		t.Fatal(err)
	}
	if head, err := repository.Head(); err != nil || head != got[len(got)-1] {
		t.Errorf("HEAD is %s, %v; want the latest revision", head, err)
	}
}

// rewrite puts the ids where they are pinned.
func rewrite(t *testing.T, ids []lockv2.Revision) {
	t.Helper()
	var list strings.Builder
	text := read(t, page)
	for i, id := range ids {
		fmt.Fprintln(&list, id)
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| %d \\| `[0-9a-f]*` \\|", i+1))
		text = row.ReplaceAllString(text, fmt.Sprintf("| %d | `%s` |", i+1, id))
	}
	for name, content := range map[string]string{pinned: list.String(), page: text} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCatalogIsSound(t *testing.T) {
	for _, revision := range revisions(t) {
		t.Run(string(revision), func(t *testing.T) {
			faults, err := catalog.Check(t.Context(), open(t, revision))
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults {
				t.Errorf("%s %v", fault.Code(), fault)
			}
		})
	}
}

// Every recipe resolves and supplies its materials with any selection that it allows.
func TestEverySelection(t *testing.T) {
	for _, revision := range revisions(t) {
		cat := load(t, revision)
		for _, recipe := range cat.Recipes {
			for include := range subsets(recipe.Optional) {
				for exclude := range subsets(recipe.Default) {
					_, err := materialize(t.Context(), cat, string(recipe.ID), include, exclude)
					if err != nil {
						t.Errorf("%s: recipe %s with %q without %q: %v", revision, recipe.ID, include, exclude, err)
					}
				}
			}
		}
	}
}

// The schema of the lock that consumers get is the one that this version reads locks by.
func TestLockSchemaIsCurrent(t *testing.T) {
	want := string(schemas.Bytes(schemas.Lock))
	if *update {
		if err := os.WriteFile(storedSchema, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, storedSchema) != want {
		t.Errorf("%s differs from the schema of package schemas; run go generate ./internal/starter", storedSchema)
	}
}

// The programs and scripts that the catalog supplies work in a repository composed from it, and it is valid by
// its own validator: a Go module, and a repository that is none.
func TestComposedRepositoriesWork(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs what was composed")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs a Go toolchain")
	}
	const validator = ".template-composition/validate.go"
	for recipe, commands := range map[string][][]string{
		"service": {
			{goTool, "run", validator},
			{goTool, "vet", "./..."},
			{goTool, "test", "./..."},
			{goTool, "run", "./cmd/ctl", "status"},
		},
		"skill": {
			{"sh", "-e", "ci.sh"},
			{"scripts/release-notes.sh", "Unreleased"},
		},
	} {
		t.Run(recipe, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "my-"+recipe)
			compose(t, latest(t), recipe, target)
			if recipe == "skill" {
				ci := ciCommands(read(t, filepath.Join(target, ".github/workflows/validate.yml")))
				if !strings.Contains(ci, "go test") || !strings.Contains(ci, validator) {
					t.Fatalf("the workflow runs\n%s", ci)
				}
				if err := os.WriteFile(filepath.Join(target, "ci.sh"), []byte(ci), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range commands {
				cmd := exec.Command(command[0], command[1:]...)
				cmd.Dir = target
				cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "GOPROXY=off")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", strings.Join(command, " "), err, out)
				}
			}
		})
	}
}

// ciCommands returns the commands of a workflow's steps, as one script.
func ciCommands(workflow string) string {
	var script strings.Builder
	inBlock := false
	for line := range strings.Lines(workflow) {
		switch command, isRun := strings.CutPrefix(line, "        run: "); {
		case isRun && command == "|\n":
			inBlock = true
		case isRun:
			script.WriteString(command)
		case inBlock && strings.HasPrefix(line, "          "):
			script.WriteString(line)
		default:
			inBlock = false
		}
	}
	return script.String()
}

// A version's notes are found under each form of heading that changelogs use, and under no other version's.
func TestReleaseNotesScript(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a shell")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell")
	}
	target := filepath.Join(t.TempDir(), "my-skill")
	compose(t, latest(t), "skill", target)
	changelog := "# Changelog\n\n## [Unreleased]\n\n## v1.10 - 2026-02-01\n\nten\n\n## [1.1.0](https://example.org/1.1.0) - 2026-01-31\n\n- link\n\n## 1.1\r\n\r\none\r\n"
	if err := os.WriteFile(filepath.Join(target, "CHANGELOG.md"), []byte(changelog), 0o666); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{
		"v1.10": "ten\n", "1.10": "ten\n", "1.1.0": "- link\n", "v1.1": "one\n",
		"Unreleased": "no notes for Unreleased", "1.1.1": "no notes for 1.1.1", "1": "no notes for 1",
	} {
		cmd := exec.Command("sh", "scripts/release-notes.sh", version)
		cmd.Dir = target
		out, err := cmd.CombinedOutput()
		missing := strings.HasPrefix(want, "no notes")
		if missing != (err != nil) || missing && !strings.Contains(string(out), want) || !missing && string(out) != want {
			t.Errorf("%s: got %v, %q; want %q", version, err, out, want)
		}
	}
}

// check-skill.sh refuses what the format forbids.
func TestCheckSkillScript(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a shell")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell")
	}
	target := filepath.Join(t.TempDir(), "my-skill")
	compose(t, latest(t), "skill", target)
	tests := []struct{ name, text, want string }{
		{"as supplied", "", "ok, skill my-skill"},
		{"folded description", "---\nname: a-b\ndescription: >-\n  does\n  things\n---\nbody\n", "ok, skill a-b"},
		{"CRLF", "---\r\nname: a\r\ndescription: 'x: y'\r\n---\r\nbody\r\n", "ok, skill a"},
		{"longest description, not ASCII", "---\nname: a\ndescription: " + strings.Repeat("é", 1024) + "\n---\nbody\n", "ok, skill a"},
		{"description too long", "---\nname: a\ndescription: " + strings.Repeat("é", 1025) + "\n---\nbody\n", "description is longer"},
		{"no front matter", "# Title\n", "the front matter is missing"},
		{"unclosed", "---\nname: a\n", "no closing ---"},
		{"empty", "", "empty"},
		{"bad name", "---\nname: My_Skill\ndescription: x\n---\nbody\n", `name "My_Skill"`},
		{"name too long", "---\nname: " + strings.Repeat("a", 65) + "\ndescription: x\n---\nbody\n", "longer than 64"},
		{"name twice", "---\nname: a\nname: b\ndescription: x\n---\nbody\n", "name is there twice"},
		{"no description", "---\nname: a\n---\nbody\n", "description is missing"},
		{"no body", "---\nname: a\ndescription: x\n---\n\n", "nothing after the front matter"},
		{"comments", "---\n# mine\nname: a # short\ndescription: 'it''s' # it's\n---\nbody\n", "ok, skill a"},
		{"colon in quotes", "---\nname: a\ndescription: \"does: \\\"things\\\"\"\n---\nbody\n", "ok, skill a"},
		{"colons that are text", "---\nname: a\ndescription: see https://a.b/c#d\nallowed-tools: Bash(git:*) Read\n---\nbody\n", "ok, skill a"},
		{"colon in a block", "---\nname: a\ndescription: |\n  does: things\n\n  # and more\n---\nbody\n", "ok, skill a"},
		{"text in indented lines", "---\nname: a\ndescription:\n  does\n  \"things\"\n---\nbody\n", "ok, skill a"},
		{"metadata", "---\nname: a\ndescription: x\nmetadata:\n  version: \"1.0\"\n  # mine\n  author: me\n---\nbody\n", "ok, skill a"},
		{"another folder", "---\nname: a\ndescription: x\n---\nbody\n", `note: agents look for it in a folder a, and this one is called my-skill`},
		{"colon in plain text", "---\nname: a\ndescription: does: things\n---\nbody\n", "line 3: a colon"},
		{"colon in a further line", "---\nname: a\ndescription: does\n  more: things\n---\nbody\n", "line 4: a colon"},
		{"unclosed quote", "---\nname: a\ndescription: \"does\n---\nbody\n", "line 3: the quote is not closed"},
		{"text behind a quote", "---\nname: a\ndescription: 'it's'\n---\nbody\n", "line 3: there is something behind"},
		{"list", "---\nname: a\ndescription: [x]\n---\nbody\n", "line 3: a plain text can not begin so"},
		{"no space behind the colon", "---\nname:a\ndescription: x\n---\nbody\n", "line 2: a field has the form"},
		{"a tab", "---\nname: a\n\tdescription: x\n---\nbody\n", "line 3: a field has the form"},
		{"unknown field", "---\nname: a\ndescription: x\nversion: 1\n---\nbody\n", "line 4: version is no field"},
		{"list in metadata", "---\nname: a\ndescription: x\nmetadata:\n  - a\n---\nbody\n", "line 5: an entry of metadata"},
		{"compatibility too long", "---\nname: a\ndescription: x\ncompatibility: " + strings.Repeat("a", 501) + "\n---\nbody\n", "compatibility is longer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.Command("sh", "../scripts/check-skill.sh")
			if test.name != "as supplied" {
				if err := os.WriteFile(filepath.Join(target, "case.md"), []byte(test.text), 0o666); err != nil {
					t.Fatal(err)
				}
				cmd.Args = append(cmd.Args, "../case.md") // from where the caller is
			}
			cmd.Dir = filepath.Join(target, "docs")
			out, err := cmd.CombinedOutput()
			if good := strings.HasPrefix(test.want, "ok") || strings.HasPrefix(test.want, "note"); good != (err == nil) || !strings.Contains(string(out), test.want) {
				t.Errorf("got %v, %q; want %q", err, out, test.want)
			}
		})
	}
}

// compose makes a first composition with everything that the recipe offers.
func compose(t *testing.T, revision lockv2.Revision, recipe, target string) {
	t.Helper()
	cat := load(t, revision)
	comp, err := materialize(t.Context(), cat, recipe, cat.Recipe(lockv2.RecipeID(recipe)).Optional, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		return planner.Initial(ctx, comp, root)
	}
	if result, err := txn.Initial(t.Context(), target, plan, txn.Options{}); err != nil || result.Status != "applied" {
		t.Fatalf("apply: %+v, %v", result, err)
	}
}

func revisions(t *testing.T) []lockv2.Revision {
	t.Helper()
	list, err := starter.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func latest(t *testing.T) lockv2.Revision {
	t.Helper()
	all := revisions(t)
	return all[len(all)-1]
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func open(t *testing.T, revision lockv2.Revision) *catalog.Source {
	t.Helper()
	source, err := catalog.Open(t.Context(), starter.Location, string(revision))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	return source
}

func load(t *testing.T, revision lockv2.Revision) *catalog.Catalog {
	t.Helper()
	cat, err := catalog.Load(t.Context(), open(t, revision))
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

func materialize(ctx context.Context, cat *catalog.Catalog, recipe string, include, exclude []lockv2.ComponentID) (*planner.Composition, error) {
	cfg, err := resolver.FromSelection(recipe, texts(include), texts(exclude))
	if err != nil {
		return nil, err
	}
	return planner.Materialize(ctx, cat, cat.Repository, cfg)
}

func texts(ids []lockv2.ComponentID) []string {
	var list []string
	for _, id := range ids {
		list = append(list, string(id))
	}
	return list
}

// subsets gives every subset of ids.
func subsets(ids []lockv2.ComponentID) func(yield func([]lockv2.ComponentID) bool) {
	return func(yield func([]lockv2.ComponentID) bool) {
		for bits := range 1 << len(ids) {
			var subset []lockv2.ComponentID
			for i, id := range ids {
				if bits&(1<<i) != 0 {
					subset = append(subset, id)
				}
			}
			if !yield(subset) {
				return
			}
		}
	}
}
