package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The public packages are enough for a program of another module: no value that it has to make or to name is of an
// internal type alone.
func TestPublicPackagesAreEnough(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join(root, "testdata", "outside", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	gosum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// The requirements are those of this module, so that nothing is looked up.
	text := strings.Replace(string(gomod), "module example.org/compose", "module example.com/outside", 1) +
		"\nrequire example.org/compose v0.0.0\nreplace example.org/compose => " + root + "\n"
	for name, b := range map[string][]byte{"main.go": source, "go.mod": []byte(text), "go.sum": gosum} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", "-mod=mod", ".", "skill", filepath.Join(dir, "my-skill"))
	command.Dir = dir
	out, err := command.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "applied, managed-valid: ") {
		t.Errorf("%v\n%s", err, out)
	}
}
