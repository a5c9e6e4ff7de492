package bundle_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/internal/targettest"
	"example.org/compose/validator"
)

// goCommand returns a go command that works in dir without the network.
func goCommand(t *testing.T, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=", "PWD="+dir)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// place writes the generated validator to where a consumer has it.
func place(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	targettest.File(t, dir, ".template-composition/validate.go", string(b))
}

// The consumer's form gives the same bytes and the same verdict as the package, on every kind of target.
func TestConsumerEqualsPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the consumer's validator")
	}
	dir := t.TempDir()
	place(t, dir)
	program := filepath.Join(dir, "validate.exe")
	if out, err := goCommand(t, dir, nil, "build", "-o", program, ".template-composition/validate.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cases := targettest.Cases()
	for i := range cases {
		cases[i].Root = strings.TrimPrefix(cases[i].Root, "./")
	}
	cases = append(cases, targettest.Case{Name: "root, no text", Bend: func(testing.TB, string) {}, Root: "\xff"})
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			target := t.TempDir()
			targettest.Write(t, target)
			c.Bend(t, target)
			t.Chdir(target)
			root, args := ".", []string{}
			if c.Root != "" {
				root, args = c.Root, []string{c.Root}
			}
			report, err := validator.Validate(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := report.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			exit := 2
			if report.OK() {
				exit = 0
			}
			for _, form := range []struct {
				flags []string
				want  []byte
			}{{[]string{"--json"}, strictjson.Encode(report.Document())}, {nil, text.Bytes()}} {
				var stderr bytes.Buffer
				cmd := exec.CommandContext(t.Context(), program, append(slices.Clone(args), form.flags...)...)
				cmd.Stderr = &stderr
				got, err := cmd.Output()
				if err != nil && !errors.As(err, new(*exec.ExitError)) {
					t.Fatal(err)
				}
				if !bytes.Equal(got, form.want) || stderr.Len() > 0 || cmd.ProcessState.ExitCode() != exit {
					t.Errorf("%v: exit %d\n%s%s\nwant exit %d\n%s", form.flags, cmd.ProcessState.ExitCode(), got, &stderr, exit, form.want)
				}
			}
		})
	}
	t.Run("usage", func(t *testing.T) {
		for _, test := range []struct {
			args string
			exit int
		}{{"-h", 0}, {"--help", 0}, {"--nonsense", 2}, {"a b", 2}, {"-- --json", 2}} {
			cmd := exec.CommandContext(t.Context(), program, strings.Fields(test.args)...)
			if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != test.exit {
				t.Errorf("%s: exit %d, want %d", test.args, got, test.exit)
			}
		}
	})
}

// It runs in repositories of every kind, and a build of the consumer's own module does not see it.
func TestConsumerRepositories(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the consumer's validator")
	}
	const old = "module example.net/old\n\ngo 1.16\n"
	for _, test := range []struct {
		name  string
		env   []string
		files map[string]string
	}{
		{name: "no module"},
		{name: "a module in an old language", files: map[string]string{"go.mod": old}},
		{name: "a module that names no version", files: map[string]string{"go.mod": "module example.net/none\n"}},
		{name: "vendored", env: []string{"GOFLAGS=-mod=vendor"}, files: map[string]string{
			"go.mod":             old + "\nrequire example.net/dep v1.0.0\n",
			"vendor/modules.txt": "# example.net/dep v1.0.0\n## explicit\nexample.net/dep\n", "vendor/example.net/dep/d.go": "package dep\n",
		}},
		{name: "read-only modules", env: []string{"GOFLAGS=-mod=readonly"}, files: map[string]string{"go.mod": old}},
		{name: "GO111MODULE=off", env: []string{"GO111MODULE=off"}},
		{name: "GO111MODULE=off, a go.mod that is none", env: []string{"GO111MODULE=off"}, files: map[string]string{"go.mod": "<<<<<<< HEAD\n"}},
		{name: "GO111MODULE=off, a module in a Go to come", env: []string{"GO111MODULE=off"}, files: map[string]string{"go.mod": "module example.net/new\n\ngo 1.999\n"}},
		{name: "GO111MODULE=on, no module", env: []string{"GO111MODULE=on"}},
		{name: "a workspace", files: map[string]string{"go.work": "go 1.21\n\nuse ./a\n", "a/go.mod": old, "a/a.go": "package a\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			targettest.Write(t, dir)
			place(t, dir)
			for name, text := range test.files {
				targettest.File(t, dir, name, text)
			}
			out, err := goCommand(t, dir, test.env, "run", ".template-composition/validate.go", "--json").Output()
			if err != nil || !strings.Contains(string(out), `"status": "valid"`) {
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					t.Errorf("%s", exit.Stderr)
				}
				t.Errorf("%v\n%s", err, out)
			}
			if _, module := test.files["go.mod"]; module {
				targettest.File(t, dir, "own.go", "package old\n")
				out, err := goCommand(t, dir, test.env, "list", "./...").Output()
				if err != nil || strings.Count(string(out), "\n") != 1 {
					t.Errorf("go list: %v\n%s", err, out)
				}
			}
		})
	}
}

// go vet, with its look for functions newer than the version that the file asks for.
func TestConsumerVets(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet")
	}
	dir := t.TempDir()
	place(t, dir)
	targettest.File(t, dir, "go.mod", "module example.net/consumer\n\ngo 1.24\n")
	if out, err := goCommand(t, dir, nil, "vet", ".template-composition/validate.go").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
