package dropin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gitlabJob is what a job of the template may hold.
type gitlabJob struct {
	Extends, Stage, Image string
	BeforeScript          []string `yaml:"before_script"`
	Script                []string
	Rules                 []struct{ If string }
	Artifacts             struct {
		When     string
		Reports  map[string]string
		ExposeAs string `yaml:"expose_as"`
		Paths    []string
	}
}

type gitlabTemplate struct {
	Variables map[string]string
	Base      gitlabJob `yaml:".compose"`
	Validate  gitlabJob `yaml:"compose-validate"`
	Plan      gitlabJob `yaml:"compose-plan"`
}

// run runs the script of a job as a runner does: one shell, which stops at the first line that fails.
func (g *gitlabTemplate) run(t *testing.T, j gitlabJob, dir string, variables ...string) result {
	t.Helper()
	needs(t, "sh")
	if j.Extends != ".compose" {
		t.Fatalf("the job extends %q", j.Extends)
	}
	all := withCompose(t)
	for name, value := range g.Variables {
		all = append(all, name+"="+value)
	}
	return run(t, dir, append(all, variables...), "sh", "-ec", strings.Join(j.Script, "\n"))
}

func TestGitLabValidates(t *testing.T) {
	var g gitlabTemplate
	read(t, "templates/compose.gitlab-ci.yml", &g)
	dir := t.TempDir()
	composed(t, filepath.Join(dir, "one"))
	g.run(t, g.Validate, dir, "COMPOSE_TARGET=one").want(t, 0, "valid: ")
	edit(t, filepath.Join(dir, "one"))
	g.run(t, g.Validate, dir, "COMPOSE_TARGET=one").want(t, 2, "invalid: 1 fault")
	if g.Validate.Artifacts.When != "always" {
		t.Error("the report of a failed job is not kept")
	}
	b, err := os.ReadFile(filepath.Join(dir, g.Validate.Artifacts.Reports["codequality"]))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Fingerprint string
		Location    struct{ Path string }
	}
	if err := json.Unmarshal(b, &list); err != nil || len(list) != 1 || list[0].Location.Path != "one/"+managed {
		t.Errorf("%v: %s", err, b)
	}
	g.run(t, g.Validate, filepath.Join(dir, "one")).want(t, 2)
}

func TestGitLabPlans(t *testing.T) {
	var g gitlabTemplate
	read(t, "templates/compose.gitlab-ci.yml", &g)
	dir := t.TempDir()
	composed(t, filepath.Join(dir, "one"))
	page := filepath.Join(dir, g.Plan.Artifacts.Paths[0])
	for name, test := range map[string]struct {
		variables []string
		status    int
		page      bool
	}{
		"a conflict": {[]string{"COMPOSE_MODE=update"}, 2, true},
		"a revision": {[]string{"COMPOSE_MODE=update", "COMPOSE_REVISION=" + revision(t, 1)}, 0, true},
		"hostile":    {[]string{"COMPOSE_MODE=update", "COMPOSE_REVISION=$(touch pwned) *; touch pwned"}, 2, false},
		"no config":  {[]string{"COMPOSE_MODE=upgrade", "COMPOSE_CONFIG=a b"}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(page)
			g.run(t, g.Plan, dir, append(test.variables, "COMPOSE_TARGET=one")...).want(t, test.status)
			if _, err := os.Stat(page); (err == nil) != test.page {
				t.Errorf("the page: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
				t.Error("the shell obeys a variable")
			}
		})
	}
}

// The program that the jobs install is one of this module.
func TestGitLabInstalls(t *testing.T) {
	var g gitlabTemplate
	read(t, "templates/compose.gitlab-ci.yml", &g)
	const install = `go install "example.org/compose/cmd/compose@$COMPOSE_VERSION"`
	if len(g.Base.BeforeScript) != 1 || g.Base.BeforeScript[0] != install {
		t.Errorf("%q, want %q", g.Base.BeforeScript, install)
	}
	r := run(t, checkout(t), nil, "go", "list", "-f", "{{.Name}}", "example.org/compose/cmd/compose")
	r.want(t, 0, "main")
	if g.Base.Image != goImage(t) {
		t.Errorf("the image is %s, and the Dockerfile builds with %s", g.Base.Image, goImage(t))
	}
}
