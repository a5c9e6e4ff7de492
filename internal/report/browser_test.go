package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/report"
	"example.org/compose/internal/review"
	"example.org/compose/lockv2"
)

// expectation is what check.mjs wants of a page.
type expectation struct {
	Files  []string `json:"files"` // by bucket
	Added  []string `json:"added"` // lines
	Filter string   `json:"filter"`
	Fits   int      `json:"fits"`
}

// The pages in a browser: rendering, theme, filter, keyboard, print, no script, and axe's rules of accessibility.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	chromium := browserProgram(t)
	if _, err := os.Stat("testdata/browser/node_modules/playwright-core"); err != nil {
		t.Skip("run npm ci in internal/report/testdata/browser first")
	}
	dir := t.TempDir()
	if kept := os.Getenv("SHOTS"); kept != "" { // for people who look at the pages, and at pictures of them
		dir = kept
	}
	made := samples(t)
	expected := make(map[string]expectation)
	for name, r := range map[string]*report.Report{"small": made["upgrade"], "conflicts": made["conflicts"], "hostile": hostileReport(), "large": largeReport()} {
		page, _ := r.HTML()
		write(t, filepath.Join(dir, name+".html"), page)
		expected[name] = expectationOf(r)
	}
	b, err := json.Marshal(expected)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "expected.json"), b)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "node", "testdata/browser/check.mjs", chromium, dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func browserProgram(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is missing; install nodejs")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("chromium is missing; install the Debian package of that name")
	return ""
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// expectationOf reads off the report what the page has to show.
func expectationOf(r *report.Report) expectation {
	e := expectation{Filter: "docs", Files: []string{}, Added: []string{}}
	for _, b := range report.Buckets() {
		for i := range r.Files {
			f := &r.Files[i]
			if f.Bucket != b {
				continue
			}
			e.Files = append(e.Files, string(f.Destination))
			if strings.Contains(string(f.Destination)+" "+string(f.Component), e.Filter) {
				e.Fits++
			}
			for _, c := range f.Comparisons {
				for _, h := range c.Hunks {
					for _, l := range h.Lines {
						if l.Op == review.Added {
							e.Added = append(e.Added, "+"+l.Text+"\n")
						}
					}
				}
			}
		}
	}
	return e
}

// hostileReport has texts that would do something if they were markup, in every place.
func hostileReport() *report.Report {
	texts := []string{
		"<script>window.pwned=1</script>", `"><img src=x onerror="window.pwned=1">`, "'><svg onload='window.pwned=1'>", "</pre></code></details><h1>x</h1>", "--><!--", "]]>", "&lt;b&gt;", "</style></script>",
		"javascript:window.pwned=1", `{{constructor.constructor("window.pwned=1")()}}`, "עברית ﷺ", "漢字🎉", strings.Repeat("W", 400), strings.Repeat("long/", 100),
	}
	r := &report.Report{Operation: "update", Recipe: lockv2.RecipeID(texts[0]), OldRecipe: "b", From: "1111111111111111111111111111111111111111",
		Source: lockv2.Source{Repository: texts[1], Revision: "2222222222222222222222222222222222222222"}, Next: texts[2], Writes: true}
	for i, text := range texts {
		f := report.File{Bucket: report.Replace, Destination: lockv2.Destination(text), Component: lockv2.ComponentID(text), Ownership: lockv2.Ownership(text)}
		var c report.Comparison
		c.Kind, c.Added, c.Notes = review.Edit, 1, []string{text}
		c.Hunks = []review.Hunk{{OldStart: 1, NewStart: 1, NewLines: 1, Lines: []review.Line{{Op: review.Added, Text: text}}}}
		f.Comparisons = []report.Comparison{c}
		r.Files = append(r.Files, f)
		r.Components = append(r.Components, report.Component{ID: lockv2.ComponentID(text), From: 1, To: int64(i)})
		f.Bucket, f.Why = report.Conflicting, text
		f.Ways = []review.Way{{Title: text, Text: text, Steps: []review.Step{{Note: text, Command: text}}}}
		r.Conflicts = append(r.Conflicts, report.Group{Code: fmt.Sprintf("CODE_%d", i), Why: text, Files: []report.File{f, f}})
	}
	return r
}

// largeReport has 10,000 files, of which each fourth has a difference.
func largeReport() *report.Report {
	r := manyFiles()
	r.Conflicts, r.Writes, r.Next = nil, true, "compose apply --mode update"
	all := r.Files[:2500]
	for i := range 7500 {
		all = append(all, report.File{Bucket: report.Unchanged, Destination: lockv2.Destination(fmt.Sprintf("internal/part-%d/file-%d.go", i%20, i)), Component: "capability.part", Ownership: lockv2.Managed})
	}
	r.Files = all
	return r
}
