package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/resolver/include"
)

// project is a template with nested includes, its variables and options, and a cache.
type project struct {
	t                       *testing.T
	root, cache, vars, opts string
}

func newProject(t *testing.T) *project {
	p := &project{t: t, root: t.TempDir(), cache: t.TempDir(), vars: `{"name": "Ada", "n": "1.0"}`, opts: `{"trim": true, "width": 80}`}
	p.write("root.md", "Hello {{ name }}\n@<a.md>\n@<b.md>\nend\n")
	p.write("a.md", "a\n@<deep/c.md>\n")
	p.write("b.md", "b\n")
	p.write("deep/c.md", "c of {{ name }}\n")
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	at := filepath.Join(p.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) get() (string, bool, error) {
	return restoreOrRender(p.t.Context(), Cache{p.cache}, p.root, filepath.Join(p.root, "root.md"), []byte(p.vars), []byte(p.opts))
}

func (p *project) want(text string, restored bool) {
	p.t.Helper()
	got, was, err := p.get()
	if err != nil || got != text || was != restored {
		p.t.Fatalf("got %q, restored %v, error %v; want %q, restored %v", got, was, err, text, restored)
	}
}

// rows returns the files of the cache.
func (p *project) rows() []string {
	p.t.Helper()
	names, err := filepath.Glob(filepath.Join(p.cache, "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return names
}

const first = "Hello Ada\na\nc of Ada\nb\nend\n"

func TestRestores(t *testing.T) {
	for name, change := range map[string]func(*project){
		"nothing":                   func(p *project) {},
		"JSON that is spelled anew": func(p *project) { p.vars, p.opts = `{"n":"1.0","name":"\u0041da"}`, `{"width": 8e1, "trim": true}` },
		"a file that is not used":   func(p *project) { p.write("other.md", "x") },
		"line ends, which are not part of a text's identity": func(p *project) { p.write("b.md", "b\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.want(first, false)
			change(p)
			p.want(first, true)
		})
	}
}

func TestDoesNotRestore(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*project)
		text   string
	}{
		"a nested change":       {func(p *project) { p.write("deep/c.md", "changed\n") }, "Hello Ada\na\nchanged\nb\nend\n"},
		"a variable":            {func(p *project) { p.vars = `{"name": "Bob", "n": "1.0"}` }, "Hello Bob\na\nc of Bob\nb\nend\n"},
		"a variable's type":     {func(p *project) { p.vars = `{"name": "Ada", "n": 1}` }, first},
		"an option":             {func(p *project) { p.opts = `{"trim": true, "width": 81}` }, first},
		"variables for options": {func(p *project) { p.vars, p.opts = p.opts, p.vars }, "Hello {{ name }}\na\nc of {{ name }}\nb\nend\n"},
		"the order":             {func(p *project) { p.write("root.md", "Hello {{ name }}\n@<b.md>\n@<a.md>\nend\n") }, "Hello Ada\nb\na\nc of Ada\nend\n"},
		"how often it is used":  {func(p *project) { p.write("b.md", "b\n@<deep/c.md>\n") }, "Hello Ada\na\nc of Ada\nb\nc of Ada\nend\n"},
		"the same text elsewhere": {func(p *project) {
			p.write("d.md", "b\n")
			p.write("root.md", "Hello {{ name }}\n@<a.md>\n@<d.md>\nend\n")
		}, first},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.want(first, false)
			c.change(p)
			p.want(c.text, false)
			p.want(c.text, true)
		})
	}
}

// A graph without an identity restores nothing, though the root is what it was and a row is there.
func TestNoIdentity(t *testing.T) {
	for code, change := range map[string]func(*project){
		include.CodeNotFound: func(p *project) { os.Remove(filepath.Join(p.root, "deep", "c.md")) },
		include.CodeCycle:    func(p *project) { p.write("deep/c.md", "@<a.md>\n") },
		include.CodeDepth: func(p *project) {
			for i := range 40 {
				p.write(strings.Repeat("x", i)+"y.md", "@<"+strings.Repeat("x", i+1)+"y.md>\n")
			}
			p.write("deep/c.md", "@<y.md>\n")
		},
	} {
		t.Run(code, func(t *testing.T) {
			p := newProject(t)
			p.want(first, false)
			change(p)
			text, restored, err := p.get()
			coded, ok := err.(interface{ Code() string })
			if !ok || coded.Code() != code || text != "" || restored {
				t.Errorf("got %q, restored %v, error %v", text, restored, err)
			}
		})
	}
}

// A row is not trusted: neither for its name nor for the hash in it.
func TestRowsAreChecked(t *testing.T) {
	p := newProject(t)
	p.want(first, false)
	at := p.rows()[0]
	good, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	p.opts = `{}`
	p.want(first, false)
	other := p.rows()[0]
	if other == at {
		other = p.rows()[1]
	}
	foreign, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	p.opts = `{"trim": true, "width": 80}`
	p.want(first, true)
	for name, bad := range map[string][]byte{
		"another text":       bytes.Replace(good, []byte("Hello Ada"), []byte("Hello Eve"), 1),
		"another hash":       bytes.Replace(good, []byte(`"rendered_output_sha256": "`), []byte(`"rendered_output_sha256": "0`), 1),
		"another identity":   foreign,
		"cut short":          good[:len(good)/2],
		"no composition":     bytes.Replace(good, []byte("source_composition_sha256"), []byte("composition"), 1),
		"nothing":            nil,
		"upper-case digits":  bytes.ToUpper(good),
		"a list":             []byte("[]"),
		"the empty document": []byte("{}"),
	} {
		if err := os.WriteFile(at, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if text, restored, err := p.get(); text != first || restored || err != nil {
			t.Errorf("%s: got %q, restored %v, error %v", name, text, restored, err)
		}
		p.want(first, true) // the row was mended
	}
}

func TestRun(t *testing.T) {
	p := newProject(t)
	vars, opts := filepath.Join(p.cache, "vars"), filepath.Join(p.cache, "opts")
	os.WriteFile(vars, []byte(p.vars), 0o644)
	os.WriteFile(opts, []byte(p.opts), 0o644)
	for _, want := range []string{"rendered\n", "restored\n"} {
		var stdout, stderr bytes.Buffer
		err := run([]string{"-root", p.root, "-cache", filepath.Join(p.cache, "rows"), "-variables", vars, "-options", opts, filepath.Join(p.root, "root.md")}, &stdout, &stderr)
		if err != nil || stdout.String() != first || stderr.String() != want {
			t.Errorf("got %q, %q, error %v", stdout.String(), stderr.String(), err)
		}
	}
}
