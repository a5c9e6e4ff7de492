package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/graph"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
)

// platform is a catalog in which everything happens once.
func platform() catalogtest.Catalog {
	file := func(destination, ownership string) catalogtest.Material {
		return catalogtest.Material{Destination: destination, Ownership: ownership, Content: destination}
	}
	return catalogtest.Catalog{
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Required: []string{"capability.base"}, Default: []string{"capability.lint", "capability.run"}, Optional: []string{"capability.more", "capability.rival"}}},
		Components: []catalogtest.Component{
			{ID: "artifact.app", Requires: []string{"foundation.ground"}, Materials: []catalogtest.Material{file("README.md", "seed"), file("docs/a.md", ""), file("docs/b.md", "seed"), file("docs/deep/er/c.md", "")}},
			{ID: "capability.base"},
			{ID: "capability.lint", Conflicts: []string{"capability.rival", "capability.old"}},
			{ID: "capability.more", Requires: []string{"capability.base", "foundation.ground"}},
			{ID: "capability.old"},
			{ID: "capability.rival"},
			{ID: "capability.run", Version: 3},
			{ID: "capability.strange", Conflicts: []string{"foundation.ground", "capability.lint"}},
			{ID: "foundation.ground"},
		},
	}
}

func of(t testing.TB, c catalogtest.Catalog, config string) (*graph.Model, error) {
	t.Helper()
	cfg, err := resolver.ParseConfig("c.json", []byte(`{"schema_version":1,`+config+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return graph.Of(catalogtest.Load(t, c.Files()), "example-org/templates", cfg)
}

func TestOf(t *testing.T) {
	m, err := of(t, platform(), `"recipe":"app","components":{"include":["capability.more"],"exclude":["capability.run"]}`)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range m.Components {
		got += fmt.Sprintf("%s v%d %s requires %v needed by %v conflicts %v %v\n", c.ID, c.Version, c.Reason, c.Requires, c.NeededBy, c.Conflicts, c.Folders)
	}
	want := `artifact.app v1 artifact requires [foundation.ground lifecycle.composition-state] needed by [] conflicts [] [1 seed 1 managed, 1 seed 1 managed]
capability.base v1 required requires [] needed by [capability.more] conflicts [] [1 managed]
capability.lint v1 default requires [] needed by [] conflicts [capability.old capability.rival capability.strange] [1 managed]
capability.more v1 include requires [capability.base foundation.ground] needed by [] conflicts [] [1 managed]
foundation.ground v1 needed requires [] needed by [artifact.app capability.more] conflicts [capability.strange] [1 managed]
lifecycle.composition-state v1 needed requires [] needed by [artifact.app] conflicts [] [1 managed]
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var outside []lockv2.ComponentID
	for _, o := range m.Outside {
		outside = append(outside, o.ID)
	}
	if fmt.Sprint(outside) != "[capability.old capability.rival capability.strange]" || m.Recipe.ID != "app" || m.Source.Repository != "example-org/templates" || !m.Source.Revision.Valid() {
		t.Errorf("outside %v, %+v, %+v", outside, m.Recipe, m.Source)
	}
	if folders := m.Components[0].Folders; folders[0].Path != "" || folders[1].Path != "docs" || folders[2].Path != "docs/deep/er" || m.Components[0].Files() != (graph.Files{Managed: 2, Seed: 2}) {
		t.Errorf("folders %+v", folders)
	}
	for _, v := range schemas.Validate(schemas.GraphResult, m.Document()) {
		t.Errorf("the document breaks its schema: %+v", v)
	}
}

func TestOfRefuses(t *testing.T) {
	m, err := of(t, platform(), `"recipe":"app","components":{"include":["capability.rival"]}`)
	var e *resolver.Error
	if m != nil || !errors.As(err, &e) || e.Code() != resolver.CodeComponentConflict {
		t.Errorf("got %v, %v", m, err)
	}
}

// The order in which a catalog lists things changes nothing.
func TestPicturesAreStable(t *testing.T) {
	other := platform()
	slices.Reverse(other.Components)
	for i := range other.Components {
		slices.Reverse(other.Components[i].Requires)
		slices.Reverse(other.Components[i].Conflicts)
		slices.Reverse(other.Components[i].Materials)
	}
	a, errA := of(t, platform(), `"recipe":"app"`)
	b, errB := of(t, other, `"recipe":"app"`)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	b.Source = a.Source // other bytes, another revision
	for name, draw := range pictures() {
		first := string(draw(a))
		if first != string(draw(b)) || first != string(draw(a)) {
			t.Errorf("%s differs", name)
		}
	}
}

// pictures are all ways to show a model, by the suffix of a file.
func pictures() map[string]func(*graph.Model) []byte {
	return map[string]func(*graph.Model) []byte{
		"svg": (*graph.Model).SVG, "mmd": (*graph.Model).Mermaid, "dot": (*graph.Model).DOT,
		"json": func(m *graph.Model) []byte { return strictjson.Encode(m.Document()) },
	}
}

// Past what Mermaid draws, folders go first, and then what others imply.
func TestMermaidBounds(t *testing.T) {
	for _, tt := range []struct {
		components       int
		folders, comment bool
	}{{50, true, false}, {190, false, false}, {400, false, true}} {
		text := string(model("platform", "Many", large(tt.components)).Mermaid())
		edges := strings.Count(text, " --> ") + strings.Count(text, " ==> ")
		if strings.Contains(text, "internal/") != tt.folders || strings.Contains(text, "%% left out because others imply them: ") != tt.comment {
			t.Errorf("%d components: %d bytes, %d lines", tt.components, len(text), edges)
		}
		if !tt.comment && (len(text) > 50_000 || edges > 500) {
			t.Errorf("%d components: %d bytes, %d lines, more than Mermaid draws", tt.components, len(text), edges)
		}
	}
}

// Many components that can't be in it are counted, few are named.
func TestOutsideIsFolded(t *testing.T) {
	for _, tt := range []struct {
		outside int
		want    string
	}{{10, ">old-9</text>"}, {11, ">11 components</text>"}} {
		var conflicts [][2]string
		for i := range tt.outside {
			conflicts = append(conflicts, [2]string{"capability.lint", fmt.Sprintf("capability.old-%d", i)})
		}
		svg := string(model("skill", "s", small, conflicts...).SVG())
		if !strings.Contains(svg, tt.want) {
			t.Errorf("%d outside: no %s", tt.outside, tt.want)
		}
		if got := strings.Count(svg, `cg-outside"><title>`); (got == tt.outside) != (tt.outside <= 10) {
			t.Errorf("%d outside: %d cards", tt.outside, got)
		}
	}
}

func BenchmarkSVG(b *testing.B) {
	for _, n := range []int{50, 1000} {
		m := model("platform", "Many", large(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				m.SVG()
			}
		})
	}
}
