package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
)

// The whole text of messages that went wrong once: what is wrong, where, and what to do next.
func TestMessages(t *testing.T) {
	const rev = "REVISION"
	for name, tt := range map[string]struct {
		change func(catalogtest.Files)
		want   string // of the only fault
	}{
		"no catalog": {func(f catalogtest.Files) { drop(f, "catalog/") },
			`catalog/catalog.json: is not in the revision, so the source holds no catalog at ` + rev + `; name another source or revision, or start a catalog`},
		"the catalog's folder is a file": {func(f catalogtest.Files) { drop(f, "catalog/"); f.Set("catalog", "") },
			`catalog/catalog.json: is not in the revision: "catalog" is a file, not a folder, so the source holds no catalog at ` + rev + `; name another source or revision, or start a catalog`},
		"one topology in two lists": {both(setRecipe("bare", "required_components", []string{"topology.one"}), setRecipe("bare", "default_components", []string{"topology.one"})),
			`recipes/bare.json#/default_components/0: "topology.one" is in "required_components", too; a component is required, default or optional: keep one of them`},
		"a destination that is no path": {setMaterial("capability.cli", 0, "destination", "docs/aux.md"),
			`components/capability.cli/component.json#/materials/0/destination: "docs/aux.md" is no portable path: segment "aux.md" is a device name on Windows; choose a destination that every system can hold`},
		"a source that is no path": {setMaterial("capability.cli", 0, "source", "files/a b.md"),
			`components/capability.cli/component.json#/materials/0/source: "files/a b.md" is no portable path: segment "a b.md" holds a character other than A-Z a-z 0-9 . _ -; rename the file so that every system can hold it`},
	} {
		t.Run(name, func(t *testing.T) {
			files := sound().Files()
			tt.change(files)
			source := catalogtest.Source(t, files)
			found, err := catalog.Check(context.Background(), source)
			if err != nil || len(found) != 1 {
				t.Fatalf("got %v, %v", found, err)
			}
			want := strings.Replace(tt.want, rev, string(source.Revision()), 1)
			if got := found[0].Error(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestIdentityMessage(t *testing.T) {
	c := catalogtest.Load(t, catalogtest.Catalog{Repository: "-"}.Files())
	const want = `the identity that was given for the source is "bad name\n"; want names of A-Z a-z 0-9 . _ - separated by "/", such as example-org/templates`
	if _, err := c.Identity("bad name\n"); err == nil || err.Error() != want || code(err) != "SOURCE_IDENTITY_REQUIRED" {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A URL without a revision is told from a path that is not there, and no secret in it is repeated.
func TestLocationMessage(t *testing.T) {
	const (
		remote  = ": a source that is named by a URL needs the full id of the commit to compose from: --revision"
		ask     = "compose source resolve "
		missing = ": there is no such folder; name the top folder of a git repository"
	)
	for location, want := range map[string][3]string{ // code, message, hint
		"https://example.org/team/templates.git":        {"REVISION_REQUIRED", "https://example.org/team/templates.git" + remote, ask + "https://example.org/team/templates.git"},
		"https://me:secret@example.org/templates":       {"REVISION_REQUIRED", "https://example.org/templates" + remote, ask + "https://example.org/templates"},
		"https://token@example.org/a@b":                 {"REVISION_REQUIRED", "https://example.org/a@b" + remote, ask + "https://example.org/a@b"},
		"ssh://git:secret@example.org:22/templates.git": {"REVISION_REQUIRED", "ssh://git@example.org/templates.git" + remote, ask + "ssh://git@example.org/templates.git"},
		"git@example.org:team/templates.git":            {"REVISION_REQUIRED", "git@example.org:team/templates.git" + remote, ask + "git@example.org:team/templates.git"},
		"https://example.org/$(x)":                      {"REVISION_REQUIRED", "https://example.org/%24%28x%29" + remote, ask + "https://example.org/%24%28x%29"},
		"file:///srv/templates":                         {"REVISION_REQUIRED", "file:///srv/templates" + remote, ask + "file:///srv/templates"},
		"builtin:nope":                                  {"INVALID_SOURCE", "builtin:nope: there is no such source built in; use builtin:starter, or name a git repository", ""},
		"./builtin:nope":                                {"INVALID_SOURCE", "./builtin:nope" + missing, ""},
		"nowhere":                                       {"INVALID_SOURCE", "nowhere" + missing, ""},
		"no/such:folder":                                {"INVALID_SOURCE", "no/such:folder" + missing, ""},
		"C:nowhere":                                     {"INVALID_SOURCE", "C:nowhere" + missing, ""},
	} {
		_, err := catalog.Open(context.Background(), location, "")
		var coded diag.Coded
		if !errors.As(err, &coded) || coded.Code() != want[0] || err.Error() != want[1] || coded.Hint() != want[2] {
			t.Errorf("%s: got %v\nwant %s", location, err, want[1])
		}
	}
}

// A folder can't stand in for a server: its path has to look like one.
func TestSourceWithAColon(t *testing.T) {
	folder, _ := checkout(t, sound().Files())
	path := filepath.Join(filepath.Dir(folder), "host:templates")
	if err := os.Rename(folder, path); err != nil {
		t.Skip(err)
	}
	t.Chdir(filepath.Dir(path))
	_, err := catalog.Open(context.Background(), "host:templates", "")
	var coded diag.Coded
	if !errors.As(err, &coded) || coded.Code() != catalog.CodeRevisionRequired {
		t.Errorf("error %v", err)
	}
	source, err := catalog.Open(context.Background(), "./host:templates", "")
	if err != nil {
		t.Fatal(err)
	}
	source.Close()
}

// What can't be read as a URL is shown without what may be a secret of it.
func TestShown(t *testing.T) {
	for _, location := range []string{
		"https://me:geheim@git.example.org/x?y", "htps://me:geheim@git.example.org/x", "https://me:geheim@git.example.org", "https://me:geheim@git.example.org/%zz",
		"https://me:geheim@git.example.org/x", "ssh://me:geheim@git.example.org/x", "me:geheim@git.example.org:x", "https://geheim@git.example.org/x",
		"me:geheim@host/x", "//me:geheim@host/x", "x::https://me:geheim@host/x", "builtin:https://me:geheim@h/x", "./https://me:geheim@h/x",
		"http//me:geheim@git.example.org/x", "https:/me:geheim@git.example.org/x", "HTTPS//me:geheim@git.example.org/x",
	} {
		if shown := catalog.Shown(location); strings.Contains(shown, "geheim") {
			t.Errorf("%s is shown as %s", location, shown)
		}
		if _, err := catalog.Open(context.Background(), location, ""); err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: error %v", location, err)
		}
	}
	for _, location := range []string{"../templates", "builtin:starter", "/srv/templates", "https://git.example.org/x"} {
		if shown := catalog.Shown(location); shown != location {
			t.Errorf("%s is shown as %s", location, shown)
		}
	}
}
