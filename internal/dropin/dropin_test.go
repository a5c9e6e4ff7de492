package dropin_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
)

// checkout returns the absolute path of the repository.
func checkout(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// read reads a file of the repository; into, unless nil, gets it as YAML, in which nothing may be that into does not know.
func read(t testing.TB, name string, into any) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(checkout(t), name))
	if err != nil {
		t.Fatal(err)
	}
	if into != nil {
		d := yaml.NewDecoder(bytes.NewReader(b))
		d.KnownFields(true)
		if err := d.Decode(into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return string(b)
}

// needs skips where a program is missing.
func needs(t testing.TB, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

// result is what became of a program.
type result struct {
	status int
	output string // both streams
}

// run runs a program in a folder, with these variables beside those of the test.
func run(t testing.TB, dir string, variables []string, program string, args ...string) result {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), variables...)
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{command.ProcessState.ExitCode(), string(output)}
}

// want fails unless the program ended so and printed each of the texts.
func (r result) want(t testing.TB, status int, texts ...string) {
	t.Helper()
	if r.status != status {
		t.Fatalf("exit status %d, want %d:\n%s", r.status, status, r.output)
	}
	for _, text := range texts {
		if !strings.Contains(r.output, text) {
			t.Errorf("%q is not in\n%s", text, r.output)
		}
	}
}

var built struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	status := m.Run()
	for _, dir := range []string{built.dir, builder.dir} {
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	os.Exit(status)
}

// installed returns a folder with compose as "go install ./..." leaves it, which is how pre-commit gets it.
func installed(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "dropin"); built.err != nil {
			return
		}
		command := exec.Command("go", "install", "./...")
		command.Dir = checkout(t)
		command.Env = append(os.Environ(), "GOBIN="+built.dir, "GOFLAGS=")
		if output, err := command.CombinedOutput(); err != nil {
			built.err = errors.New(string(output))
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

// withCompose are the variables of a process that finds compose.
func withCompose(t testing.TB) []string {
	return []string{"PATH=" + installed(t) + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// composed makes a composed folder at the oldest revision that the built-in catalog has.
func composed(t testing.TB, dir string) {
	t.Helper()
	run(t, filepath.Dir(dir), nil, filepath.Join(installed(t), "compose"),
		"apply", "--recipe", "skill", "--revision", revision(t, 0), "--target", dir).want(t, 0)
}

// managed is a managed file of what composed makes.
const managed = "docs/releasing.md"

// edit changes a managed file.
func edit(t testing.TB, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(managed)), []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
