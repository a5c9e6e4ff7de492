package resolver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

func TestExplain(t *testing.T) {
	c := platform(t)
	tests := map[string]struct{ intent, id, want string }{
		"the artifact":               {`"recipe":"app"`, "artifact.app", `artifact: "artifact.app" is the artifact of recipe "app"`},
		"required":                   {`"recipe":"app"`, "lifecycle.release", `required: recipe "app" always selects "lifecycle.release"`},
		"a default":                  {`"recipe":"app"`, "topology.one", `default: recipe "app" selects by default "topology.one"`},
		"included":                   {`"recipe":"app","components":{"include":["capability.mcp"]}`, "capability.mcp", `include: the configuration includes "capability.mcp"`},
		"an included default":        {`"recipe":"app","components":{"include":["topology.one"]}`, "topology.one", `include: the configuration includes "topology.one"`},
		"through what is required":   {`"recipe":"app"`, "capability.cli", `required: recipe "app" always selects "lifecycle.release"; "lifecycle.release" requires "capability.cli"`},
		"itself rather than through": {`"recipe":"app","components":{"include":["capability.mcp"]}`, "capability.runtime", `default: recipe "app" selects by default "capability.runtime"`},
		"through what is included":   {`"recipe":"other","components":{"include":["capability.mcp"]}`, "capability.runtime", `include: the configuration includes "capability.mcp"; "capability.mcp" requires "capability.runtime"`},
		"through the artifact":       {`"recipe":"app"`, "foundation.base", `artifact: "artifact.app" is the artifact of recipe "app"; "artifact.app" requires "foundation.base"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := resolver.Explain(c, config(t, tt.intent))
			if err != nil {
				t.Fatal(err)
			}
			why, found := e.Of(lockv2.ComponentID(tt.id))
			if got := fmt.Sprintf("%s: %s", why.Selected, strings.Join(why.Steps, "; ")); got != tt.want || !found {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if len(why.Steps) != len(why.Chain) || why.Chain[len(why.Chain)-1] != lockv2.ComponentID(tt.id) {
				t.Errorf("chain %q", why.Chain)
			}
		})
	}
	e, err := resolver.Explain(c, config(t, `"recipe":"app"`))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []lockv2.ComponentID{"capability.mcp", "capability.none", ""} {
		if why, found := e.Of(id); found {
			t.Errorf("%s is in because of %q", id, why.Steps)
		}
	}
	if _, err := resolver.Explain(c, config(t, `"recipe":"none"`)); err == nil {
		t.Error("an unknown recipe has an explanation")
	}
}

// Of several shortest chains the strongest selection begins the one that is given, and then ids decide.
func TestExplainTakesTheFirstChain(t *testing.T) {
	c := catalogtest.Load(t, catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app"},
			{ID: "capability.a", Requires: []string{"foundation.x"}}, // a default
			{ID: "capability.b", Requires: []string{"foundation.x"}}, // required
			{ID: "capability.c", Requires: []string{"foundation.x", "foundation.y"}},
			{ID: "foundation.x", Requires: []string{"foundation.z"}},
			{ID: "foundation.y", Requires: []string{"foundation.z"}},
			{ID: "foundation.z"},
		},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Required: []string{"capability.c", "capability.b"}, Default: []string{"capability.a"}}},
	}.Files())
	e, err := resolver.Explain(c, config(t, `"recipe":"app"`))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[lockv2.ComponentID]string{
		"foundation.x": "[capability.b foundation.x]",
		"foundation.y": "[capability.c foundation.y]",
		"foundation.z": "[capability.b foundation.x foundation.z]",
	} {
		if why, _ := e.Of(id); fmt.Sprint(why.Chain) != want {
			t.Errorf("%s: got %v, want %s", id, why.Chain, want)
		}
	}
}

// Every chain begins with what is selected by itself, follows requirements, and is as short as one can be.
func TestExplainLaws(t *testing.T) {
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		catalogue, recipe := catalogtest.Catalog{}, catalogtest.Recipe{ID: "app", Artifact: "artifact.app"}
		var ids []string
		for i := range 12 {
			component := catalogtest.Component{ID: fmt.Sprintf("capability.c%d", i)}
			for _, other := range ids {
				if r.IntN(4) == 0 {
					component.Requires = append(component.Requires, other)
				}
			}
			catalogue.Components = append(catalogue.Components, component)
			ids = append(ids, component.ID)
			switch r.IntN(4) {
			case 0:
				recipe.Required = append(recipe.Required, component.ID)
			case 1:
				recipe.Default = append(recipe.Default, component.ID)
			case 2:
				recipe.Optional = append(recipe.Optional, component.ID)
			}
		}
		catalogue.Components = append(catalogue.Components, catalogtest.Component{ID: "artifact.app"})
		catalogue.Recipes = []catalogtest.Recipe{recipe}
		c := catalogtest.Load(t, catalogue.Files())
		choice := lockv2.Intent{Recipe: "app", Parameters: strictjson.Obj()}
		for _, id := range recipe.Optional {
			if r.IntN(2) == 0 {
				choice.Include = append(choice.Include, lockv2.ComponentID(id))
			}
		}
		cfg := resolver.Config{Intent: choice}
		e, err := resolver.Explain(c, cfg)
		if err != nil {
			t.Fatal(seed, err)
		}
		if resolved, err := resolver.Resolve(c, cfg); err != nil || !slices.Equal(resolved, e.Components()) {
			t.Fatalf("seed %d: %v explained, %v resolved (%v)", seed, e.Components(), resolved, err)
		}
		selected := slices.Concat([]lockv2.ComponentID{"artifact.app"}, c.Recipe("app").Required, c.Recipe("app").Default, choice.Include)
		distance := map[lockv2.ComponentID]int{}
		for wave, n := selected, 1; len(wave) > 0; n++ {
			var next []lockv2.ComponentID
			for _, id := range wave {
				if _, met := distance[id]; !met {
					distance[id] = n
					next = append(next, c.Component(id).Requires...)
				}
			}
			wave = next
		}
		for _, id := range e.Components() {
			why, _ := e.Of(id)
			if len(why.Chain) != distance[id] || !slices.Contains(selected, why.Chain[0]) || why.Chain[len(why.Chain)-1] != id {
				t.Errorf("seed %d: %s by %v; a shortest has %d", seed, id, why.Chain, distance[id])
			}
			for i, next := range why.Chain[1:] {
				if !slices.Contains(c.Component(why.Chain[i]).Requires, next) {
					t.Errorf("seed %d: %v: %s does not require %s", seed, why.Chain, why.Chain[i], next)
				}
			}
		}
	}
}
