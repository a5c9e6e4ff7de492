package planner_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// guide is a catalog with one composed material, two that are not, and what the files say.
func guide(compose string, files map[string]string) catalogtest.Files {
	all := catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Materials: []catalogtest.Material{{Destination: "other.md", Content: "other\n"}}},
			{ID: "capability.guide", Materials: []catalogtest.Material{
				{Destination: "guide.md", Compose: compose, Content: "# Guide\n@<parts/a.md>\n@<partials/head.md>\nend\n"},
			}},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Default: []string{"capability.guide"}}},
	}.Files()
	const parts = "components/capability.guide/files/parts/"
	all.Set(parts+"a.md", "a\n@<b.md>\n").Set(parts+"b.md", "b\n").Set("partials/head.md", "head\n@<foot.md>\n").Set("partials/foot.md", "foot\n")
	for name, text := range files {
		if all.Set(name, text); text == "" {
			delete(all, name)
		}
	}
	return all
}

// revisions returns what two revisions of one repository supply.
func revisions(t *testing.T, cfg resolver.Config, before, after catalogtest.Files) (old, now *planner.Composition) {
	t.Helper()
	r := catalogtest.Repository(t)
	made := make([]*planner.Composition, 2)
	for i, files := range []catalogtest.Files{before, after} {
		cat, err := catalog.Load(t.Context(), r.Source(r.Commit(files)))
		if err != nil {
			t.Fatal(err)
		}
		if made[i], err = planner.Materialize(t.Context(), cat, "example/catalog", cfg); err != nil {
			t.Fatal(err)
		}
	}
	return made[0], made[1]
}

func TestIncludesOfAnUpdate(t *testing.T) {
	const parts, source = "components/capability.guide/files/parts/", "components/capability.guide/files/guide.md"
	for _, tt := range []struct {
		name          string
		before, after catalogtest.Files
		want          string // of the one replaced file; "none" for no member
	}{
		{"a partial of a partial", guide("include-v1", nil), guide("include-v1", map[string]string{"partials/foot.md": "feet\n"}),
			`{"added":[],"removed":[],"changed":["partials/foot.md"]}`},
		{"several, and files come and go", guide("include-v1", nil), guide("include-v1", map[string]string{
			"partials/head.md": "heads\n@<hand.md>\n", "partials/hand.md": "hand\n", parts + "b.md": "bb\n"}),
			`{"added":["partials/hand.md"],"removed":["partials/foot.md"],"changed":["` + parts + `b.md","partials/head.md"]}`},
		{"the source alone", guide("include-v1", nil), guide("include-v1", map[string]string{source: "@<parts/a.md>\n@<partials/head.md>\n"}),
			`{"added":[],"removed":[],"changed":[]}`},
		{"moved to another folder", guide("include-v1", nil), guide("include-v1", map[string]string{
			source: "# Guide\n@<parts/a.md>\n@<partials/top/head.md>\n", "partials/top/head.md": "head\n@<foot.md>\n"}),
			`{"added":["partials/top/head.md"],"removed":["partials/head.md"],"changed":[]}`},
		{"the locked revision can't tell", guide("include-v1", nil).Clone(), guide("include-v1", map[string]string{"partials/foot.md": "feet\n"}), "none"},
		{"not composed", guide("", nil), guide("", map[string]string{source: "x\n"}), "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old, now := revisions(t, choice(t), tt.before, tt.after)
			if strings.HasPrefix(tt.name, "the locked") {
				old.Lock.Source.Revision = "1111111111111111111111111111111111111111"
			}
			dir := composed(t, old)
			if strings.HasPrefix(tt.name, "the locked") {
				dir = relocked(t, old, dir)
			}
			p := reconcile(t, planner.Update, now, dir)
			files, _ := p.Document().Whole().Get("files")
			replaced, _ := files.Get("replace")
			if len(replaced.Items) != 1 || len(p.Conflicts) > 0 {
				t.Fatalf("%d replaced, conflicts %v", len(replaced.Items), p.Conflicts)
			}
			got := "none"
			if includes, found := replaced.Items[0].Get("includes"); found {
				got = string(strictjson.AppendCompact(nil, includes))
			}
			if got != tt.want {
				t.Errorf("includes %s, want %s", got, tt.want)
			}
		})
	}
}

// relocked writes the lock of comp anew, after a test changed it.
func relocked(t *testing.T, comp *planner.Composition, dir string) string {
	t.Helper()
	write(t, dir, ".template-composition/lock.json", string(strictjson.Encode(comp.Lock.Value())))
	return dir
}

// In an upgrade a material may be composed only now.
func TestIncludesOfAnUpgrade(t *testing.T) {
	after := guide("include-v1", nil)
	const descriptor = "components/capability.guide/component.json"
	after.Set(descriptor, strings.Replace(after[descriptor].Content, `"version": 1`, `"version": 2`, 1))
	old, now := revisions(t, choice(t), guide("", nil), after)
	p := reconcile(t, planner.Upgrade, now, composed(t, old))
	for _, f := range p.Files {
		if f.Kind == planner.Replace {
			if got := fmt.Sprintf("%+v", f.Includes); got != "&{Added:[components/capability.guide/files/parts/a.md components/capability.guide/files/parts/b.md partials/foot.md partials/head.md] Removed:[] Changed:[]}" {
				t.Error(got)
			}
			return
		}
	}
	t.Error("nothing is replaced")
}

func TestComposedMaterial(t *testing.T) {
	cat := catalogtest.Load(t, guide("include-v1", nil))
	comp, err := planner.Materialize(t.Context(), cat, "example/catalog", choice(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range comp.Materials {
		if m := &comp.Materials[i]; m.Destination == "guide.md" {
			if got := content(t, comp, m); got != "# Guide\na\nb\nhead\nfoot\nend\n" || m.Size != int64(len(got)) {
				t.Errorf("got %q, size %d", got, m.Size)
			}
		}
	}
	// What includes nothing is the same composed and copied.
	plain := func(compose string) string {
		files := guide(compose, map[string]string{"components/capability.guide/files/guide.md": "\ufeff---\nx: 1\n---\r\ntext @<a.md>"})
		comp, err := planner.Materialize(t.Context(), catalogtest.Load(t, files), "example/catalog", choice(t))
		if err != nil {
			t.Fatal(err)
		}
		return comp.Lock.Files[len(comp.Lock.Files)-2].Digest.String() + string(comp.Lock.Files[len(comp.Lock.Files)-2].Destination)
	}
	if plain("include-v1") != plain("") {
		t.Error("a composed material that includes nothing differs from a copied one")
	}
}

func TestComposedMaterialRefused(t *testing.T) {
	cat := catalogtest.Load(t, guide("include-v1", map[string]string{"partials/foot.md": ""}))
	_, err := planner.Materialize(t.Context(), cat, "example/catalog", choice(t))
	var fault *catalog.Error
	if !errors.As(err, &fault) || fault.Code() != "ERR_INCLUDE_NOT_FOUND" || fault.Path() != "partials/head.md" {
		t.Fatalf("error %v", err)
	}
	if got := string(strictjson.AppendCompact(nil, strictjson.Obj(fault.Details()...))); got != `{"include_chain":["components/capability.guide/files/guide.md","partials/head.md"]}` {
		t.Errorf("details %s", got)
	}
}
