package planner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
)

func TestConflicts(t *testing.T) {
	comp := materialize(t, app())
	cases := []struct {
		name  string
		files map[string]string
		make  func(t *testing.T, dir string)
		want  []string // destination reason at
	}{
		{name: "nothing in the way", files: map[string]string{"mine": "x", "docs/mine": "x", ".template-composition/mine": ""}},
		{name: "left-over staging", files: map[string]string{".template-composition/staging/0": "x", ".template-composition/staging/12.part": "x",
			".template-composition/staging/lock": "x", ".template-composition/staging/lock.part": "x", ".template-composition/staging/marker": "x"}},
		{name: "another's files in staging", files: map[string]string{".template-composition/staging/0": "x", ".template-composition/staging/007": "x", ".template-composition/staging/notes/todo.txt": "x", ".template-composition/staging/mine.txt": "x"},
			want: []string{".template-composition/staging/007 reserved-metadata .template-composition/staging/007",
				".template-composition/staging/mine.txt reserved-metadata .template-composition/staging/mine.txt",
				".template-composition/staging/notes reserved-metadata .template-composition/staging/notes"}},
		{name: "a folder in staging with a name of compose's", files: map[string]string{".template-composition/staging/3/mine.txt": "x"},
			want: []string{".template-composition/staging/3 reserved-metadata .template-composition/staging/3"}},
		{name: "a link in staging with a name of compose's", files: map[string]string{".template-composition/staging/": ""}, make: link(".template-composition/staging/lock", "../../mine"),
			want: []string{".template-composition/staging/lock reserved-metadata .template-composition/staging/lock"}},
		{name: "other bytes", files: map[string]string{"ci/build.yml": "other\n"}, want: []string{"ci/build.yml different-bytes"}},
		{name: "other bytes of the same length", files: map[string]string{"ci/build.yml": "steps: [BUILD]\n"}, want: []string{"ci/build.yml different-bytes"}},
		{name: "an empty file there", files: map[string]string{"README.md": ""}, want: []string{"README.md different-bytes"}},
		{name: "another spelling of the file", files: map[string]string{"readme.MD": "# app\n"}, want: []string{"README.md case-collision readme.MD"}},
		{name: "both spellings", files: map[string]string{"readme.MD": "x", "README.md": "# app\n"}, want: []string{"README.md case-collision readme.MD"}},
		{name: "another spelling of a parent", files: map[string]string{"DOCS/x": ""}, want: []string{"docs/cli.md case-collision DOCS", "docs/deep/er.md case-collision DOCS"}},
		{name: "another spelling of a deep parent, as a file", files: map[string]string{"docs/Deep": ""}, want: []string{"docs/deep/er.md case-collision docs/Deep"}},
		{name: "a file for a folder", files: map[string]string{"docs": ""}, want: []string{"docs/cli.md parent-not-directory docs", "docs/deep/er.md parent-not-directory docs"}},
		{name: "a folder for a file", files: map[string]string{"bin/run/": ""}, want: []string{"bin/run is-directory bin/run"}},
		{name: "a link for a file", make: link("README.md", "nowhere"), want: []string{"README.md symlink README.md"}},
		{name: "a link to the same bytes", files: map[string]string{"real": "# app\n"}, make: link("README.md", "real"), want: []string{"README.md symlink README.md"}},
		{name: "a link for a folder", files: map[string]string{"real/": ""}, make: link("docs", "real"), want: []string{"docs/cli.md symlink docs", "docs/deep/er.md symlink docs"}},
		{name: "a link for a deep folder", files: map[string]string{"real/": "", "docs/": ""}, make: link("docs/deep", "../real"), want: []string{"docs/deep/er.md symlink docs/deep"}},
		{name: "the state folder is a file", files: map[string]string{".template-composition": ""},
			want: []string{".template-composition reserved-metadata .template-composition", ".template-composition/about.txt parent-not-directory .template-composition"}},
		{name: "the state folder is a link", files: map[string]string{"real/": ""}, make: link(".template-composition", "real"),
			want: []string{".template-composition reserved-metadata .template-composition", ".template-composition/about.txt symlink .template-composition"}},
		{name: "another spelling of the state folder", files: map[string]string{".Template-Composition/": ""},
			want: []string{".template-composition case-collision .Template-Composition", ".template-composition/about.txt case-collision .Template-Composition"}},
		{name: "the lock is a folder", files: map[string]string{".template-composition/lock.json/": ""},
			want: []string{".template-composition/lock.json reserved-metadata .template-composition/lock.json"}},
		{name: "the lock is a link", files: map[string]string{".template-composition/": ""}, make: link(".template-composition/lock.json", "../nowhere"),
			want: []string{".template-composition/lock.json reserved-metadata .template-composition/lock.json"}},
		{name: "another spelling of the lock", files: map[string]string{".template-composition/LOCK.json": ""},
			want: []string{".template-composition/lock.json case-collision .template-composition/LOCK.json"}},
		{name: "another spelling of the marker", files: map[string]string{".template-composition/Transaction.json": ""},
			want: []string{".template-composition/transaction.json case-collision .template-composition/Transaction.json"}},
		{name: "staging is a file", files: map[string]string{".template-composition/staging": ""},
			want: []string{".template-composition/staging reserved-metadata .template-composition/staging"}},
		{name: "staging is a link", files: map[string]string{".template-composition/": ""}, make: link(".template-composition/staging", "../.."),
			want: []string{".template-composition/staging reserved-metadata .template-composition/staging"}},
		{name: "several at once, by destination", files: map[string]string{"readme.MD": "x", "CI/other.yml": "x", "docs": "x", "bin/run/": ""}, want: []string{
			"README.md case-collision readme.MD", "bin/run is-directory bin/run", "ci/build.yml case-collision CI",
			"docs/cli.md parent-not-directory docs", "docs/deep/er.md parent-not-directory docs"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := target(t, c.files)
			if c.make != nil {
				c.make(t, dir)
			}
			p, err := plan(t, comp, dir)
			if err != nil {
				t.Fatal(err)
			}
			conforms(t, p)
			checkConflicts(t, p, c.want)
			decided := len(p.Actions)
			for i := range comp.Materials {
				if slices.ContainsFunc(p.Conflicts, func(c planner.Conflict) bool { return c.Destination == comp.Materials[i].Destination }) {
					decided++
				}
			}
			if decided != len(comp.Materials) {
				t.Errorf("%d of %d materials have an action or a conflict", decided, len(comp.Materials))
			}
		})
	}
}

func link(name, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
}

// checkConflicts compares the conflicts, each as "destination reason at".
func checkConflicts(t *testing.T, p *planner.InitialPlan, want []string) {
	t.Helper()
	var got []string
	for _, c := range p.Conflicts {
		text := fmt.Sprintf("%s %s", c.Destination, c.Reason)
		for _, d := range c.Details {
			if d.Name == "at" {
				text += " " + d.Value.Text
			}
		}
		got = append(got, text)
		if c.Code != "DESTINATION_CONFLICT" || c.Message == "" {
			t.Errorf("conflict %+v", c)
		}
		if slices.ContainsFunc(p.Actions, func(a planner.Action) bool { return a.Material.Destination == c.Destination }) {
			t.Errorf("%s is in conflict and has an action", c.Destination)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("conflicts\n got  %q\n want %q", got, want)
	}
}

func TestDifferentBytesInDetail(t *testing.T) {
	comp := materialize(t, app())
	dir := target(t, map[string]string{"ci/build.yml": "steps: [BUILD]\n", "docs/cli.md": "one\r\ntwo\r\n", "README.md": "# app\r"})
	p, err := plan(t, comp, dir)
	if err != nil {
		t.Fatal(err)
	}
	conforms(t, p)
	golden(t, "different-bytes.json", strictjson.Encode(strictjson.List(p.Conflicts, func(c planner.Conflict) strictjson.Value { return c.Document() })))
}
