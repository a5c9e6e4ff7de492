package planner_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/planner"
)

// A recipe that nobody can compose as it is, is named with the reason a plan would give.
func TestCheckRecipes(t *testing.T) {
	file := func(destinations ...string) (list []catalogtest.Material) {
		for _, d := range destinations {
			list = append(list, catalogtest.Material{Destination: d, Content: d})
		}
		return list
	}
	cat := catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Registrations: registration("routes", "routes")},
			{ID: "capability.a", Conflicts: []string{"capability.b"}, Materials: file("both.md", "a.md")},
			{ID: "capability.b", Conflicts: []string{"capability.a"}, Materials: file("both.md", "b.md")},
			{ID: "capability.c", Materials: file("A.md", "c.md", "C.md")},
			{ID: "capability.copy", Registrations: strings.Replace(registration("copy", "copy"), "contracts/copy.json", "contracts/Routes.json", 1)},
			{ID: "capability.asks", ParametersSchema: `{"required":["name"]}`, Materials: file("c.md/x")},
			{ID: "capability.reserved", Materials: file(".template-composition/lock.json")},
			{ID: "capability.one", Requires: []string{"topology.one", "workspace.one"}},
			{ID: "topology.one", Materials: file("topology.md")}, {ID: "topology.two", Materials: file("topology.md")},
			{ID: "workspace.one"}, {ID: "workspace.two"},
		},
		Recipes: []catalogtest.Recipe{
			{ID: "apart", Artifact: "artifact.app", Required: []string{"capability.a"}, Default: []string{"capability.b"}},
			{ID: "asks", Artifact: "artifact.app", Default: []string{"capability.asks"}},
			{ID: "collide", Artifact: "artifact.app", Default: []string{"capability.a", "capability.c"}},
			{ID: "contracts", Artifact: "artifact.app", Default: []string{"capability.copy"}},
			{ID: "fine", Artifact: "artifact.app", Default: []string{"capability.a"}, Optional: []string{"capability.b", "capability.c"}},
			{ID: "itself", Artifact: "artifact.app", Default: []string{"capability.c", "capability.reserved"}},
			{ID: "several", Artifact: "artifact.app", Default: []string{"capability.asks", "capability.c", "capability.one", "topology.two", "workspace.two"}},
		},
	}
	want := []string{
		`COMPONENT_CONFLICT [capability.a capability.b] recipes/apart.json: can't be composed as it is: capability.a: conflicts with "capability.b", which recipe "apart" selects by default; it is here because recipe "apart" always selects "capability.a": leave one of them out`,
		`DESTINATION_COLLISION [capability.a capability.c] recipes/collide.json: can't be composed as it is: a.md: "A.md" and "a.md" differ in case alone; a system that ignores case has room for one (from component "capability.c" and component "capability.a"); change a destination, or choose without one of them`,
		`DUPLICATE_CONTRACT_REGISTRATION [artifact.app capability.copy] recipes/contracts.json: can't be composed as it is: routes: component "artifact.app" registers the contract document "contracts/routes.json", and component "capability.copy", for the contract "copy", "contracts/Routes.json", which differ in case alone; a system that ignores case has room for one: rename one of them`,
		`MULTIPLE_TOPOLOGY_COMPONENTS [topology.one topology.two] recipes/several.json: can't be composed as it is: topology.two: a composition has at most one topology component, and this has "topology.one", "topology.two": "capability.one" requires "topology.one", and recipe "several" selects by default "topology.two"; leave all but one out`,
		`MULTIPLE_WORKSPACE_COMPONENTS [workspace.one workspace.two] recipes/several.json: can't be composed as it is: workspace.two: a composition has at most one workspace component, and this has "workspace.one", "workspace.two": "capability.one" requires "workspace.one", and recipe "several" selects by default "workspace.two"; leave all but one out`,
		`DESTINATION_COLLISION [capability.asks capability.c] recipes/several.json: can't be composed as it is: c.md/x: "C.md" and "c.md/x" meet: a file can't be a folder of another (from component "capability.c" and component "capability.asks"); change a destination, or choose without one of them`,
	}
	for _, workers := range []int{1, 7} {
		before := runtime.GOMAXPROCS(workers)
		found, err := planner.CheckRecipes(t.Context(), catalogtest.Load(t, cat.Files()))
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range found {
			got = append(got, fmt.Sprintf("%s %v %v", e.Code(), e.Components, e))
			if !strings.HasPrefix(e.Error(), e.Path()+": ") || !strings.HasPrefix(e.Path(), "recipes/") {
				t.Errorf("%v has the path %q", e, e.Path())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := planner.CheckRecipes(ctx, catalogtest.Load(t, cat.Files())); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// What CheckRecipes finds nothing wrong with can be composed, and the other way round, parameters and single components apart.
func TestCheckRecipesAgreesWithPlans(t *testing.T) {
	cat := app()
	if found, err := planner.CheckRecipes(t.Context(), catalogtest.Load(t, cat.Files())); err != nil || len(found) != 0 {
		t.Errorf("got %v, %v", found, err)
	}
	cat.Components[1].Materials = append(cat.Components[1].Materials, catalogtest.Material{Destination: "readme.md", Content: "x"})
	loaded := catalogtest.Load(t, cat.Files())
	found, err := planner.CheckRecipes(t.Context(), loaded)
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v, %v", found, err)
	}
	_, err = planner.Materialize(t.Context(), loaded, "example/catalog", choice(t))
	if fault := (*planner.Error)(nil); !errors.As(err, &fault) || fault.Code() != found[0].Code() || found[0].Error() != "recipes/app.json: can't be composed as it is: "+err.Error() {
		t.Errorf("a check says %v\na plan %v", found[0], err)
	}
}
