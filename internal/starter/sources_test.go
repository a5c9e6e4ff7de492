package starter

import (
	"bytes"
	"go/format"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/compose/internal/jsonschema"
	"example.org/compose/internal/strictjson"
)

// Every source is in the form that its editors' settings ask for, and says what its kind has to say.
func TestSourcesAreTidy(t *testing.T) {
	for i, h := range history {
		for name, content := range treeAt(t, i) {
			for _, fault := range faults(name, content) {
				t.Errorf("revision %s: %s: %s", h.folder, name, fault)
			}
		}
	}
}

func faults(name, content string) []string {
	var list []string
	if !utf8.ValidString(content) || strings.Contains(content, "\r") {
		list = append(list, "not UTF-8 with LF alone")
	}
	if !strings.HasSuffix(content, "\n") || strings.HasSuffix(content, "\n\n") {
		list = append(list, "does not end in one newline")
	}
	for line := range strings.Lines(content) {
		if text := strings.TrimSuffix(line, "\n"); strings.TrimRight(text, " \t") != text {
			list = append(list, "white space at the end of "+text)
		}
	}
	switch {
	case strings.HasSuffix(name, ".json"):
		if _, err := strictjson.Parse([]byte(content), 0); err != nil {
			list = append(list, err.Error())
		}
	case strings.HasSuffix(name, ".go.txt"):
		got, err := format.Source([]byte(content))
		if err != nil {
			list = append(list, err.Error())
		} else if !bytes.Equal(got, []byte(content)) {
			list = append(list, "gofmt would change it")
		}
	case strings.HasSuffix(name, ".sh"):
		if !strings.HasPrefix(content, "#!/bin/sh\n") || !strings.Contains(content, "\nset -eu\n") {
			list = append(list, "does not begin with #!/bin/sh and set -eu")
		}
	case strings.HasSuffix(name, ".yml"):
		if strings.Contains(content, "\t") {
			list = append(list, "a tab in YAML")
		}
	}
	return list
}

// A contract and its schema fit each other.
func TestContractsKeepTheirSchemas(t *testing.T) {
	for i, h := range history {
		tree := treeAt(t, i)
		checked := 0
		for name, content := range tree {
			folder, base := path.Split(name)
			if !strings.HasSuffix(folder, "/files/contracts/") {
				continue
			}
			schemaName := path.Join(folder, "../schemas", strings.TrimSuffix(base, ".json")+".schema.json")
			schema, err := jsonschema.Compile(parse(t, tree[schemaName]))
			if err != nil {
				t.Fatalf("revision %s: %s: %v", h.folder, schemaName, err)
			}
			for _, v := range schema.Validate(parse(t, content)) {
				t.Errorf("revision %s: %s: %+v", h.folder, name, v)
			}
			checked++
		}
		if checked < 3 {
			t.Errorf("revision %s: %d contracts checked, want the routes, commands and tools", h.folder, checked)
		}
	}
}

// What each revision does to the one before is what docs/starter.md says.
func TestHistory(t *testing.T) {
	one, two, three := treeAt(t, 0), treeAt(t, 1), treeAt(t, 2)
	if added, removed, changed := difference(one, two); len(added)+len(removed) > 0 || len(changed) == 0 || slices.ContainsFunc(changed, isDescription) {
		t.Errorf("revision 2 adds %q, removes %q, changes %q; want changes of material bytes alone", added, removed, changed)
	}
	added, removed, changed := difference(two, three)
	raised := "components/lifecycle.release-notes/"
	for _, want := range []struct {
		list []string
		name string
	}{
		{added, "components/capability.code-review/component.json"},
		{added, raised + "files/github/workflows/release.yml"},
		{removed, raised + "files/github/release.yml"},
		{changed, raised + "component.json"},
		{changed, raised + "files/docs/releasing.md"},
		{changed, "recipes/skill.json"},
		{changed, "recipes/service.json"},
	} {
		if !slices.Contains(want.list, want.name) {
			t.Errorf("revision 3 does not add, remove or change %s as it should", want.name)
		}
	}
	for _, name := range changed {
		if path.Base(name) == "component.json" && version(t, two[name]) == version(t, three[name]) {
			t.Errorf("%s is changed and keeps its version", name)
		}
	}
}

func isDescription(name string) bool {
	return path.Base(name) == "component.json" || !strings.HasPrefix(name, "components/")
}

// difference returns the paths of two trees that differ, each list sorted.
func difference(before, after map[string]string) (added, removed, changed []string) {
	for name, content := range after {
		switch was, there := before[name]; {
		case !there:
			added = append(added, name)
		case was != content:
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			removed = append(removed, name)
		}
	}
	slices.Sort(added)
	slices.Sort(removed)
	slices.Sort(changed)
	return added, removed, changed
}

func version(t *testing.T, descriptor string) string {
	t.Helper()
	v, _ := parse(t, descriptor).Get("version")
	return v.Text
}

func parse(t *testing.T, content string) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse([]byte(content), 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
