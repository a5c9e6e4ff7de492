package resolver_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

// What the message advises about an excluded component that is needed works: followed, it is not at fault any more.
func TestAdviceOnExcludedDependency(t *testing.T) {
	c := catalogtest.Load(t, catalogtest.Catalog{
		Components: []catalogtest.Component{
			{ID: "artifact.app"}, {ID: "artifact.needy", Requires: []string{"capability.base"}},
			{ID: "capability.base"},
			{ID: "capability.user", Requires: []string{"capability.base"}},
			{ID: "capability.other", Requires: []string{"capability.base"}},
			{ID: "capability.far", Requires: []string{"capability.user"}},
			{ID: "lifecycle.always", Requires: []string{"capability.base"}},
		},
		Recipes: []catalogtest.Recipe{
			{ID: "artifact", Artifact: "artifact.needy", Default: []string{"capability.base"}},
			{ID: "required", Artifact: "artifact.app", Required: []string{"lifecycle.always"}, Default: []string{"capability.base"}},
			{ID: "default", Artifact: "artifact.app", Default: []string{"capability.base", "capability.user"}, Optional: []string{"capability.other"}},
			{ID: "far", Artifact: "artifact.app", Default: []string{"capability.base", "capability.far"}, Optional: []string{"capability.user"}},
			{ID: "two", Artifact: "artifact.app", Default: []string{"capability.base", "capability.user", "capability.other"}},
			{ID: "both", Artifact: "artifact.app", Default: []string{"capability.base", "capability.far", "capability.user"}},
		},
	}.Files())
	const excluded = `capability.base: the configuration excludes it, and `
	tests := []struct {
		recipe                   lockv2.RecipeID
		include                  []lockv2.ComponentID
		want                     string
		thenInclude, thenExclude []lockv2.ComponentID // after the second advice; nil where there is none
	}{
		{"artifact", nil, `"artifact.needy" requires it, which is the artifact of recipe "artifact"; take it out of components.exclude, or choose another recipe`, nil, nil},
		{"required", nil, `"lifecycle.always" requires it, which recipe "required" always selects; take it out of components.exclude, or choose another recipe`, nil, nil},
		{"default", nil, `"capability.user" requires it, which recipe "default" selects by default; take it out of components.exclude, or add "capability.user" to it`, nil, []lockv2.ComponentID{"capability.user"}},
		{"default", []lockv2.ComponentID{"capability.user"}, `"capability.user" requires it, which the configuration includes; take it out of components.exclude, or move "capability.user" there from components.include`, nil, []lockv2.ComponentID{"capability.user"}},
		{"default", []lockv2.ComponentID{"capability.other"}, `"capability.other" requires it, which the configuration includes; take it out of components.exclude`, nil, nil},
		{"far", nil, `"capability.user" requires it, which "capability.far" requires; take it out of components.exclude, or add "capability.far" to it`, nil, []lockv2.ComponentID{"capability.far"}},
		{"two", nil, `"capability.other" requires it, which recipe "two" selects by default; take it out of components.exclude`, nil, nil},
		{"both", nil, `"capability.user" requires it, which recipe "both" selects by default; take it out of components.exclude`, nil, nil},
	}
	resolve := func(recipe lockv2.RecipeID, include []lockv2.ComponentID, exclude ...lockv2.ComponentID) *resolver.Error {
		slices.Sort(exclude)
		_, err := resolver.Resolve(c, resolver.Config{Intent: lockv2.Intent{Recipe: recipe, Include: include, Exclude: exclude, Parameters: strictjson.Obj()}})
		var e *resolver.Error
		errors.As(err, &e)
		return e
	}
	for _, tt := range tests {
		e := resolve(tt.recipe, tt.include, "capability.base")
		if e == nil || e.Code() != "EXCLUDED_DEPENDENCY" || e.Error() != excluded+tt.want {
			t.Errorf("%s, %v: got\n%v\nwant\n%s", tt.recipe, tt.include, e, excluded+tt.want)
			continue
		}
		if e := resolve(tt.recipe, tt.include); e != nil {
			t.Errorf("%s, %v: taken out, it is %v", tt.recipe, tt.include, e)
		}
		if tt.thenExclude != nil {
			if e := resolve(tt.recipe, tt.thenInclude, append(tt.thenExclude, "capability.base")...); e != nil {
				t.Errorf("%s, %v: the second advice gives %v", tt.recipe, tt.include, e)
			}
		} else if strings.Contains(tt.want, " add ") || strings.Contains(tt.want, " move ") {
			t.Errorf("%s, %v: an advice that is not tried", tt.recipe, tt.include)
		}
	}
}

// An unnamed configuration and that of a lock have a place, too; a lock's parameters change in an upgrade alone.
func TestPlaceOfParameters(t *testing.T) {
	for place, want := range map[string][2]string{
		"": {"#/parameters/capability.cli/port", ""},
		".template-composition/lock.json#/intent/parameters": {".template-composition/lock.json#/intent/parameters/capability.cli/port",
			"an update keeps the parameters of the lock; give others with --mode upgrade --config FILE"},
	} {
		cfg := config(t, `"recipe":"app","parameters":{"capability.cli":{"port":0}}`)
		cfg.Place = place
		_, err := resolver.Resolve(platform(t), cfg)
		var e *resolver.Error
		if !errors.As(err, &e) || e.Code() != "PARAMETER_INVALID" || e.Path() != want[0] || e.Hint() != want[1] {
			t.Errorf("%q: got %v", place, err)
		}
	}
}

// What --recipe stands for has no parameters: the hint is the command that gives the one that is missing.
func TestParameterOfSelection(t *testing.T) {
	cfg, err := resolver.FromSelection("app", []string{"capability.strict"}, []string{"topology.one"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = resolver.Resolve(platform(t), cfg)
	var e *resolver.Error
	const command = ": compose init --recipe app --include capability.strict --exclude topology.one --parameter capability.strict.name=VALUE"
	if !errors.As(err, &e) || e.Code() != "PARAMETER_INVALID" || !strings.HasSuffix(e.Hint(), command) {
		t.Errorf("got %v, hint %q", err, e.Hint())
	}
}
