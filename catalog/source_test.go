package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
)

func code(err error) string {
	var coded diag.Coded
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return fmt.Sprint(err)
}

// checkout makes a repository on disk with git and returns its folder and the commit.
func checkout(t *testing.T, files catalogtest.Files) (folder string, git func(args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	folder = t.TempDir()
	git = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", folder}, args...)...)
		// A hook that runs the tests has variables of git.
		env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
		cmd.Env = append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	for path, f := range files {
		full := filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(f.Content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-q", "-m", "catalog")
	return folder, git
}

func TestOpen(t *testing.T) {
	ctx := context.Background()
	folder, git := checkout(t, sound().Files())
	rev := git("rev-parse", "HEAD")
	open := func(location, revision string) (*catalog.Source, error) {
		s, err := catalog.Open(ctx, location, revision)
		if err == nil {
			t.Cleanup(func() { s.Close() })
		}
		return s, err
	}

	s, err := open(folder, "")
	if err != nil || s.Revision() != lockv2.Revision(rev) {
		t.Fatalf("Open = %v, %v", s, err)
	}
	if _, err := catalog.Load(ctx, s); err != nil {
		t.Error(err)
	}
	bare := t.TempDir()
	git("clone", "-q", "--bare", folder, bare)
	if s, err := open(bare, ""); err != nil || s.Revision() != lockv2.Revision(rev) {
		t.Errorf("bare: %v, %v", s, err)
	}
	if _, err := open(starter.Location, ""); err != nil {
		t.Error(err)
	}
	tree := git("rev-parse", "HEAD^{tree}")
	for revision, want := range map[string]string{
		"main": "INVALID_REVISION", rev[:12]: "INVALID_REVISION", strings.ToUpper(rev): "INVALID_REVISION",
		strings.Repeat("0", 40): "INVALID_REVISION", strings.Repeat("1", 40): "INVALID_REVISION", tree: "INVALID_REVISION",
	} {
		if _, err := open(folder, revision); code(err) != want {
			t.Errorf("revision %q: %v", revision, err)
		}
	}
	if _, err := open(filepath.Join(folder, "recipes"), ""); code(err) != "INVALID_SOURCE" {
		t.Errorf("a folder in it: %v", err)
	}

	for i := range 12 {
		name := fmt.Sprintf("more/file-%02d.txt", i)
		os.MkdirAll(filepath.Join(folder, "more"), 0o755)
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open(folder, ""); err != nil {
		t.Errorf("untracked files: %v", err)
	}
	git("add", "-A")
	_, err = open(folder, "")
	if code(err) != "DIRTY_SOURCE" {
		t.Fatalf("staged files: %v", err)
	}
	if text := err.Error(); !strings.Contains(text, `"more/file-09.txt" (its addition is staged) and 2 more`) || strings.Contains(text, "file-10") {
		t.Errorf("the message is %q", text)
	}
	var coded diag.Coded
	if errors.As(err, &coded); coded.Hint() != "--revision "+rev {
		t.Errorf("the hint is %q", coded.Hint())
	}
	if _, err := open(folder, rev); err != nil {
		t.Errorf("with a revision: %v", err)
	}
}

func TestIdentity(t *testing.T) {
	load := func(repository string) *catalog.Catalog {
		return catalogtest.Load(t, catalogtest.Catalog{Repository: repository}.Files())
	}
	named, nameless := load("org/templates"), load("-")
	for _, tt := range []struct {
		c          *catalog.Catalog
		given      string
		want, code string
	}{
		{named, "", "org/templates", ""},
		{named, "org/templates", "org/templates", ""},
		{named, "org/other", "", "SOURCE_IDENTITY_MISMATCH"},
		{nameless, "org/other", "org/other", ""},
		{nameless, "", "", "SOURCE_IDENTITY_REQUIRED"},
		{nameless, "a b", "", "SOURCE_IDENTITY_REQUIRED"},
		{nameless, "../x", "", "SOURCE_IDENTITY_REQUIRED"},
	} {
		got, err := tt.c.Identity(tt.given)
		if got != tt.want || tt.code != "" && code(err) != tt.code || tt.code == "" && err != nil {
			t.Errorf("Identity(%q) of %q = %q, %v", tt.given, tt.c.Repository, got, err)
		}
	}
}

func TestLoadReadsEverything(t *testing.T) {
	r := catalogtest.Repository(t)
	rev := r.Commit(sound().Files())
	c, err := catalog.Load(context.Background(), r.Source(rev))
	if err != nil {
		t.Fatal(err)
	}
	if c.Revision() != rev || c.Repository != "example/catalog" || len(c.Components) != 10 || len(c.Recipes) != 2 {
		t.Errorf("catalog %+v", c)
	}
	if c.Component("capability.none") != nil || c.Recipe("none") != nil || c.Component("") != nil {
		t.Error("something that is not there is found")
	}
	app := c.Component("artifact.app")
	if got := fmt.Sprint(app.Requires, app.Version, len(app.Materials), app.Materials[1].Executable, app.Materials[0].Executable); got != "[foundation.base lifecycle.composition-state] 1 2 true false" {
		t.Error(got)
	}
	if cli := c.Component("capability.cli"); cli.Version != 3 || cli.ParametersSchema == nil || cli.Materials[0].Compose != "include-v1" || cli.Digest == app.Digest {
		t.Errorf("%+v", cli)
	}
	contracts := c.Component("lifecycle.contracts")
	if got := fmt.Sprintf("%+v", contracts.Registrations); got != "[{ID:routes Document:contracts/routes.json Schema:schemas/routes.schema.json MigrationSlug:routes DocumentSchemaVersion:2 VersionHistory:[{Version:1 ChangeType:initial Migration:} {Version:2 ChangeType:additive Migration:} {Version:4 ChangeType:breaking Migration:docs/migrations/routes.md}] Purpose:routes}]" {
		t.Error(got)
	}
	if m := contracts.Materials[0]; m.Generator != catalog.GeneratorContractManifestV1 || m.Source != "" || !m.Blob.IsZero() {
		t.Errorf("%+v", m)
	}
	recipe := c.Recipe("app")
	if got := fmt.Sprint(recipe.Artifact, recipe.Required, recipe.Default, recipe.Optional); got != "artifact.app[lifecycle.contracts] [capability.cli topology.one] [capability.mcp topology.two]" {
		t.Error(got)
	}

	stream, err := c.OpenMaterial(context.Background(), &app.Materials[0])
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if b, err := io.ReadAll(stream); string(b) != "# app\n" || err != nil {
		t.Errorf("material %q, %v", b, err)
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	source := catalogtest.Source(t, sound().Files())
	cancel()
	if _, err := catalog.Load(ctx, source); !errors.Is(err, context.Canceled) {
		t.Errorf("Load: %v", err)
	}
	if _, err := catalog.Check(ctx, source); !errors.Is(err, context.Canceled) {
		t.Errorf("Check: %v", err)
	}
}

// Whatever a descriptor holds, Load and Check agree, and neither panics.
func FuzzDescriptor(f *testing.F) {
	good := sound().Files()
	for path, file := range good {
		if strings.HasSuffix(path, "/component.json") {
			f.Add([]byte(file.Content))
		}
	}
	for _, text := range []string{"", "{", "[]", `{"id":"topology.two","id":"x"}`, "\xef\xbb\xbf{}", `{"version":1e999999999}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		source := catalogtest.Source(t, good.Clone().Set(descriptor("topology.two"), string(b)))
		found, err := catalog.Check(context.Background(), source)
		if err != nil {
			t.Fatal(err)
		}
		_, err = catalog.Load(context.Background(), source)
		if err != nil && (len(found) == 0 || found[0].Error() != err.Error()) {
			t.Errorf("Load says %v, Check %v", err, found)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		source := catalogtest.Source(b, catalogtest.Large(n, 40).Files())
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := catalog.Load(context.Background(), source); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("check/%d", n), func(b *testing.B) {
			for b.Loop() {
				if found, err := catalog.Check(context.Background(), source); err != nil || len(found) > 0 {
					b.Fatal(found, err)
				}
			}
		})
	}
}
