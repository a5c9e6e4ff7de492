package report_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/report"
	"example.org/compose/planner"
)

// numbered is a text of n lines.
func numbered(n int, what string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", what, i)
	}
	return b.String()
}

// big is a catalog whose second version has more lines than a report keeps: new files first in order, changed ones last.
func big(version int) catalogtest.Files {
	app := catalogtest.Component{ID: "artifact.app", Materials: []catalogtest.Material{{Destination: "z/changed.txt", Content: numbered(700, fmt.Sprintf("version %d of line", version))}}}
	if version == 2 {
		for i := range 40 {
			app.Materials = append(app.Materials, catalogtest.Material{Destination: fmt.Sprintf("a/new-%02d.txt", i), Content: numbered(1200, "line")})
		}
		app.Materials = append(app.Materials, catalogtest.Material{Destination: "z/long.txt", Content: numbered(2000, "line")})
	}
	app.Version = version
	return catalogtest.Catalog{Components: []catalogtest.Component{app}, Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}}}.Files()
}

// Of too many lines those of new files are dropped, the last first; the counts stay exact, and both forms say what is missing.
func TestLinesAreBounded(t *testing.T) {
	r := newLab(t, big(1), big(2)).managed(planner.Upgrade)
	if got, want := r.Lines(), (report.Lines{Added: 40*1200 + 2000 + 700, Removed: 700}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	kept, dropped := 0, 0
	for _, f := range r.Files {
		lines, left := 0, 0
		for _, c := range f.Comparisons {
			left += c.Left
			for _, h := range c.Hunks {
				lines += len(h.Lines)
			}
		}
		kept += lines
		switch {
		case f.Destination == "z/changed.txt" && (lines != 1400 || left != 0):
			t.Errorf("%s: %d lines are kept and %d dropped", f.Destination, lines, left)
		case f.Destination == "z/long.txt" && lines+left != 2000:
			t.Errorf("%s: %d lines are kept and %d dropped", f.Destination, lines, left)
		case strings.HasPrefix(string(f.Destination), "a/"):
			if lines+left != 1200 || lines > 0 && left > 0 {
				t.Errorf("%s: %d lines are kept and %d dropped", f.Destination, lines, left)
			}
			if left > 0 {
				dropped++
			} else if dropped > 0 {
				t.Errorf("%s is kept, and one before it dropped", f.Destination)
			}
		}
	}
	if kept > 40_000 || kept < 37_000 || dropped == 0 {
		t.Errorf("%d lines are kept, %d files dropped", kept, dropped)
	}
	page, cut := r.HTML()
	text := checkHTML(t, string(page))
	if cut.Lines != dropped+1 || !strings.Contains(text, "1,200 lines are not shown: the page would be too large.") || !strings.Contains(text, "Those of "+fmt.Sprint(cut.Lines)+" files are not all on this page") {
		t.Errorf("%+v of %d dropped", cut, dropped)
	}
	markdown, cut := r.Markdown(60_000)
	if len(markdown) > 60_000 || cut.Lines < 38 || !strings.Contains(string(markdown), cut.String(r)) {
		t.Errorf("%d bytes, %+v", len(markdown), cut)
	}
	checkMarkdown(t, string(markdown))
}

// A file is cut at 1,500 lines, and says so.
func TestLongFileIsCut(t *testing.T) {
	after := big(1)
	after["components/artifact.app/files/z/changed.txt"] = catalogtest.File{Content: numbered(2600, "other")}
	r := newLab(t, big(1), after).managed(planner.Update)
	f := &r.Files[len(r.Files)-1]
	if len(f.Comparisons) != 1 || f.Comparisons[0].Left != 700+2600-1500 || f.Lines() != (report.Lines{Added: 2600, Removed: 700}) {
		t.Errorf("%+v, %d comparisons", f.Lines(), len(f.Comparisons))
	}
	page, _ := r.HTML()
	if !strings.Contains(string(page), "<p>1,800 more lines are not shown.</p>") {
		t.Error("the page does not say so")
	}
}

// A first composition over what is there has adopted files and files in the way.
func TestInitialOverFiles(t *testing.T) {
	l := newLab(t, service(1), service(2))
	taken := &lab{t: t, dir: t.TempDir(), catalogs: l.catalogs, old: l.old, new: l.new}
	taken.write("docs/same.md", "the same\n")
	taken.write("README.md", "mine\n")
	r := taken.initial(taken.open())
	if r.Count(report.Adopt) != 1 || r.Count(report.Conflicting) != 1 || r.Count(report.Create) != 7 || r.Writes {
		t.Errorf("%d adopted, %d in conflict, %d created, %v", r.Count(report.Adopt), r.Count(report.Conflicting), r.Count(report.Create), r.Writes)
	}
}
