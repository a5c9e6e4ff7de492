package report_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"example.org/compose/internal/report"
	"pgregory.net/rapid"
)

// fatal is what testing.T and rapid.T have in common.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

var (
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,})([a-z]*)$")
	codeSpan  = regexp.MustCompile("<code>([^<]|<wbr>)*</code>")
	knownTag  = regexp.MustCompile(`<(/?(details|summary|b|code)|br|details open)>`)
	reference = regexp.MustCompile(`(?i)@\w|#\w|https?://|www\.|GH-\d|:\w|!\d|~\w|\$\w`)
)

// checkMarkdown wants whole fences, folds and tables, known tags alone, and nothing that a host would make a link or a mention of.
func checkMarkdown(t fatal, text string) (fences int) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("no UTF-8")
	}
	fence, depth, cells := "", 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }) {
			t.Fatalf("a character that nobody would see: %q", line)
		}
		found := fenceLine.FindStringSubmatch(line)
		switch {
		case fence != "" && found != nil && len(found[1]) >= len(fence) && found[2] == "":
			fence = ""
			continue
		case fence != "":
			continue
		case found != nil:
			fence = found[1]
			fences++
			continue
		}
		line = withoutCode(t, line)
		rest := knownTag.ReplaceAllStringFunc(line, func(tag string) string {
			switch tag {
			case "<details>", "<details open>":
				depth++
			case "</details>":
				depth--
			}
			return ""
		})
		if depth < 0 || depth > 1 || strings.ContainsAny(strings.TrimPrefix(rest, ">"), "<>") {
			t.Fatalf("a tag or a fold is wrong: %q", line)
		}
		if strings.HasPrefix(line, "|") {
			n := strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|")
			if cells == 0 {
				cells = n
			}
			if n != cells {
				t.Fatalf("a row of %d cells in a table of %d: %q", n, cells, line)
			}
		} else {
			cells = 0
		}
		if m := reference.FindString(unescaped.Replace(rest)); m != "" {
			t.Fatalf("%q in %q", m, line)
		}
	}
	if fence != "" || depth != 0 {
		t.Fatalf("the end is inside a fence %q or %d folds", fence, depth)
	}
	return fences
}

// unescaped takes away what is Markdown's own.
var unescaped = strings.NewReplacer(`\`, "", "&lt;", "", "&gt;", "", "&amp;", "", "&#8203;", "\u200b", "#### ", "", "### ", "")

// withoutCode takes code out of a line, in both forms.
func withoutCode(t fatal, line string) string {
	t.Helper()
	line = codeSpan.ReplaceAllString(line, "")
	var out strings.Builder
	for {
		at := strings.IndexByte(line, '`')
		if at >= 0 && (at-len(strings.TrimRight(line[:at], `\`)))%2 == 1 { // escaped
			out.WriteString(line[:at-1])
			line = line[at+1:]
			continue
		}
		if at < 0 {
			return out.String() + line
		}
		out.WriteString(line[:at])
		run := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
		rest := line[at+run:]
		for i := 0; ; {
			next := strings.IndexByte(rest[i:], '`')
			if next < 0 {
				t.Fatalf("code without end: %q", line)
			}
			i += next
			closing := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
			if i += closing; closing == run {
				line = rest[i:]
				break
			}
		}
	}
}

// rendered is the text as GitHub's own renderer makes HTML of it.
func rendered(t fatal, text []byte) string {
	t.Helper()
	cmd := exec.Command("cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter", "-e", "tasklist")
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cmark-gfm: %v", err)
	}
	return string(out)
}

func TestMarkdownIsSafeAndBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		budget := rapid.OneOf(rapid.IntRange(report.MinMarkdown, 9000), rapid.Just(60_000)).Draw(t, "budget")
		text, _ := r.Markdown(budget)
		if len(text) > budget {
			t.Fatalf("%d bytes where %d are allowed", len(text), budget)
		}
		checkMarkdown(t, string(text))
		again, _ := r.Markdown(budget)
		if !bytes.Equal(text, again) {
			t.Fatalf("not the same twice")
		}
	})
}

// GitHub's own renderer sees the same: balanced elements, code where there is code, and no link, image or emphasis of others.
func TestMarkdownAsRendered(t *testing.T) {
	if _, err := exec.LookPath("cmark-gfm"); err != nil {
		t.Skip("cmark-gfm is missing; install the Debian package of that name")
	}
	elements := strings.Fields("h3 h4 p blockquote table thead tbody tr th td strong b code pre details summary ul ol li br wbr")
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		budget := rapid.OneOf(rapid.IntRange(report.MinMarkdown, 9000), rapid.Just(60_000)).Draw(t, "budget")
		text, _ := r.Markdown(budget)
		html := rendered(t, text)
		pre := 0
		plain := ""
		walk(t, html, func(open []string, name string, attributes map[string]string) {
			if !slices.Contains(elements, name) {
				t.Fatalf("element %s in\n%s", name, text)
			}
			if name == "pre" {
				pre++
			}
		}, func(open []string, s string) {
			if !slices.Contains(open, "code") && !slices.Contains(open, "pre") {
				plain += s
			}
		})
		if want := checkMarkdown(t, string(text)); pre != want {
			t.Fatalf("%d blocks of code are rendered, and %d are written, in\n%s", pre, want, text)
		}
		if m := reference.FindString(plain); m != "" {
			t.Fatalf("%q is rendered outside of code in\n%s", m, text)
		}
	})
}

var (
	moreFiles = regexp.MustCompile(`(?m)^and ([0-9,]+) more files?$`)
	moreLines = regexp.MustCompile(`(?m)^and ([0-9,]+) more lines?$`)
	fileRow   = regexp.MustCompile("(?m)^\\| (`|<code>)")
	foldOf    = regexp.MustCompile(`(?m)^<details><summary>~ `)
)

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// However little there is room for, the totals are exact, all conflicts are there, and what is left out is counted.
func TestMarkdownOfManyFiles(t *testing.T) {
	r := manyFiles()
	for _, budget := range []int{report.MinMarkdown, 4000, 20_000, 60_000, 65_536, 1_000_000} {
		b, cut := r.Markdown(budget)
		text := string(b)
		if len(text) > budget || utf8.RuneCountInString(text) > budget {
			t.Errorf("%d bytes where %d are allowed", len(text), budget)
		}
		if budget >= 20_000 && len(text) < budget*19/20 {
			t.Errorf("%d bytes where %d are allowed: there is room for more", len(text), budget)
		}
		checkMarkdown(t, text)
		if !strings.Contains(text, "| **3** | 0 | **4,000** | 0 | 0 | 0 |") || !strings.Contains(text, "Lines: +4,000 −4,000") {
			t.Errorf("the totals are not there:\n%.900s", text)
		}
		rows, more := len(fileRow.FindAllString(text, -1)), 0
		if m := moreFiles.FindStringSubmatch(text); m != nil {
			more = number(t, m[1])
		}
		if rows > 0 && rows+more != 4000 || cut.Files != 4000-rows {
			t.Errorf("budget %d: %d files are listed, %d said to be more, %d to be left out", budget, rows, more, cut.Files)
		}
		conflicts, folds := strings.Count(text, "\n- `docs/conflict-"), len(foldOf.FindAllString(text, -1))
		folds += strings.Count(text, "<summary>! ")
		folds -= len(moreLines.FindAllString(text, -1)) // not whole
		if conflicts != 3 || cut.Conflicts != 0 || strings.Index(text, "docs/conflict-") > strings.Index(text+"long-name", "long-name") {
			t.Errorf("budget %d: %d conflicts first", budget, conflicts)
		}
		if cut.Lines != 4003-folds {
			t.Errorf("budget %d: the lines of %d files are there, and of %d said to be left out", budget, folds, cut.Lines)
		}
		if said := cut.String(r); cut.Any() && !strings.Contains(text, said) {
			t.Errorf("%q is not said", said)
		}
	}
}

// A plan that fits is whole.
func TestMarkdownLeavesNothingOut(t *testing.T) {
	r := manyFiles()
	r.Files = r.Files[:5]
	text, cut := r.Markdown(60_000)
	if cut.Any() || strings.Contains(string(text), "This is cut") {
		t.Errorf("cut: %s", cut.String(r))
	}
	if n := strings.Count(string(text), "```diff\n"); n != 8 {
		t.Errorf("%d differences", n)
	}
}

// Too many conflicts: each that has room is listed, the others are counted.
func TestMarkdownOfManyConflicts(t *testing.T) {
	r := manyFiles()
	one := r.Conflicts[0].Files[0]
	r.Conflicts[0].Files = nil
	for i := range 5000 {
		one.Destination = r.Files[i%4000].Destination
		r.Conflicts[0].Files = append(r.Conflicts[0].Files, one)
	}
	b, cut := r.Markdown(60_000)
	text := string(b)
	checkMarkdown(t, text)
	listed := strings.Count(text, "\n- `docs/")
	if listed+cut.Conflicts != 5000 || listed < 400 || !strings.Contains(text, fmt.Sprintf("%d of 5,000 conflicts", cut.Conflicts)) && !strings.Contains(text, cut.String(r)) {
		t.Errorf("%d are listed, %d counted", listed, cut.Conflicts)
	}
}
