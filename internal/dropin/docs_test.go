package dropin_test

import (
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what this test reads of a workflow of GitHub.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			ID, Uses string
			If       string
			With     map[string]string
		}
	}
}

// What docs/ci.md shows names what there is: inputs and outputs of the action, the hook, the template and its variables.
func TestPageShowsWhatThereIs(t *testing.T) {
	page := read(t, "docs/ci.md", nil)
	var a action
	read(t, "action.yml", &a)
	var hooks []hook
	read(t, ".pre-commit-hooks.yaml", &hooks)
	template := read(t, "templates/compose.gitlab-ci.yml", nil)

	actions, hooked, included := 0, 0, 0
	for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		var doc struct {
			workflow `yaml:",inline"`
			Repos    []struct{ Hooks []struct{ ID string } }
			Include  []struct{ Project, Ref, File string }

			Variables map[string]string
		}
		if err := yaml.Unmarshal([]byte(block[1]), &doc); err != nil {
			t.Fatalf("%v in\n%s", err, block[1])
		}
		for _, job := range doc.Jobs {
			used := map[string]bool{}
			for _, step := range job.Steps {
				for _, m := range regexp.MustCompile(`steps\.([a-z]+)\.outputs\.([a-z]+)`).FindAllStringSubmatch(step.If+step.With["sarif_file"], -1) {
					if _, declared := a.Outputs[m[2]]; !declared || !used[m[1]] {
						t.Errorf("%s is no output of the action, or of no step before", m[0])
					}
				}
				if !strings.HasPrefix(step.Uses, "example-org/compose@") {
					continue
				}
				actions++
				used[step.ID] = true
				for name := range step.With {
					if _, declared := a.Inputs[name]; !declared {
						t.Errorf("the action has no input %s", name)
					}
				}
			}
		}
		for _, repo := range doc.Repos {
			for _, shown := range repo.Hooks {
				hooked++
				if shown.ID != hooks[0].ID {
					t.Errorf("there is no hook %s", shown.ID)
				}
			}
		}
		for _, include := range doc.Include {
			included++
			read(t, strings.TrimPrefix(include.File, "/"), nil)
		}
		for name := range doc.Variables {
			if !strings.Contains(template, "$"+name) {
				t.Errorf("the template does not use %s", name)
			}
		}
	}
	if actions != 2 || hooked != 1 || included != 1 {
		t.Errorf("the page shows %d uses of the action, %d of the hook and %d of the template", actions, hooked, included)
	}
	for name := range a.Inputs {
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + name + "`[^|]*\\|").MatchString(page) {
			t.Errorf("the page does not list the input %s", name)
		}
	}
	for name := range a.Outputs {
		if !strings.Contains(page, "\n| `"+name+"` |") {
			t.Errorf("the page does not list the output %s", name)
		}
	}
	for _, m := range regexp.MustCompile(`COMPOSE_[A-Z]+`).FindAllString(template, -1) {
		if !strings.Contains(page, "`"+m+"`") {
			t.Errorf("the page does not list the variable %s", m)
		}
	}
	for _, golang := range regexp.MustCompile(`go-version: "([0-9.]+)"`).FindAllStringSubmatch(page, -1) {
		if "golang:"+golang[1] != goImage(t) {
			t.Errorf("the page sets Go %s up, and the image is built with %s", golang[1], goImage(t))
		}
	}
}
