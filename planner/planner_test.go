package planner_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// app is a small catalog: a seed, an executable, two components, contracts that both register.
func app() catalogtest.Catalog {
	return catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Registrations: registration("routes", "routes"), Materials: []catalogtest.Material{
				{Destination: "README.md", Ownership: "seed", Content: "# app\n"},
				{Destination: "bin/run", Content: "#!/bin/sh\n", Executable: true},
				{Destination: "ci/build.yml", Content: "steps: [build]\n"},
				{Destination: "contracts/manifest.json", Generator: catalog.GeneratorContractManifestV1},
			}},
			{ID: "capability.cli", Registrations: registration("cli_interface", "cli-interface"), Materials: []catalogtest.Material{
				{Destination: "docs/cli.md", Content: "one\ntwo\n"},
				{Destination: "docs/deep/er.md", Content: ""},
			}},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Default: []string{"capability.cli"}}},
	}
}

func registration(id, name string) string {
	return `[{"id": "` + id + `", "document": "contracts/` + name + `.json", "schema": "schemas/` + name + `.schema.json", "migration_slug": "` + name + `",
		"document_schema_version": 2, "version_history": [{"version": 1, "change_type": "initial"},
		{"version": 2, "change_type": "breaking", "migration": "docs/migrations/` + name + `.md"}], "purpose": "purpose of ` + name + `"}]`
}

func choice(t testing.TB) resolver.Config {
	t.Helper()
	cfg, err := resolver.FromSelection("app", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func materialize(t testing.TB, c catalogtest.Catalog) *planner.Composition {
	t.Helper()
	comp, err := planner.Materialize(t.Context(), catalogtest.Load(t, c.Files()), "example/catalog", choice(t))
	if err != nil {
		t.Fatal(err)
	}
	return comp
}

func TestMaterialize(t *testing.T) {
	comp := materialize(t, app())
	want := []string{
		".template-composition/about.txt managed\n", "README.md # app\n", "bin/run #!/bin/sh\n", "ci/build.yml steps: [build]\n",
		"contracts/manifest.json ", "docs/cli.md one\ntwo\n", "docs/deep/er.md "}
	if len(comp.Materials) != len(want) || len(comp.Lock.Files) != len(want) {
		t.Fatalf("%d materials, %d files in the lock, want %d", len(comp.Materials), len(comp.Lock.Files), len(want))
	}
	for i := range comp.Materials {
		m := &comp.Materials[i]
		r, err := comp.Open(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		destination, _, _ := strings.Cut(want[i], " ")
		if sum := sha256.Sum256(b); string(m.Destination) != destination || hex.EncodeToString(sum[:]) != m.Digest.String() || m.Size != int64(len(b)) || comp.Lock.Files[i].Digest != m.Digest {
			t.Errorf("material %d is %+v with bytes %q, want %s", i, *m, b, destination)
		}
		if m.Executable != (destination == "bin/run") {
			t.Errorf("%s: executable %v", destination, m.Executable)
		}
		if destination == "contracts/manifest.json" {
			golden(t, "manifest.json", b)
		}
	}
	golden(t, "lock.json", comp.LockBytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs; got\n%s", path, got)
	}
}

func TestMaterializeRefuses(t *testing.T) {
	cases := []struct {
		name       string
		change     func(cli *catalogtest.Component)
		code       string
		components string
		says       []string
	}{
		{"the same destination", materials("README.md"), "DESTINATION_COLLISION", "artifact.app capability.cli", []string{`"README.md"`, `"artifact.app"`, `"capability.cli"`}},
		{"another spelling", materials("readme.md"), "DESTINATION_COLLISION", "artifact.app capability.cli", []string{`"README.md"`, `"readme.md"`}},
		{"a file where another has a folder", materials("bin"), "DESTINATION_COLLISION", "artifact.app capability.cli", []string{`"bin"`, `"bin/run"`}},
		{"a folder in two spellings", materials("BIN/other"), "DESTINATION_COLLISION", "artifact.app capability.cli", []string{`"BIN/other"`, `"bin/run"`}},
		{"the composer's folder in another spelling", materials(".Template-Composition/notes.md"), "RESERVED_DESTINATION", "capability.cli",
			[]string{`.Template-Composition/notes.md: component "capability.cli" spells compose's own folder in another way; that is ".template-composition": write it so, or choose another folder`}},
		{"a contract id twice", func(c *catalogtest.Component) { c.Registrations = registration("routes", "other") },
			"DUPLICATE_CONTRACT_REGISTRATION", "artifact.app capability.cli",
			[]string{`routes: the contract id "routes" is registered by components "artifact.app" and "capability.cli"; register it once`}},
		{"a contract id twice in one component", func(c *catalogtest.Component) {
			c.Registrations = strings.TrimSuffix(registration("a", "a"), "]") + "," + strings.TrimPrefix(registration("a", "b"), "[")
		}, "DUPLICATE_CONTRACT_REGISTRATION", "capability.cli", []string{`a: component "capability.cli" registers the contract id "a" twice; register it once`}},
		{"a contract schema in two spellings in one component", func(c *catalogtest.Component) {
			b := strings.Replace(registration("b", "b"), "schemas/b.schema.json", "schemas/A.schema.json", 1)
			c.Registrations = strings.TrimSuffix(registration("a", "a"), "]") + "," + strings.TrimPrefix(b, "[")
		}, "DUPLICATE_CONTRACT_REGISTRATION", "capability.cli", []string{`b: component "capability.cli" registers the contract schema "schemas/A.schema.json" and, for the contract "a", "schemas/a.schema.json", which differ in case alone; a system that ignores case has room for one: rename one of them`}},
		{"a contract document in two spellings", func(c *catalogtest.Component) {
			c.Registrations = strings.Replace(registration("other", "other"), "contracts/other.json", "contracts/Routes.json", 1)
		}, "DUPLICATE_CONTRACT_REGISTRATION", "artifact.app capability.cli", []string{`"contracts/routes.json"`, `"contracts/Routes.json"`, "differ in case alone"}},
		{"a contract schema twice", func(c *catalogtest.Component) {
			c.Registrations = strings.Replace(registration("other", "other"), "schemas/other.schema.json", "schemas/routes.schema.json", 1)
		}, "DUPLICATE_CONTRACT_REGISTRATION", "artifact.app capability.cli", []string{`schema "schemas/routes.schema.json"`}},
		{"a Git LFS pointer", func(c *catalogtest.Component) {
			c.Materials[0].Content = "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"
		}, "SOURCE_LFS_POINTER", "capability.cli", []string{"components/capability.cli/files/docs/cli.md"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cat := app()
			c.change(&cat.Components[1])
			_, err := planner.Materialize(t.Context(), catalogtest.Load(t, cat.Files()), "example/catalog", choice(t))
			var fault *planner.Error
			if !errors.As(err, &fault) || fault.Code() != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			var ids []string
			for _, id := range fault.Components {
				ids = append(ids, string(id))
			}
			if got := strings.Join(ids, " "); got != c.components {
				t.Errorf("components %q, want %q", got, c.components)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %s", err, part)
				}
			}
		})
	}
}

// A blob that can't be read is named by its component and source, not by its id alone.
func TestUnreadableMaterialIsNamed(t *testing.T) {
	files := app().Files()
	const path = "components/capability.cli/files/docs/cli.md"
	files[path] = catalogtest.File{Content: "gone", Missing: true}
	_, err := planner.Materialize(t.Context(), catalogtest.Load(t, files), "example/catalog", choice(t))
	var coded diag.Coded
	if !errors.As(err, &coded) || coded.Code() != "READ_FAILED" || coded.Path() != path {
		t.Fatalf("got %v", err)
	}
	const want = path + ": can't be read: bc99ab0395bd95dcc9bd3ba97c0342049586208d: the object is missing"
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s...", err, want)
	}
}

func materials(destinations ...string) func(*catalogtest.Component) {
	return func(c *catalogtest.Component) {
		for _, d := range destinations {
			c.Materials = append(c.Materials, catalogtest.Material{Destination: d, Content: "x"})
		}
	}
}

func TestMaterializeEnds(t *testing.T) {
	cat := catalogtest.Load(t, app().Files())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := planner.Materialize(ctx, cat, "example/catalog", choice(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// target makes a folder that holds these files; a name that ends in "/" is a folder.
func target(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		full := filepath.Join(dir, path)
		if strings.HasSuffix(path, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func plan(t *testing.T, comp *planner.Composition, dir string) (*planner.InitialPlan, error) {
	t.Helper()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return planner.Initial(t.Context(), comp, root)
}

func TestAbsentTarget(t *testing.T) {
	comp := materialize(t, app())
	p, err := planner.Initial(t.Context(), comp, nil)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := plan(t, comp, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	doc := strictjson.Encode(p.Document())
	golden(t, "initial-plan.json", doc)
	if string(strictjson.Encode(empty.Document())) != string(doc) {
		t.Error("the plan for an empty target differs from the one for an absent target")
	}
	conforms(t, p)
}

func conforms(t *testing.T, p *planner.InitialPlan) {
	t.Helper()
	for _, v := range schemas.Validate(schemas.InitialPlan, p.Document()) {
		t.Errorf("the plan breaks its schema at %s: %s", v.Pointer, v.Message)
	}
}

func TestAdopts(t *testing.T) {
	comp := materialize(t, app())
	dir := target(t, map[string]string{"README.md": "# app\n", "docs/deep/er.md": "", "mine": "x"})
	if err := os.Chmod(filepath.Join(dir, "README.md"), 0o755); err != nil { // the bit is no part of the bytes
		t.Fatal(err)
	}
	p, err := plan(t, comp, dir)
	if err != nil {
		t.Fatal(err)
	}
	conforms(t, p)
	if len(p.Conflicts) != 0 || len(p.Actions) != len(comp.Materials) {
		t.Fatalf("conflicts %+v, actions %+v", p.Conflicts, p.Actions)
	}
	for _, a := range p.Actions {
		adopt := slices.Contains([]string{"README.md", "docs/deep/er.md"}, string(a.Material.Destination))
		if (a.Kind == planner.AdoptIdentical) != adopt {
			t.Errorf("%s: %s", a.Material.Destination, a.Kind)
		}
	}
}

func TestRefusesManaged(t *testing.T) {
	comp := materialize(t, app())
	for _, c := range []struct{ path, code string }{
		{".template-composition/lock.json", "INITIAL_MODE_REQUIRES_UNMANAGED_TARGET"},
		{".template-composition/transaction.json", "RECOVERY_REQUIRED"},
		{".template-composition/transaction.json/", "RECOVERY_REQUIRED"},
	} {
		dir := target(t, map[string]string{c.path: "no JSON", "README.md": "other"})
		_, err := plan(t, comp, dir)
		var fault diag.Coded
		if !errors.As(err, &fault) || fault.Code() != c.code {
			t.Errorf("%s: got %v, want %s", c.path, err, c.code)
		}
	}
	dir := target(t, map[string]string{".template-composition/lock.json": "", ".template-composition/transaction.json": ""})
	_, err := plan(t, comp, dir)
	var fault diag.Coded
	if !errors.As(err, &fault) || fault.Code() != "RECOVERY_REQUIRED" {
		t.Errorf("lock and marker: got %v", err)
	}
}
