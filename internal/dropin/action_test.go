package dropin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/starter"
)

// revision returns a revision of the built-in catalog, 0 the oldest.
func revision(t testing.TB, i int) string {
	t.Helper()
	revisions, err := starter.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	return string(revisions[i])
}

// builder is what the step that builds compose left behind: it takes no input, so one run of it serves all tests.
var builder struct {
	dir     string
	outputs map[string]string
}

// action is what action.yml may hold.
type action struct {
	Name, Description, Author string
	Inputs                    map[string]struct {
		Description, Default string
		Required             bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)

// job is one use of the action, as a runner makes it.
type job struct {
	workspace string
	inputs    map[string]string
	variables []string

	outputs map[string]string // of the action
	summary string
}

// run runs every step until one fails.
func (j *job) run(t *testing.T) result {
	t.Helper()
	needs(t, "bash", "od")
	var a action
	read(t, "action.yml", &a)
	temp := t.TempDir()
	values := map[string]string{}
	for name, input := range a.Inputs {
		values["inputs."+name] = input.Default
	}
	for name, value := range j.inputs {
		if _, declared := values["inputs."+name]; !declared {
			t.Fatalf("there is no input %s", name)
		}
		values["inputs."+name] = value
	}
	evaluate := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(found string) string { return values[expression.FindStringSubmatch(found)[1]] })
	}
	summary := filepath.Join(temp, "summary.md")
	var last result
	for _, step := range a.Runs.Steps {
		if step.ID == "build" {
			j.build(t, step.Run, step.Env)
			for name, value := range builder.outputs {
				values["steps.build.outputs."+name] = value
			}
			continue
		}
		script, output := filepath.Join(temp, step.ID+".sh"), filepath.Join(temp, step.ID+".out")
		write(t, script, step.Run)
		write(t, output, "")
		variables := append(slices.Clone(j.variables), "GITHUB_ACTION_PATH="+checkout(t), "RUNNER_TEMP="+temp, "GITHUB_WORKSPACE="+j.workspace,
			"GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary)
		for name, value := range step.Env {
			variables = append(variables, name+"="+evaluate(value))
		}
		last = run(t, j.workspace, variables, step.Shell, "--noprofile", "--norc", "-eo", "pipefail", script) // the runner's "shell: bash"
		for name, value := range outputs(t, output) {
			values["steps."+step.ID+".outputs."+name] = value
		}
		if last.status != 0 {
			break
		}
	}
	j.outputs = map[string]string{}
	for name, output := range a.Outputs {
		j.outputs[name] = evaluate(output.Value)
	}
	b, _ := os.ReadFile(summary) // a step may write none
	j.summary = string(b)
	return last
}

// build runs the step that builds compose, once.
func (j *job) build(t *testing.T, script string, env map[string]string) {
	t.Helper()
	if builder.outputs != nil {
		return
	}
	dir, err := os.MkdirTemp("", "dropin")
	if err != nil {
		t.Fatal(err)
	}
	builder.dir = dir
	output, file := filepath.Join(dir, "outputs"), filepath.Join(dir, "script.sh")
	write(t, file, script)
	write(t, output, "")
	variables := []string{"GITHUB_ACTION_PATH=" + checkout(t), "RUNNER_TEMP=" + dir, "GITHUB_OUTPUT=" + output}
	for name, value := range env {
		if strings.Contains(value, "${{") {
			t.Fatalf("the step that builds takes %s", value)
		}
		variables = append(variables, name+"="+value)
	}
	run(t, j.workspace, variables, "bash", "--noprofile", "--norc", "-eo", "pipefail", file).want(t, 0)
	builder.outputs = outputs(t, output)
}

// outputs reads what a step wrote to $GITHUB_OUTPUT.
func outputs(t testing.TB, file string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		all[name] = value
	}
	return all
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestActionValidates(t *testing.T) {
	j := &job{workspace: t.TempDir(), inputs: map[string]string{"target": "skills/one"}}
	dir := filepath.Join(j.workspace, "skills", "one")
	if err := os.Mkdir(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	composed(t, dir)
	r := j.run(t)
	r.want(t, 0, "valid: ")
	if j.outputs["result"] != "valid" || strings.Contains(r.output, "::error") {
		t.Errorf("%v\n%s", j.outputs, r.output)
	}
	edit(t, dir)
	r = j.run(t)
	r.want(t, 2, "invalid: 1 fault", "\n::error file=skills/one/"+managed+",line=1,")
	if j.outputs["result"] != "invalid" {
		t.Errorf("%v", j.outputs)
	}
	log, err := os.ReadFile(j.outputs["sarif"])
	if err != nil || !strings.Contains(string(log), `"uri": "skills/one/`+managed+`"`) {
		t.Errorf("the SARIF log: %v\n%s", err, log)
	}
	// Between the token and its return the runner obeys nothing, and the annotations come after that.
	m := regexp.MustCompile(`(?s)^::stop-commands::([0-9a-f]{32})\n(.*)\n::([0-9a-f]{32})::\n::error `).FindStringSubmatch(r.output)
	if m == nil || m[1] != m[3] {
		t.Errorf("the output is not kept from the runner:\n%s", r.output)
	}
}

func TestActionPlans(t *testing.T) {
	j := &job{workspace: t.TempDir(), inputs: map[string]string{"command": "plan", "target": "t", "revision": revision(t, 1)}}
	composed(t, j.workspace+"/t")
	j.run(t).want(t, 0, "::stop-commands::")
	if j.outputs["result"] != "changes" || j.outputs["sarif"] != "" || !strings.Contains(j.summary, managed) {
		t.Errorf("%v, summary:\n%s", j.outputs, j.summary)
	}
	j.inputs["revision"] = revision(t, 0)
	j.run(t).want(t, 0)
	if j.outputs["result"] != "unchanged" || j.summary == "" {
		t.Errorf("%v, summary:\n%s", j.outputs, j.summary)
	}
	delete(j.inputs, "revision")
	edit(t, j.workspace+"/t")
	j.run(t).want(t, 2, managed)
	if j.outputs["result"] != "conflict" || !strings.Contains(j.summary, managed) {
		t.Errorf("%v, summary:\n%s", j.outputs, j.summary)
	}
	// A choice that is not the lock's.
	j.inputs["mode"], j.inputs["recipe"], j.inputs["target"] = "initial", "skill", "new"
	j.run(t).want(t, 0)
	if j.outputs["result"] != "changes" {
		t.Errorf("%v", j.outputs)
	}
	// What can't be planned is neither.
	j.inputs["mode"], j.inputs["recipe"], j.inputs["config"] = "update", "", "none.json"
	j.run(t).want(t, 2)
	if j.outputs["result"] != "error" || j.summary != "" {
		t.Errorf("%v, summary:\n%s", j.outputs, j.summary)
	}
}

// Whatever an input holds, it is one argument of compose and nothing to the shell or the runner.
func TestActionTakesInputsAsText(t *testing.T) {
	for _, hostile := range []string{
		"$(touch pwned)", "`touch pwned`", `"; touch pwned; "`, "'; touch pwned; '", "x\ntouch pwned", "--version", "-h", "*", " ", "${{ x }}",
		"::add-mask::x", "x\n::set-output name=result::valid",
	} {
		for _, command := range []string{"validate", "plan", hostile} {
			j := &job{workspace: t.TempDir(), inputs: map[string]string{"command": command, "target": hostile, "source": hostile, "revision": hostile, "config": hostile}}
			r := j.run(t)
			if r.status == 0 {
				t.Errorf("%s %q: exit status 0:\n%s", command, hostile, r.output)
			}
			if _, err := os.Stat(filepath.Join(j.workspace, "pwned")); err == nil {
				t.Fatalf("%s %q: the shell obeys it", command, hostile)
			}
			if j.outputs["result"] == "valid" || j.outputs["result"] == "changes" {
				t.Errorf("%s %q: result %q", command, hostile, j.outputs["result"])
			}
			if command == "validate" {
				for line := range strings.Lines(afterToken(r.output)) {
					if !strings.HasPrefix(line, "::error ") {
						t.Errorf("%q: the runner is told %q", hostile, line)
					}
				}
			}
		}
	}
}

// afterToken returns what the runner reads as commands.
func afterToken(output string) string {
	m := regexp.MustCompile(`(?s)^::stop-commands::([0-9a-f]{32})\n(.*)$`).FindStringSubmatch(output)
	if m == nil {
		return output
	}
	_, after, _ := strings.Cut(m[2], "\n::"+m[1]+"::\n")
	return after
}

// No script holds an expression, no step takes code from elsewhere, and every input is used.
func TestActionForm(t *testing.T) {
	var a action
	text := read(t, "action.yml", &a)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("%+v", a.Runs)
	}
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("the script of %s holds an expression, which the shell would read", step.ID)
		}
		for name := range step.Env {
			if !strings.Contains(step.Run, "$"+name) && !slices.Contains([]string{"CGO_ENABLED", "GOFLAGS", "GOWORK"}, name) {
				t.Errorf("the script of %s does not use %s", step.ID, name)
			}
		}
	}
	for name := range a.Inputs {
		if !strings.Contains(text, "${{ inputs."+name+" }}") {
			t.Errorf("nothing uses the input %s", name)
		}
	}
	known := regexp.MustCompile(`^(inputs\.[a-z]+|steps\.(build|run)\.outputs\.[a-z]+)$`)
	for _, m := range expression.FindAllStringSubmatch(text, -1) {
		if !known.MatchString(m[1]) {
			t.Errorf("an expression that this test does not know: %s", m[1])
		}
	}
}
