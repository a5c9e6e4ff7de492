package scaffold_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/scaffold"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// commit makes a source of what is below a folder, as git would.
func commit(t *testing.T, dir string) *catalog.Source {
	t.Helper()
	files := catalogtest.Files{}
	for name, content := range tree(t, dir) {
		if !strings.HasSuffix(name, "/") {
			files.Set(name, content)
		}
	}
	return catalogtest.Source(t, files)
}

// mustBeGood wants a catalog without any fault, whose recipes can be composed.
func mustBeGood(t *testing.T, source *catalog.Source) *catalog.Catalog {
	t.Helper()
	faults, err := catalog.Check(context.Background(), source)
	if err != nil || len(faults) > 0 {
		t.Fatalf("faults %v, error %v", faults, err)
	}
	loaded, err := catalog.Load(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	if faults, err := planner.CheckRecipes(context.Background(), loaded); err != nil || len(faults) > 0 {
		t.Fatalf("recipes: faults %v, error %v", faults, err)
	}
	return loaded
}

func begin(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "templates")
	files, err := scaffold.NewCatalog("example-org/templates", "app", "README.md")
	if err != nil {
		t.Fatal(err)
	}
	if last := files[len(files)-1].Path; last != catalog.IndexPath {
		t.Errorf("the last file is %s, want the index: what it lists has to be there before", last)
	}
	if _, err := scaffold.Write(context.Background(), dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

func add(t *testing.T, dir string, make func(*scaffold.Tree) ([]scaffold.File, error)) {
	t.Helper()
	opened, err := scaffold.OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := make(opened)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.Write(context.Background(), dir, files); err != nil {
		t.Fatal(err)
	}
}

// A new catalog, and every kind of addition, is a catalog without faults.
func TestNewCatalogIsGood(t *testing.T) {
	dir := begin(t)
	loaded := mustBeGood(t, commit(t, dir))
	if loaded.Repository != "example-org/templates" || len(loaded.Components) != 2 || len(loaded.Recipes) != 1 {
		t.Errorf("%q with %d components, %d recipes", loaded.Repository, len(loaded.Components), len(loaded.Recipes))
	}
	for _, id := range []lockv2.ComponentID{"artifact.library", "capability.release-notes", "foundation.base", "lifecycle.x", "topology.x", "workspace.x1-y2"} {
		add(t, dir, func(opened *scaffold.Tree) ([]scaffold.File, error) { return opened.NewComponent(id) })
		loaded = mustBeGood(t, commit(t, dir))
		if loaded.Component(id) == nil {
			t.Errorf("%s was not added", id)
		}
	}
	add(t, dir, func(opened *scaffold.Tree) ([]scaffold.File, error) {
		return opened.NewRecipe("library", "artifact.library")
	})
	loaded = mustBeGood(t, commit(t, dir))
	if r := loaded.Recipe("library"); r == nil || r.Artifact != "artifact.library" {
		t.Errorf("the recipe is %+v", r)
	}
}

// Consumers get the validator of this program.
func TestStateComponentIsTheStarters(t *testing.T) {
	dir := begin(t)
	got := tree(t, dir)
	files, err := starter.Files("components/" + string(lockv2.StateComponent))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if got[f.Path] != string(f.Content) {
			t.Errorf("%s is not the starter's", f.Path)
		}
	}
}

// A catalog may begin without the state component, as long as it has no artifact.
func TestStateComponentFirst(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{catalog.IndexPath: `{"schema_version": 1, "components": [], "recipes": []}`})
	opened, err := scaffold.OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.NewComponent("artifact.app"); code(err) != scaffold.CodeUnknownComponent {
		t.Errorf("an artifact: %v", err)
	}
	if _, err := opened.NewRecipe("app", ""); code(err) != scaffold.CodeInvalidRecipe {
		t.Errorf("a recipe: %v", err)
	}
	add(t, dir, func(opened *scaffold.Tree) ([]scaffold.File, error) {
		return opened.NewComponent(lockv2.StateComponent)
	})
	add(t, dir, func(opened *scaffold.Tree) ([]scaffold.File, error) { return opened.NewComponent("artifact.app") })
	add(t, dir, func(opened *scaffold.Tree) ([]scaffold.File, error) { return opened.NewRecipe("app", "") })
	mustBeGood(t, commit(t, dir))
}

func TestAdditionsAreRefused(t *testing.T) {
	dir := begin(t)
	add(t, dir, func(opened *scaffold.Tree) ([]scaffold.File, error) { return opened.NewComponent("artifact.other") })
	opened, err := scaffold.OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	component := func(id lockv2.ComponentID) error { _, err := opened.NewComponent(id); return err }
	recipe := func(id lockv2.RecipeID, artifact lockv2.ComponentID) error {
		_, err := opened.NewRecipe(id, artifact)
		return err
	}
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"a component that is there", component("artifact.app"), scaffold.CodeComponentExists},
		{"no role", component("notes"), scaffold.CodeInvalidComponent},
		{"another role", component("thing.notes"), scaffold.CodeInvalidComponent},
		{"a path", component("capability.../x"), scaffold.CodeInvalidComponent},
		{"nothing", component(""), scaffold.CodeInvalidComponent},
		{"capitals", component("capability.Notes"), scaffold.CodeInvalidComponent},
		{"a recipe that is there", recipe("app", "artifact.app"), scaffold.CodeRecipeExists},
		{"no recipe id", recipe("a/b", "artifact.app"), scaffold.CodeInvalidRecipe},
		{"one of two artifacts", recipe("web", ""), scaffold.CodeInvalidRecipe},
		{"an artifact that is not there", recipe("web", "artifact.web"), scaffold.CodeUnknownComponent},
		{"no artifact", recipe("web", "lifecycle.composition-state"), scaffold.CodeUnknownComponent},
	} {
		if code(test.err) != test.want {
			t.Errorf("%s: %v, want %s", test.name, test.err, test.want)
		}
	}
}

// What somebody has begun by hand is not overwritten.
func TestAdditionMeetsFiles(t *testing.T) {
	dir := begin(t)
	put(t, dir, map[string]string{"components/capability.notes/component.json": "{}"})
	opened, err := scaffold.OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := opened.NewComponent("capability.notes")
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	if _, err := scaffold.Write(context.Background(), dir, files); code(err) != scaffold.CodeFileExists {
		t.Errorf("error %v", err)
	}
	if after := tree(t, dir); len(after) != len(before) || after[catalog.IndexPath] != before[catalog.IndexPath] {
		t.Errorf("the catalog changed: %q", after)
	}
}

func TestOpenTreeRefuses(t *testing.T) {
	for _, test := range []struct{ name, index, want string }{
		{"no index", "", scaffold.CodeInvalidCatalog},
		{"no JSON", "{", "INVALID_JSON"},
		{"a conflict", "<<<<<<< HEAD\n{}\n", "INVALID_JSON"},
		{"another document", `{"schema_version": 1}`, "SCHEMA_VALIDATION_FAILED"},
		{"not sorted", `{"schema_version": 1, "components": ["capability.b", "capability.a"], "recipes": []}`, scaffold.CodeInvalidCatalog},
		{"too large", strings.Repeat(" ", 5<<20), scaffold.CodeReadFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.index != "" {
				put(t, dir, map[string]string{catalog.IndexPath: test.index})
			}
			if _, err := scaffold.OpenTree(dir); code(err) != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	if _, err := scaffold.OpenTree(filepath.Join(t.TempDir(), "none")); code(err) != scaffold.CodeInvalidCatalog {
		t.Errorf("no folder: %v", err)
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"elsewhere": `{"schema_version": 1, "components": [], "recipes": []}`, "catalog/README.md": ""})
	if err := os.Symlink("../elsewhere", filepath.Join(dir, "catalog", "catalog.json")); err != nil {
		t.Skip("no symlinks here:", err)
	}
	if _, err := scaffold.OpenTree(dir); code(err) != scaffold.CodeReadFailed {
		t.Errorf("a symlink: %v", err)
	}
}

func TestCheckPlace(t *testing.T) {
	for _, test := range []struct {
		name  string
		there map[string]string
		want  scaffold.Place
		code  string
	}{
		{"an empty folder", nil, scaffold.Place{Guide: "README.md"}, ""},
		{"a work tree", map[string]string{".git/HEAD": "", "main.go": ""}, scaffold.Place{Git: true, Guide: "README.md"}, ""},
		{"a linked work tree with a README", map[string]string{".git": "gitdir: x", "README.md": "mine"}, scaffold.Place{Git: true, Guide: "catalog/README.md"}, ""},
		{"what a killed run left", map[string]string{".compose-new/0": "", "README.md": "# x"}, scaffold.Place{Guide: "README.md"}, ""},
		{"other files", map[string]string{"main.go": ""}, scaffold.Place{}, scaffold.CodeFileExists},
		{"a catalog", map[string]string{".git/HEAD": "", catalog.IndexPath: ""}, scaffold.Place{}, scaffold.CodeFileExists},
	} {
		dir := t.TempDir()
		put(t, dir, test.there)
		got, err := scaffold.CheckPlace(dir)
		if test.code == "" && (err != nil || got != test.want) || test.code != "" && code(err) != test.code {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
	dir := t.TempDir()
	if _, err := scaffold.CheckPlace(filepath.Join(dir, "new", "deep")); err != nil {
		t.Errorf("nothing there: %v", err)
	}
	put(t, dir, map[string]string{"file": ""})
	for _, name := range []string{"file", "file/below"} {
		if _, err := scaffold.CheckPlace(filepath.Join(dir, name)); code(err) != scaffold.CodeInvalidTarget {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestIdentity(t *testing.T) {
	origin := func(url string) map[string]string {
		return map[string]string{".git/config": "[remote \"origin\"]\n\turl = " + url + "\n"}
	}
	for _, test := range []struct {
		folder string
		there  map[string]string
		want   string
	}{
		{"templates", nil, "templates"},
		{"our templates!", nil, "our-templates"},
		{"\u00fc", nil, "templates"},
		{"x", origin("https://user:secret@git.example.org/example-org/templates.git"), "example-org/templates"},
		{"x", origin("git@git.example.org:deep/er/templates"), "er/templates"},
		{"x", origin("ssh://git@git.example.org/templates.git/"), "templates"},
		{"x", origin("../elsewhere"), "x"},
		{"x", map[string]string{".git/config": "[remote"}, "x"},
		{"x", map[string]string{".git": "gitdir: ../y"}, "x"},
	} {
		dir := filepath.Join(t.TempDir(), test.folder)
		put(t, dir, test.there)
		got := scaffold.Identity(dir)
		if got != test.want || lockv2.CheckRepository(got) != nil {
			t.Errorf("%s %v: %q, want %q", test.folder, test.there, got, test.want)
		}
	}
	for _, bad := range []string{"", "a b", "../x"} {
		if _, err := scaffold.NewCatalog(bad, "app", "README.md"); code(err) != scaffold.CodeIdentity {
			t.Errorf("identity %q: %v", bad, err)
		}
	}
	if _, err := scaffold.NewCatalog("a", "A", "README.md"); code(err) != scaffold.CodeInvalidRecipe {
		t.Errorf("recipe: %v", err)
	}
}
