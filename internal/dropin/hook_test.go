package dropin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hook is what .pre-commit-hooks.yaml may hold.
type hook struct {
	ID, Name, Description, Entry, Language string
	AlwaysRun                              bool `yaml:"always_run"`
	PassFilenames                          bool `yaml:"pass_filenames"`
	RequireSerial                          bool `yaml:"require_serial"`
}

// The hook finds what is wrong although no managed file is part of the commit: it runs always, and on no list of files.
func TestHook(t *testing.T) {
	var hooks []hook
	read(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].ID != "compose-validate" || hooks[0].Language != "golang" || !hooks[0].AlwaysRun || hooks[0].PassFilenames {
		t.Fatalf("%+v", hooks)
	}
	words := strings.Fields(hooks[0].Entry)
	if strings.ContainsAny(hooks[0].Entry, `"'\$`) {
		t.Fatalf("the entry %q has quotes, which this test does not read as pre-commit does", hooks[0].Entry)
	}
	// "language: golang" is "go install ./..." in a clone, and the entry is looked for in its bin.
	program := filepath.Join(installed(t), words[0])
	dir := filepath.Join(t.TempDir(), "t")
	composed(t, dir)
	run(t, dir, nil, program, words[1:]...).want(t, 0, "valid: ")
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(managed))); err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, program, words[1:]...).want(t, 2, managed, "MATERIAL_MISSING")
	// args: of a configuration come after the entry.
	run(t, filepath.Dir(dir), nil, program, append(words[1:], "--target", "t")...).want(t, 2, managed)
}
