package resolver_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

func platform(t testing.TB) *catalog.Catalog {
	return catalogtest.Load(t, catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app", Requires: []string{"foundation.base"}},
			{ID: "artifact.other"},
			{ID: "foundation.base"},
			{ID: "capability.cli", ParametersSchema: `{"type":"object","properties":{"port":{"type":"integer","minimum":1},"names":{"items":{"type":"string"}}},"additionalProperties":false}`},
			{ID: "capability.mcp", Requires: []string{"capability.runtime"}},
			{ID: "capability.runtime"},
			{ID: "capability.lint", Conflicts: []string{"capability.legacy-lint"}},
			{ID: "capability.legacy-lint"},
			{ID: "capability.old", Conflicts: []string{"capability.runtime"}},
			{ID: "capability.strict", ParametersSchema: `{"required":["name"]}`},
			{ID: "lifecycle.release", Requires: []string{"capability.cli"}},
			{ID: "topology.one"}, {ID: "topology.two"},
			{ID: "workspace.one"}, {ID: "workspace.two"},
			{ID: "capability.needs-two", Requires: []string{"topology.two"}},
			{ID: "capability.hidden"},
		},
		Recipes: []catalogtest.Recipe{
			{ID: "app", Artifact: "artifact.app", Required: []string{"lifecycle.release"}, Default: []string{"capability.legacy-lint", "capability.runtime", "topology.one"},
				Optional: []string{"capability.mcp", "capability.lint", "capability.old", "capability.strict", "topology.two", "workspace.one", "workspace.two", "capability.needs-two"}},
			{ID: "other", Artifact: "artifact.other", Optional: []string{"capability.mcp", "capability.runtime"}},
		},
	}.Files())
}

func config(t testing.TB, text string) resolver.Config {
	t.Helper()
	config, err := resolver.ParseConfig("composition.json", []byte(`{"schema_version":1,`+text+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

const inApp = "artifact.app capability.cli capability.legacy-lint capability.runtime foundation.base lifecycle.composition-state lifecycle.release topology.one"

func TestResolve(t *testing.T) {
	c := platform(t)
	tests := map[string]struct{ intent, want string }{
		"defaults and dependencies": {`"recipe":"app"`, inApp},
		"a default left out":        {`"recipe":"app","components":{"exclude":["capability.legacy-lint"]}`, strings.Replace(inApp, "capability.legacy-lint ", "", 1)},
		"an option added":           {`"recipe":"app","components":{"include":["capability.mcp"]}`, strings.Replace(inApp, "capability.runtime", "capability.mcp capability.runtime", 1)},
		"included default":          {`"recipe":"app","components":{"include":["capability.runtime","lifecycle.release"]}`, inApp},
		"excluded option":           {`"recipe":"app","components":{"exclude":["capability.mcp"]}`, inApp},
		"one topology for another":  {`"recipe":"app","components":{"include":["topology.two"],"exclude":["topology.one"]}`, strings.Replace(inApp, "topology.one", "topology.two", 1)},
		"parameters that hold":      {`"recipe":"app","parameters":{"capability.cli":{"port":8080,"names":["a"]}}`, inApp},
		"parameters without schema": {`"recipe":"app","parameters":{"artifact.app":{"any":[1.50,{"thing":1e999999999}]},"foundation.base":{}}`, inApp},
		"required parameter":        {`"recipe":"app","components":{"include":["capability.strict"]},"parameters":{"capability.strict":{"name":1}}`, strings.Replace(inApp, "foundation.base", "capability.strict foundation.base", 1)},
		"another recipe":            {`"recipe":"other"`, "artifact.other lifecycle.composition-state"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ids, err := resolver.Resolve(c, config(t, tt.intent))
			if got := strings.Trim(fmt.Sprint(ids), "[]"); got != tt.want || err != nil {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	c := platform(t)
	tests := map[string]struct{ intent, code, message, hint, involved string }{
		"unknown recipe": {`"recipe":"none"`, "UNKNOWN_RECIPE",
			`none: the catalog has no such recipe; choose one of "app", "other"`, "", ""},
		"overlap": {`"recipe":"app","components":{"include":["capability.mcp","capability.lint"],"exclude":["capability.mcp","capability.lint"]}`, "SELECTION_OVERLAP",
			`capability.lint: the configuration includes and excludes it; keep one of the two`, "", "capability.lint"},
		"not exposed": {`"recipe":"other","components":{"include":["capability.hidden"]}`, "COMPONENT_NOT_EXPOSED",
			`capability.hidden: recipe "other" does not offer it; it offers "capability.mcp", "capability.runtime"`, `remove "capability.hidden" from components.include`, "capability.hidden"},
		"not exposed, excluded": {`"recipe":"other","components":{"exclude":["capability.hidden"]}`, "COMPONENT_NOT_EXPOSED",
			`capability.hidden: recipe "other" does not offer it; it offers "capability.mcp", "capability.runtime"`, `remove "capability.hidden" from components.exclude`, "capability.hidden"},
		"not there": {`"recipe":"other","components":{"include":["capability.none"]}`, "COMPONENT_NOT_EXPOSED",
			`capability.none: the catalog does not have it, so recipe "other" does not offer it; it offers "capability.mcp", "capability.runtime"`, `remove "capability.none" from components.include`, "capability.none"},
		"required": {`"recipe":"app","components":{"exclude":["lifecycle.release"]}`, "REQUIRED_COMPONENT_EXCLUDED",
			`lifecycle.release: recipe "app" always needs it; take it out of components.exclude, or choose another recipe`, `remove "lifecycle.release" from components.exclude`, "lifecycle.release"},
		"excluded dependency": {`"recipe":"app","components":{"include":["capability.mcp"],"exclude":["capability.runtime"]}`, "EXCLUDED_DEPENDENCY",
			`capability.runtime: the configuration excludes it, and "capability.mcp" requires it, which the configuration includes; take it out of components.exclude, or take "capability.mcp" out of components.include`, `remove "capability.runtime" from components.exclude`, "capability.mcp capability.runtime"},
		"conflict with a default": {`"recipe":"app","components":{"include":["capability.lint"]}`, "COMPONENT_CONFLICT",
			`capability.lint: conflicts with "capability.legacy-lint", which recipe "app" selects by default; it is here because the configuration includes "capability.lint": leave one of them out`, `add "capability.legacy-lint" to components.exclude`, "capability.legacy-lint capability.lint"},
		"conflict of two choices": {`"recipe":"app","components":{"include":["capability.mcp","capability.old"]}`, "COMPONENT_CONFLICT",
			`capability.old: conflicts with "capability.runtime", which recipe "app" selects by default; it is here because the configuration includes "capability.old": leave one of them out`, `remove "capability.old" from components.include`, "capability.old capability.runtime"},
		"included default in conflict": {`"recipe":"app","components":{"include":["capability.lint","capability.legacy-lint"]}`, "COMPONENT_CONFLICT",
			`capability.lint: conflicts with "capability.legacy-lint", which the configuration includes; it is here because the configuration includes "capability.lint": leave one of them out`, `remove "capability.lint" from components.include`, "capability.legacy-lint capability.lint"},
		"parameters of nothing": {`"recipe":"app","parameters":{"capability.mcp":{}}`, "PARAMETER_COMPONENT_UNRESOLVED",
			`composition.json#/parameters/capability.mcp: "capability.mcp" is not in the composition; remove its parameters, or include it`, "", "capability.mcp"},
		"parameter": {`"recipe":"app","parameters":{"capability.cli":{"names":["a",1]}}`, "PARAMETER_INVALID",
			`composition.json#/parameters/capability.cli/names/1: is a number; want a string (rule "type" of the parameters_schema of "capability.cli")`, "", "capability.cli"},
		"parameter with a point": {`"recipe":"app","parameters":{"capability.cli":{"port":8080.0}}`, "PARAMETER_INVALID",
			`composition.json#/parameters/capability.cli/port: is 8080.0; want an integer, written without a point or an exponent (rule "type" of the parameters_schema of "capability.cli")`, "", "capability.cli"},
		"parameter not given": {`"recipe":"app","components":{"include":["capability.strict"]}`, "PARAMETER_INVALID",
			`composition.json#/parameters/capability.strict: lacks the field "name" (rule "required" of the parameters_schema of "capability.strict")`, "", "capability.strict"},
		"two topologies": {`"recipe":"app","components":{"include":["topology.two"]}`, "MULTIPLE_TOPOLOGY_COMPONENTS",
			`topology.two: a composition has at most one topology component, and this has "topology.one", "topology.two": recipe "app" selects by default "topology.one", and the configuration includes "topology.two"; leave all but one out`, `add "topology.one" to components.exclude`, "topology.one topology.two"},
		"a topology through another": {`"recipe":"app","components":{"include":["capability.needs-two"]}`, "MULTIPLE_TOPOLOGY_COMPONENTS",
			`topology.two: a composition has at most one topology component, and this has "topology.one", "topology.two": recipe "app" selects by default "topology.one", and "capability.needs-two" requires "topology.two"; leave all but one out`, `add "topology.one" to components.exclude`, "topology.one topology.two"},
		"two workspaces": {`"recipe":"app","components":{"include":["workspace.two","workspace.one"]}`, "MULTIPLE_WORKSPACE_COMPONENTS",
			`workspace.two: a composition has at most one workspace component, and this has "workspace.one", "workspace.two": the configuration includes "workspace.one", and the configuration includes "workspace.two"; leave all but one out`, `remove "workspace.one" from components.include`, "workspace.one workspace.two"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ids, err := resolver.Resolve(c, config(t, tt.intent))
			var e *resolver.Error
			if !errors.As(err, &e) || ids != nil {
				t.Fatalf("got %v, %v", ids, err)
			}
			if e.Code() != tt.code || e.Error() != tt.message || e.Hint() != tt.hint || strings.Trim(fmt.Sprint(e.Components), "[]") != tt.involved {
				t.Errorf("got  %s, hint %q, %v\n%s\nwant %s, hint %q, %v\n%s", e.Code(), e.Hint(), e.Components, e, tt.code, tt.hint, tt.involved, tt.message)
			}
		})
	}
}

// Each intent has every fault of the list from its place on; the first is reported.
func TestOrderOfFaults(t *testing.T) {
	c := platform(t)
	const (
		double    = `"topology.two"`
		parameter = `"capability.cli":{"port":0}`
		strange   = `"capability.mcp":{}`
	)
	for i, tt := range []struct{ include, exclude, parameters, code string }{
		{`"capability.mcp","capability.lint","capability.hidden",` + double, `"capability.mcp","lifecycle.release"`, parameter + "," + strange, "SELECTION_OVERLAP"},
		{`"capability.lint","capability.hidden",` + double, `"lifecycle.release"`, parameter + "," + strange, "COMPONENT_NOT_EXPOSED"},
		{`"capability.mcp","capability.lint",` + double, `"lifecycle.release","capability.runtime"`, parameter + `,"artifact.other":{}`, "REQUIRED_COMPONENT_EXCLUDED"},
		{`"capability.mcp","capability.lint",` + double, `"capability.runtime"`, parameter + `,"artifact.other":{}`, "EXCLUDED_DEPENDENCY"},
		{`"capability.lint",` + double, ``, parameter + "," + strange, "COMPONENT_CONFLICT"},
		{double, ``, parameter + "," + strange, "PARAMETER_COMPONENT_UNRESOLVED"},
		{double, ``, parameter, "PARAMETER_INVALID"},
		{double + `,"workspace.one","workspace.two"`, ``, ``, "MULTIPLE_TOPOLOGY_COMPONENTS"},
		{`"workspace.one","workspace.two"`, ``, ``, "MULTIPLE_WORKSPACE_COMPONENTS"},
	} {
		text := fmt.Sprintf(`"recipe":"app","components":{"include":[%s],"exclude":[%s]},"parameters":{%s}`, tt.include, tt.exclude, tt.parameters)
		_, err := resolver.Resolve(c, config(t, text))
		var e *resolver.Error
		if !errors.As(err, &e) || e.Code() != tt.code {
			t.Errorf("%d: got %v, want %s", i, err, tt.code)
		}
	}
}

// The result is closed, sorted and free of what is refused, and neither it nor a fault depends on the order of
// the input.
func TestResolveIsStable(t *testing.T) {
	c := platform(t)
	recipe := c.Recipe("app")
	choices := slices.Concat(recipe.Required, recipe.Default, recipe.Optional)
	resolved := 0
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		choice := lockv2.Intent{Recipe: "app", Parameters: strictjson.Obj()}
		for _, id := range choices {
			switch r.IntN(6) {
			case 0:
				choice.Include = append(choice.Include, id)
			case 1:
				choice.Exclude = append(choice.Exclude, id)
			}
		}
		ids, err := resolver.Resolve(c, resolver.Config{Intent: choice})
		for range 3 {
			r.Shuffle(len(choice.Include), func(a, b int) {
				choice.Include[a], choice.Include[b] = choice.Include[b], choice.Include[a]
			})
			r.Shuffle(len(choice.Exclude), func(a, b int) {
				choice.Exclude[a], choice.Exclude[b] = choice.Exclude[b], choice.Exclude[a]
			})
			again, errAgain := resolver.Resolve(c, resolver.Config{Intent: choice})
			if !slices.Equal(ids, again) || fmt.Sprint(err) != fmt.Sprint(errAgain) {
				t.Fatalf("seed %d: %v, %v, then %v, %v", seed, ids, err, again, errAgain)
			}
		}
		if err != nil {
			continue
		}
		resolved++
		if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("seed %d: %v", seed, ids)
		}
		artifacts := 0
		for _, id := range ids {
			if id.Role() == lockv2.Artifact {
				artifacts++
			}
			for _, need := range c.Component(id).Requires {
				if !slices.Contains(ids, need) {
					t.Errorf("seed %d: %s requires %s, which is not in %v", seed, id, need, ids)
				}
			}
			for _, other := range c.Component(id).Conflicts {
				if slices.Contains(ids, other) {
					t.Errorf("seed %d: %s and %s are both in %v", seed, id, other, ids)
				}
			}
			if slices.Contains(choice.Exclude, id) {
				t.Errorf("seed %d: the excluded %s is in %v", seed, id, ids)
			}
		}
		for _, id := range slices.Concat(choice.Include, recipe.Required) {
			if !slices.Contains(ids, id) {
				t.Errorf("seed %d: %s is not in %v", seed, id, ids)
			}
		}
		if artifacts != 1 {
			t.Errorf("seed %d: %d artifacts in %v", seed, artifacts, ids)
		}
	}
	if resolved < 50 {
		t.Errorf("only %d choices resolve: the test shows little", resolved)
	}
}

func BenchmarkResolve(b *testing.B) {
	c := catalogtest.Load(b, catalogtest.Large(1000, 1000).Files())
	choice := lockv2.Intent{Recipe: "app", Parameters: strictjson.Obj()}
	for b.Loop() {
		if ids, err := resolver.Resolve(c, resolver.Config{Intent: choice}); err != nil || len(ids) != 1002 {
			b.Fatal(len(ids), err)
		}
	}
}
