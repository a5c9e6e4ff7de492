package arch

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The picture in docs/architecture.md is the table that TestImports keeps.
func TestLayersAreDocumented(t *testing.T) {
	text, err := os.ReadFile(moduleRoot + "/docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, layer := range layers {
		fmt.Fprintln(&want, strings.Join(layer, "  "))
	}
	if !strings.Contains(string(text), "```\n"+want.String()+"```\n") {
		t.Errorf("docs/architecture.md does not hold the layers of imports_test.go:\n%s", &want)
	}
}

var (
	fence = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link  = regexp.MustCompile(`\[[^\]]*\]\(([^)#]+)(#[^)]*)?\)`)
)

// Links between the documents, and from them to files, lead somewhere.
func TestLinks(t *testing.T) {
	pages := []string{moduleRoot + "/README.md", moduleRoot + "/testdata/README.md"}
	err := filepath.WalkDir(moduleRoot+"/docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(fence.ReplaceAll(text, nil), -1) {
			target := string(m[1])
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, target)
			}
		}
	}
}

// docs/dependencies.md gives a reason for exactly the modules that a package, a test or the tool line may use.
func TestDependenciesAreDocumented(t *testing.T) {
	want := append(slices.Concat(slices.Collect(maps.Values(modules))...), testModules...)
	want = append(want, "honnef.co/go/tools") // go tool staticcheck
	slices.Sort(want)
	want = slices.Compact(want)
	text, err := os.ReadFile(moduleRoot + "/docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllSubmatch(text, -1) {
		got = append(got, string(m[1]))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("docs/dependencies.md lists %q, want %q", got, want)
	}
	mod, err := os.ReadFile(moduleRoot + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range want {
		if !strings.Contains(string(mod), "\t"+m+" v") {
			t.Errorf("go.mod does not require %s", m)
		}
	}
}
