package report_test

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.org/compose/internal/graph"
	"example.org/compose/internal/report"
	"example.org/compose/internal/review"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"pgregory.net/rapid"
)

// hostile are texts that mean something in Markdown, in HTML or to a code host.
var hostile = []string{
	"", " ", "`", "``` ", "````````", "~~~", "a`b``c", "|", `\|`, `\\|`, `a\`, "a|b|c", "</details>", "<details>", "</code></pre>", "<script>alert(1)</script>", `" onclick="x`, "' x='",
	"<!--", "-->", "]]>", "<![CDATA[", "<?x", "&lt;b&gt;", "&#64;here", "&nbsp;", "@octocat", "@org/team", "x @octocat.", "a@example.org", "#123", "owner/name#1", "GH-12", "gh-12", "!45", "~label", "%1", "$x$", "$`x`$",
	":tada:", "https://example.org/x", "http://a", "www.example.org", "WWW.example.org", "mailto:a@example.org", "[a](javascript:x)", "![a](http://x/y.png)", "[x]: http://y", "[^1]", "**b**", "__b__", "*", "_a_", "~~s~~", "- a", "1. a", "> q", "# h", "    code",
	"\t", "\n", "a\r\nb", "\x00\x1b[31m", "\u202egpj\u2066", "\u2028", "\ufeff", "\u200b", "\xff\xfe", "漢字/かな", "é́", "🎉🏳️‍🌈", "ﷺ", "עברית", strings.Repeat("`", 600), strings.Repeat("long ", 200), strings.Repeat("漢", 300), "---", "===", "--- a", "| --- |", "\\", "\\n",
	"4b825dc642cb6eb9a060e54bf8d69288fbee4904", "components/x/files/y.md", "docs/guide.md", "capability.lint",
}

func text(t *rapid.T, label string) string {
	pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 20, 40)), 1, 2).Draw(t, label)
	return strings.Join(pieces, "")
}

// line is a line as package review gives it: valid, and its escapes stand in it.
func line(t *rapid.T) review.Line {
	l := review.Line{
		Op:   rapid.SampledFrom([]review.Op{review.Context, review.Added, review.Removed}).Draw(t, "op"),
		Text: strings.ToValidUTF8(text(t, "line"), "?"),
	}
	l.NoNewline = rapid.IntRange(0, 9).Draw(t, "end") == 0
	if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
		l.Skipped, l.Cut = 3, 1
	}
	if _, size := utf8.DecodeRuneInString(l.Text); size > 0 {
		l.Escapes = []review.Span{{Start: 0, End: size}}
	}
	return l
}

func comparison(t *rapid.T) report.Comparison {
	var c report.Comparison
	c.Kind = rapid.SampledFrom([]review.Kind{review.Change, review.Edit, review.Upstream}).Draw(t, "kind")
	c.Old.Name, c.New.Name = text(t, "old"), text(t, "new")
	if rapid.IntRange(0, 4).Draw(t, "notes") == 0 {
		c.Notes = []string{text(t, "note")}
	}
	if rapid.IntRange(0, 5).Draw(t, "omitted") == 0 {
		c.Omitted = rapid.SampledFrom([]review.Omission{review.Same, review.LineEnds, review.Binary, review.TooLong, review.Unreadable}).Draw(t, "omission")
		c.Why = text(t, "why")
		return c
	}
	for range rapid.IntRange(0, 2).Draw(t, "hunks") {
		h := review.Hunk{OldStart: 1, NewStart: 1}
		for range rapid.IntRange(1, 12).Draw(t, "lines") {
			l := line(t)
			h.Lines = append(h.Lines, l)
			switch l.Op {
			case review.Added:
				c.Added++
			case review.Removed:
				c.Removed++
			}
		}
		c.Hunks = append(c.Hunks, h)
	}
	if rapid.IntRange(0, 5).Draw(t, "left") == 0 {
		c.Left = 7
	}
	return c
}

func file(t *rapid.T, b report.Bucket) report.File {
	f := report.File{
		Bucket: b, Destination: lockv2.Destination(text(t, "destination")), Component: lockv2.ComponentID(text(t, "component")),
		Ownership: rapid.SampledFrom([]lockv2.Ownership{"", lockv2.Managed, lockv2.Seed}).Draw(t, "ownership"),
	}
	switch b {
	case report.Preserve, report.Unchanged, report.Adopt:
		return f
	case report.Replace:
		if rapid.Bool().Draw(t, "includes") {
			f.Includes = &planner.IncludeChanges{Added: []string{text(t, "include")}, Changed: []string{text(t, "include"), "b", "c"}}
		}
	case report.Conflicting:
		if rapid.Bool().Draw(t, "own") {
			f.Why = text(t, "why")
		}
		for range rapid.IntRange(0, 2).Draw(t, "ways") {
			f.Ways = append(f.Ways, review.Way{Title: text(t, "way"), Text: text(t, "way"), Steps: []review.Step{{Note: text(t, "note"), Command: text(t, "command")}, {Command: text(t, "command")}}})
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "comparisons") {
		f.Comparisons = append(f.Comparisons, comparison(t))
	}
	return f
}

// anyReport is a report in which every text may mean harm.
func anyReport(t *rapid.T) *report.Report {
	r := &report.Report{
		Operation: rapid.SampledFrom([]string{"initial", "update", "upgrade"}).Draw(t, "operation"),
		Source:    lockv2.Source{Repository: text(t, "repository"), Revision: lockv2.Revision(text(t, "revision"))},
		Recipe:    lockv2.RecipeID(text(t, "recipe")),
		Steady:    rapid.IntRange(0, 3).Draw(t, "steady"),
		Next:      text(t, "next"),
		Writes:    rapid.Bool().Draw(t, "writes"),
	}
	if r.Operation != "initial" {
		r.From, r.OldRecipe = lockv2.Revision(text(t, "from")), lockv2.RecipeID(text(t, "old recipe"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "groups") {
		g := report.Group{Code: text(t, "code"), Why: text(t, "why")}
		for range rapid.IntRange(1, 4).Draw(t, "conflicts") {
			g.Files = append(g.Files, file(t, report.Conflicting))
		}
		r.Conflicts = append(r.Conflicts, g)
	}
	for range rapid.IntRange(0, 4).Draw(t, "components") {
		r.Components = append(r.Components, report.Component{ID: lockv2.ComponentID(text(t, "id")), From: rapid.Int64Range(0, 2).Draw(t, "from"), To: 2})
	}
	for range rapid.IntRange(0, 8).Draw(t, "files") {
		r.Files = append(r.Files, file(t, rapid.SampledFrom(report.Buckets()[1:]).Draw(t, "bucket")))
	}
	if rapid.Bool().Draw(t, "graph") {
		r.Graph = &graph.Model{
			Source:     lockv2.Source{Repository: "example-org/templates", Revision: "2222222222222222222222222222222222222222"},
			Recipe:     graph.Recipe{ID: "app", Summary: text(t, "summary")},
			Components: []graph.Component{{ID: "artifact.app", Version: 1, Summary: text(t, "summary"), Reason: graph.Artifact, Folders: []graph.Folder{{Path: "docs", Files: graph.Files{Managed: 1}}}}},
		}
	}
	return r
}

// manyFiles is a plan that fits into no comment: 4,000 changed files whose includes have long names that are not ASCII, and three
// conflicts.
func manyFiles() *report.Report {
	r := &report.Report{
		Operation: "update", Recipe: "app", OldRecipe: "app", From: "1111111111111111111111111111111111111111",
		Source: lockv2.Source{Repository: "example-org/templates", Revision: "2222222222222222222222222222222222222222"},
	}
	changed := func(b report.Bucket, name string) report.File {
		f := report.File{Bucket: b, Destination: lockv2.Destination(name), Component: "capability.docs", Ownership: lockv2.Managed}
		var c report.Comparison
		c.Kind, c.Old, c.New, c.Added, c.Removed = review.Change, review.Side{Present: true, Name: "a/" + name}, review.Side{Present: true, Name: "b/" + name}, 1, 1
		c.Hunks = []review.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []review.Line{
			{Op: review.Removed, Text: "``` @" + strings.Repeat("ü", 40)}, {Op: review.Added, Text: strings.Repeat("漢字`|<", 10)},
		}}}
		f.Comparisons = []report.Comparison{c}
		return f
	}
	for i := range 4000 {
		f := changed(report.Replace, fmt.Sprintf("docs/%s/file-%04d.md", strings.Repeat("long-name-", 8), i))
		f.Includes = &planner.IncludeChanges{Changed: []string{"partials/" + strings.Repeat("größe-`|<@", 6) + ".md"}}
		r.Files = append(r.Files, f)
	}
	g := report.Group{Code: planner.CodeLocalModification, Why: "was edited here, but the catalog owns its bytes"}
	for i := range 3 {
		f := changed(report.Conflicting, fmt.Sprintf("docs/conflict-%d.md", i))
		f.Ways = []review.Way{{Title: "Keep the edit", Text: "There is nothing to run."}}
		g.Files = append(g.Files, f)
	}
	r.Conflicts = []report.Group{g}
	return r
}
