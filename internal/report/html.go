package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Bounds of what is laid out at once.
const (
	maxOpen   = 200    // files of a bucket that is unfolded at first
	maxWays   = 200    // conflicts with ways out of their own
	maxListed = 30_000 // files
)

// markup is text that is HTML already.
type markup string

// page is an HTML page at work.
type page struct {
	*Report
	out    bytes.Buffer
	styles []string // of all <style> elements
	ways   int      // conflicts that had their ways out
	listed int      // files that have a row
	shown  int      // of them, those of the list at work
	cut    Cut
}

// put adds HTML. In the format %s stands for a text, which is escaped for an element and a quoted attribute alike, for a number, or for markup.
func (p *page) put(format string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(format, "%s")
		p.out.WriteString(before)
		switch arg := arg.(type) {
		case markup:
			p.out.WriteString(string(arg))
		case int:
			p.out.WriteString(strconv.Itoa(arg))
		default:
			p.out.WriteString(escapeHTML(fmt.Sprint(arg)))
		}
		format = after
	}
	p.out.WriteString(format)
}

// HTML returns the report as one page, and what it leaves out: lines of differences that nobody would read to the end.
//
// The page fetches nothing and needs no script to be read. Its policy allows its own styles and its own script, by their digests, and
// nothing else.
func (r *Report) HTML() ([]byte, Cut) {
	p := &page{Report: r, styles: []string{pageStyle}, cut: Cut{Lines: r.cutFiles()}}
	p.put(`<a class="skip" href="#files">Skip to the files</a>` + "\n")
	p.header()
	p.put("<main>\n")
	p.summary()
	p.conflictSection()
	p.componentSection()
	p.graphSection()
	p.fileSection()
	p.put("</main>\n")
	p.footer()
	body := bytes.Clone(p.out.Bytes())
	p.out.Reset()
	p.head()
	p.out.Write(body)
	p.put("<script>%s</script>\n</body>\n</html>\n", markup(pageScript))
	return p.out.Bytes(), p.cut
}

// head is what comes before the body.
func (p *page) head() {
	policy := "default-src 'none'; style-src"
	for _, style := range p.styles {
		policy += " " + digest(style)
	}
	policy += "; script-src " + digest(pageScript) + "; base-uri 'none'; form-action 'none'"
	p.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
`, policy, p.heading(plainly)+p.revisions(plainly))
	p.put("<style>%s</style>\n</head>\n<body>\n", markup(p.styles[0]))
}

// plainly leaves a name as it is.
func plainly(s string) string { return s }

// digest is a source expression of a content security policy.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (p *page) header() {
	name := func(s string) string { return `<span class="path">` + escapeHTML(s) + `</span>` }
	p.put(`<header>
<p class="kicker">compose report</p>
<h1>%s</h1>
<dl class="facts">
<div><dt>From</dt><dd><span class="path">%s</span>%s</dd></div>
</dl>
</header>
`, markup(p.heading(name)), p.Source.Repository, markup(p.revisions(func(s string) string {
		whole := string(p.Source.Revision)
		if strings.HasPrefix(string(p.From), s) {
			whole = string(p.From)
		}
		return `<code title="` + escapeHTML(whole) + `">` + escapeHTML(s) + `</code>`
	})))
}

// summary says what the plan comes to.
func (p *page) summary() {
	words, follows := p.verdict()
	class := "go"
	switch {
	case p.Count(Conflicting) > 0:
		class = "stop"
	case !p.Writes:
		class = "rest"
	}
	p.put("<div class=\"verdict %s\">\n<p><strong>%s</strong> %s</p>\n", class, words, follows)
	switch {
	case p.Next == "":
	case class == "stop":
		p.put("<p class=\"step\">Then again:</p>\n")
		p.command(p.Next)
	case class == "go":
		p.put("<p class=\"step\">This does it:</p>\n")
		p.command(p.Next)
	}
	p.put("</div>\n")
	p.tiles()
}

// command is a command ready to copy.
func (p *page) command(command string) {
	p.put("<div class=\"command\"><pre>%s</pre></div>\n", shown(command, false))
}

// tiles counts the files of each bucket.
func (p *page) tiles() {
	p.put("<nav aria-label=\"Totals\"><ul class=\"tiles\">\n")
	total := 0
	for _, b := range p.buckets() {
		n, title := p.Count(b), b.said().title
		total += n
		if n == 0 {
			p.put("<li class=\"%s none\"><span><b>0</b> <span>%s</span></span></li>\n", b, title)
			continue
		}
		p.put("<li class=\"%s\"><a href=\"#%s\"><b>%s</b> <span>%s</span></a></li>\n", b, b, thousands(n), title)
	}
	p.put("</ul></nav>\n")
	p.bar(total)
	if lines := p.Lines().String(); lines != "" {
		p.put("<p class=\"lines\">Lines: %s", lines)
		if p.cut.Lines > 0 {
			p.put(". Those of %s are not all on this page, which would be too large.", count(p.cut.Lines, "file"))
		}
		p.put("</p>\n")
	}
}

// bar shows the proportions of the buckets.
func (p *page) bar(total int) {
	if total == 0 {
		return
	}
	p.put("<svg class=\"bar\" aria-hidden=\"true\" focusable=\"false\" width=\"100%\" height=\"6\">")
	done := 0
	for _, b := range p.buckets() {
		n := p.Count(b)
		at, to := done*1000/total, (done+n)*1000/total
		if done += n; n > 0 {
			p.put("<rect class=\"%s\" x=\"%s.%s%\" width=\"%s.%s%\" height=\"6\"/>", b, at/10, at%10, max(to-at, 3)/10, max(to-at, 3)%10)
		}
	}
	p.put("</svg>\n")
}

// footer ends the page.
func (p *page) footer() {
	p.put("<footer>\n<p>Written by compose report. Nothing here is fetched, and nothing is sent.</p>\n</footer>\n")
}
