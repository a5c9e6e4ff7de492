package catalog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
)

// graph makes a catalog of components that require one another: "a" stands for capability.a.
func graph(requires map[string]string) catalogtest.Catalog {
	var c catalogtest.Catalog
	for id, list := range requires {
		comp := catalogtest.Component{ID: full(id)}
		for _, other := range strings.Fields(list) {
			comp.Requires = append(comp.Requires, full(other))
		}
		c.Components = append(c.Components, comp)
	}
	return c
}

func full(id string) string {
	if strings.Contains(id, ".") {
		return id
	}
	return "capability." + id
}

// messages returns what Check says, with capability. taken off.
func messages(t *testing.T, c catalogtest.Catalog) []string {
	t.Helper()
	found, err := catalog.Check(context.Background(), catalogtest.Source(t, c.Files()))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range found {
		_, text, _ := strings.Cut(f.Error(), ": ")
		list = append(list, f.Code()+" "+strings.ReplaceAll(text, "capability.", ""))
	}
	return list
}

func TestCyclesAndReach(t *testing.T) {
	const out = "; take one of them out"
	tests := map[string]struct {
		requires map[string]string
		want     []string
	}{
		"a diamond is none": {map[string]string{"a": "b c", "b": "d", "c": "d", "d": ""}, nil},
		"two":               {map[string]string{"b": "a", "a": "b"}, []string{`DEPENDENCY_CYCLE the requirements go round: "a" -> "b" -> "a"` + out}},
		"from the smallest": {map[string]string{"c": "a", "a": "b", "b": "c", "d": "c"}, []string{`DEPENDENCY_CYCLE the requirements go round: "a" -> "b" -> "c" -> "a"` + out}},
		"a shortest one":    {map[string]string{"a": "b z", "b": "c", "c": "a", "z": "a"}, []string{`DEPENDENCY_CYCLE the requirements go round: "a" -> "z" -> "a"` + out}},
		"two groups": {map[string]string{"x": "y", "y": "x", "a": "b x", "b": "a"}, []string{
			`DEPENDENCY_CYCLE the requirements go round: "a" -> "b" -> "a"` + out, `DEPENDENCY_CYCLE the requirements go round: "x" -> "y" -> "x"` + out}},
		"artifact, directly": {map[string]string{"artifact.a": "artifact.b", "artifact.b": ""}, []string{
			`MULTIPLE_ARTIFACTS the artifact "artifact.a" reaches a second one: "artifact.a" -> "artifact.b"; take one of these requirements out`}},
		"artifact, through another": {map[string]string{"artifact.a": "x", "x": "artifact.b", "artifact.b": ""}, []string{
			`GENERIC_ARTIFACT_DEPENDENCY "x" requires the artifact "artifact.b"; only artifacts may: let the artifact name "x" instead`,
			`MULTIPLE_ARTIFACTS the artifact "artifact.a" reaches a second one: "artifact.a" -> "x" -> "artifact.b"; take one of these requirements out`}},
		"artifact in a cycle with one": {map[string]string{"artifact.a": "artifact.b", "artifact.b": "artifact.a"}, []string{
			`DEPENDENCY_CYCLE the requirements go round: "artifact.a" -> "artifact.b" -> "artifact.a"` + out,
			`MULTIPLE_ARTIFACTS the artifact "artifact.a" reaches a second one: "artifact.a" -> "artifact.b"; take one of these requirements out`,
			`MULTIPLE_ARTIFACTS the artifact "artifact.b" reaches a second one: "artifact.b" -> "artifact.a"; take one of these requirements out`}},
		"artifact that comes back to itself": {map[string]string{"artifact.a": "x", "x": "artifact.a"}, []string{
			`DEPENDENCY_CYCLE the requirements go round: "artifact.a" -> "x" -> "artifact.a"` + out,
			`GENERIC_ARTIFACT_DEPENDENCY "x" requires the artifact "artifact.a"; only artifacts may: let the artifact name "x" instead`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := messages(t, graph(tt.requires)); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// The order of the lists changes no answer.
func TestOrderOfRequirementsIsNoMatter(t *testing.T) {
	const n = 40
	for seed := range 20 {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		requires := make([][]string, n)
		for i := range requires {
			for range r.IntN(3) {
				if id := fmt.Sprintf("capability.c%d", r.IntN(n)); !slices.Contains(requires[i], id) {
					requires[i] = append(requires[i], id)
				}
			}
		}
		var first []string
		for round := range 3 {
			var c catalogtest.Catalog
			for i := range requires {
				list := slices.Clone(requires[i])
				r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
				c.Components = append(c.Components, catalogtest.Component{ID: fmt.Sprintf("capability.c%d", i), Requires: list})
			}
			got := messages(t, c)
			if round == 0 {
				first = got
			} else if !slices.Equal(got, first) {
				t.Fatalf("seed %d: got\n%q\nfirst\n%q", seed, got, first)
			}
		}
	}
}

// A chain and a ring of thousands are walked without recursion and in linear time.
func TestManyComponents(t *testing.T) {
	const n = 5000
	build := func(ring bool) catalogtest.Catalog {
		var c catalogtest.Catalog
		for i := range n {
			comp := catalogtest.Component{ID: fmt.Sprintf("capability.c%05d", i)}
			if i+1 < n {
				comp.Requires = []string{fmt.Sprintf("capability.c%05d", i+1)}
			} else if ring {
				comp.Requires = []string{"capability.c00000"}
			}
			c.Components = append(c.Components, comp)
		}
		c.Components = append(c.Components, catalogtest.Component{ID: "artifact.a", Requires: []string{"capability.c00000"}})
		return c
	}
	files := build(false).Files()
	if c := catalogtest.Load(t, files); len(c.Components) != n+2 {
		t.Errorf("%d components", len(c.Components))
	}
	got := messages(t, build(true))
	if len(got) != 1 || strings.Count(got[0], "->") != n {
		t.Errorf("%d faults, %d arrows", len(got), strings.Count(got[0], "->"))
	}
}
