package report

import (
	"fmt"
	"path"
	"strings"

	"example.org/compose/internal/review"
	"example.org/compose/lockv2"
)

// fileSection lists the files by bucket, each with its lines.
func (p *page) fileSection() {
	p.put("<section id=\"files\" aria-labelledby=\"files-title\">\n<h2 id=\"files-title\">Files <small>%s</small></h2>\n", thousands(len(p.Files)))
	if len(p.Files) > 0 {
		p.put(`<div class="tools" role="search" hidden>
<label><span class="hide">Filter files by name or component</span><input type="search" autocomplete="off" spellcheck="false" placeholder="Filter files by name or component"></label>
<output aria-live="polite"></output>
<button type="button">Open all</button>
</div>
`)
	}
	for _, b := range Buckets() {
		if files := p.in(b); len(files) > 0 {
			p.bucket(b, files)
		}
	}
	p.put("</section>\n")
}

// bucket is a fold of the files of a bucket.
func (p *page) bucket(b Bucket, files []*File) {
	open := ""
	if len(files) <= maxOpen && b != Preserve && b != Unchanged {
		open = " open"
	}
	p.put("<details class=\"fold %s\" id=\"%s\"%s>\n<summary>", b, b, markup(open))
	p.sign(b)
	p.put("<h3>%s <small>%s</small></h3></summary>\n", b.said().title, count(len(files), "file"))
	p.list(len(files))
	for _, f := range files[:p.roomFor(len(files))] {
		p.file(f, nil)
	}
	p.put("</ul>\n")
	p.cut.Files += p.more(len(files), "file")
	p.put("</details>\n")
}

// roomFor returns how many of n files the page lists, and takes them off.
func (p *page) roomFor(n int) int {
	p.shown = min(n, maxListed-p.listed)
	p.listed += p.shown
	return p.shown
}

// more says how many of n files are left after roomFor.
func (p *page) more(n int, noun string) int {
	left := n - p.shown
	if left > 0 {
		p.put("<p class=\"more\">%s not listed: the page would be too large.</p>\n", isAre(left, "more "+noun))
	}
	return left
}

// list begins a list of so many files.
func (p *page) list(n int) {
	if n > maxOpen {
		p.put("<ul class=\"long\">\n")
	} else {
		p.put("<ul>\n")
	}
}

func (p *page) sign(b Bucket) {
	p.put("<span class=\"sign\" aria-hidden=\"true\">%s</span>", b.said().sign)
}

// file is the row of a file, which unfolds where there is more to see.
func (p *page) file(f *File, ways []review.Way) {
	if len(f.Comparisons) == 0 && len(f.included()) == 0 && len(ways) == 0 {
		p.put("<li class=\"file\"><div class=\"row\">")
		p.row(f)
		p.put("</div></li>\n")
		return
	}
	p.put("<li class=\"file\"><details><summary class=\"row\">")
	p.row(f)
	p.put("</summary>\n<div class=\"body\">\n")
	for _, include := range f.included() {
		p.put("<p class=\"includes\">Include <span class=\"path\">%s</span> %s</p>\n", include.path, include.change)
	}
	for i := range f.Comparisons {
		p.comparison(&f.Comparisons[i])
	}
	if len(ways) > 0 {
		p.put("<div class=\"ways\">\n<p>The ways out:</p>\n")
		p.waysOut(ways)
		p.put("</div>\n")
	}
	p.put("</div></details></li>\n")
}

func (p *page) row(f *File) {
	p.sign(f.Bucket)
	folder, name := path.Split(f.name())
	p.put("<span class=\"path\"><i>%s</i><wbr>%s</span> <span class=\"by\">%s", folder, name, f.Component)
	switch {
	case f.Destination == "":
		p.put("<em>component</em>")
	case f.Ownership != lockv2.Managed && f.Ownership != "":
		p.put("<em>%s</em>", f.Ownership)
	}
	p.put("</span> <span class=\"size\">")
	lines := f.Lines()
	if lines.Uncompared > 0 {
		p.put("%s", f.extent())
	}
	if lines.Added > 0 {
		p.put("<span class=\"plus\">+%s</span> ", thousands(lines.Added))
	}
	if lines.Removed > 0 {
		p.put("<span class=\"minus\">−%s</span>", thousands(lines.Removed))
	}
	p.put("</span>")
	if f.Why != "" {
		p.put("<span class=\"own\">%s</span>", upper(f.Why))
	}
}

// comparison is the lines of a difference, or why there are none.
func (p *page) comparison(c *Comparison) {
	if c.Kind != review.Change {
		p.put("<p class=\"what\">%s</p>\n", upper(c.Title()))
	}
	for _, note := range c.Notes {
		p.put("<p>%s</p>\n", upper(note))
	}
	if instead := c.instead(); instead != "" {
		p.put("<p>%s</p>\n", upper(instead))
		return
	}
	if len(c.Hunks) > 0 {
		p.put("<pre class=\"diff\"><code>")
		for i := range c.Hunks {
			p.hunk(&c.Hunks[i])
		}
		p.put("</code></pre>\n")
	}
	switch {
	case c.Left > 0 && len(c.Hunks) == 0:
		p.put("<p>%s not shown: the page would be too large.</p>\n", isAre(c.Left, "line"))
	case c.Left > 0:
		p.put("<p>%s not shown.</p>\n", isAre(c.Left, "more line"))
	}
}

// hunk adds the lines of a hunk, with their numbers beside them.
func (p *page) hunk(h *review.Hunk) {
	p.put("<span class=\"h\">%s\n</span>", h.Header())
	before, after := h.OldStart, h.NewStart
	for i := range h.Lines {
		l := &h.Lines[i]
		switch l.Op {
		case review.Added:
			p.put("<span class=\"a\" data-n=\"%s\">", after)
			after++
		case review.Removed:
			p.put("<span class=\"d\" data-o=\"%s\">", before)
			before++
		default:
			p.put("<span data-o=\"%s\" data-n=\"%s\">", before, after)
			before, after = before+1, after+1
		}
		p.put("%s", string(l.Op))
		p.line(l)
		p.put("\n</span>")
		if l.NoNewline {
			p.put("<span class=\"x\">\\ No newline at end of file\n</span>")
		}
	}
}

// line adds the text of a line, with its escapes set off.
func (p *page) line(l *review.Line) {
	if l.Skipped > 0 {
		p.put("<s>(%s) ... </s>", count(l.Skipped, "character"))
	}
	done := 0
	for _, e := range l.Escapes {
		p.put("%s<b>%s</b>", l.Text[done:e.Start], l.Text[e.Start:e.End])
		done = e.End
	}
	p.put("%s", l.Text[done:])
	if l.Cut > 0 {
		p.put("<s> ... (%s)</s>", count(l.Cut, "more character"))
	}
}

// graphSection is the graph of the composition.
func (p *page) graphSection() {
	if p.Graph == nil {
		return
	}
	svg := string(p.Graph.SVG())
	_, rest, _ := strings.Cut(svg, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	p.styles = append(p.styles, style)
	width := 0
	if _, after, found := strings.Cut(svg, ` width="`); found {
		fmt.Sscanf(after, "%d", &width)
	}
	p.styles[0] += fmt.Sprintf(".graph svg { width: 100%%; min-width: %dpx; max-width: %dpx; }\n", width*3/5, width)
	p.put(`<section aria-labelledby="graph-title">
<details class="fold" id="graph">
<summary><h2 id="graph-title">Graph <small>%s</small></h2></summary>
<div class="graph" role="region" aria-label="Picture of the graph" tabindex="0">
%s</div>
</details>
</section>
`, count(len(p.Graph.Components), "component"), markup(svg))
}

// isAre says "1 line is" or "3 lines are".
func isAre(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
}
