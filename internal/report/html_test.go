package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"example.org/compose/internal/report"
	"example.org/compose/lockv2"
	"pgregory.net/rapid"
)

var void = strings.Fields("meta wbr input br hr")

// walk goes through HTML that has to be balanced, and calls element and text with the names of the elements around.
func walk(t fatal, html string, element func(open []string, name string, attributes map[string]string), text func(open []string, s string)) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	var open []string
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				t.Fatalf("not closed: %q", open)
			}
			return
		}
		if err != nil {
			t.Fatalf("no HTML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			attributes := make(map[string]string)
			for _, a := range token.Attr {
				if _, twice := attributes[a.Name.Local]; twice {
					t.Fatalf("attribute %s twice", a.Name.Local)
				}
				attributes[a.Name.Local] = a.Value
			}
			element(open, token.Name.Local, attributes)
			open = append(open, token.Name.Local)
			if slices.Contains(void, token.Name.Local) {
				open = open[:len(open)-1]
			}
		case xml.EndElement:
			switch name := token.Name.Local; {
			case slices.Contains(void, name): // RawToken ends <br/> so
			case len(open) == 0 || open[len(open)-1] != name:
				t.Fatalf("</%s> ends %q", name, open)
			default:
				open = open[:len(open)-1]
			}
		case xml.CharData:
			text(open, string(token))
		case xml.Comment, xml.ProcInst:
			t.Fatalf("%T", token)
		}
	}
}

var (
	ownScript = regexp.MustCompile(`(?s)<script>(.*)</script>`)
	ownStyle  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

// checkHTML wants a balanced page of known elements and attributes, whose policy allows what is in it and nothing else; it returns its text.
func checkHTML(t fatal, page string) string {
	t.Helper()
	if at := strings.IndexFunc(page, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); at >= 0 {
		t.Fatalf("a character that is not to be seen: %q", page[max(at-40, 0):at+9])
	}
	scripts, styles := ownScript.FindAllStringSubmatch(page, -1), ownStyle.FindAllStringSubmatch(page, -1)
	if len(scripts) != 1 || len(styles) < 1 || len(styles) > 2 || strings.Count(page, "<script") != 1 || strings.Count(page, "<style") != len(styles) {
		t.Fatalf("%d scripts, %d styles", len(scripts), len(styles))
	}
	policy := "default-src 'none'; style-src"
	for _, s := range styles {
		policy += " " + digest(s[1])
	}
	policy += "; script-src " + digest(scripts[0][1]) + "; base-uri 'none'; form-action 'none'"
	elements := strings.Fields("html head meta title style body a header main nav footer section div p h1 h2 h3 dl dt dd span b i s em small strong code pre ul ol li details summary label input output button svg desc rect path text g wbr")
	attributes := strings.Fields("lang charset http-equiv content name class id href title aria-hidden aria-label aria-labelledby aria-live aria-describedby focusable width height x y rx d transform viewBox xmlns role tabindex hidden open type autocomplete spellcheck placeholder data-o data-n")
	var text strings.Builder
	ids := make(map[string]bool)
	walk(t, strings.Replace(strings.TrimPrefix(page, "<!DOCTYPE html>"), scripts[0][0], "", 1), func(open []string, name string, attrs map[string]string) {
		if !slices.Contains(elements, name) {
			t.Fatalf("element %s", name)
		}
		for key, value := range attrs {
			switch {
			case !slices.Contains(attributes, key):
				t.Fatalf("attribute %s of %s", key, name)
			case key == "href" && !strings.HasPrefix(value, "#"):
				t.Fatalf("a link to %s", value)
			case key == "http-equiv" && (value != "Content-Security-Policy" || attrs["content"] != policy):
				t.Fatalf("the policy is %s, want %s", attrs["content"], policy)
			case key == "id" && ids[value]:
				t.Fatalf("id %s twice", value)
			case key == "id":
				ids[value] = true
			}
		}
	}, func(open []string, s string) {
		if !slices.Contains(open, "style") {
			text.WriteString(s)
		}
	})
	return text.String()
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func TestHTMLIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		page, _ := r.HTML()
		checkHTML(t, string(page))
		if again, _ := r.HTML(); string(again) != string(page) {
			t.Fatalf("not the same twice")
		}
	})
}

// The page has every file, and what it is said to be, as text.
func TestHTMLOfManyFiles(t *testing.T) {
	r := manyFiles()
	page, cut := r.HTML()
	text := checkHTML(t, string(page))
	if cut.Any() {
		t.Errorf("cut: %s", cut.String(r))
	}
	for _, f := range []int{0, 1234, 3999} {
		folder, name, _ := strings.Cut(string(r.Files[f].Destination), "/file-")
		if !strings.Contains(text, folder+"/file-"+name) {
			t.Errorf("%s is not there", r.Files[f].Destination)
		}
	}
	for _, want := range []string{"4,000 Replace", "3 Conflict", "Lines: +4,000 −4,000", "+漢字`|<漢字`|<", "-``` @üü", "Include partials/größe-`|<@größe-`|<@", "Keep the edit. There is nothing to run."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there", want)
		}
	}
}

// Nothing in the page waits for its script: what the script needs is hidden until it runs.
func TestHTMLWithoutItsScript(t *testing.T) {
	page, _ := manyFiles().HTML()
	if n := strings.Count(string(page), " hidden>"); n != 1 || !strings.Contains(string(page), `<div class="tools" role="search" hidden>`) {
		t.Errorf("%d hidden elements", n)
	}
}

func TestEscapes(t *testing.T) {
	r := &report.Report{Operation: "initial", Recipe: "a<b>&\"'\x1b\u202e\xff"}
	page, _ := r.HTML()
	if want := `a&lt;b&gt;&amp;&quot;&#39;\x1b\u{202e}\xff`; !strings.Contains(string(page), want) {
		t.Errorf("%s is not there", want)
	}
	text, _ := r.Markdown(0)
	if want := "of recipe `a<b>&\"'\\x1b\\u{202e}\\xff` from"; !strings.Contains(string(text), want) {
		t.Errorf("%s is not in %s", want, text)
	}
}

// Of more files than a page can list, those that nothing is done with go first, and all are counted.
func TestHTMLOfTooManyFiles(t *testing.T) {
	r := manyFiles()
	for i := range 40_000 {
		r.Files = append(r.Files, report.File{Bucket: report.Unchanged, Destination: lockv2.Destination(fmt.Sprintf("same/%d", i)), Component: "capability.docs"})
	}
	page, cut := r.HTML()
	rows := strings.Count(string(page), `<li class="file">`)
	if rows+cut.Files != 3+44_000 || cut.Conflicts != 0 || !strings.Contains(string(page), "<p class=\"more\">"+"14,003 more files are not listed: the page would be too large.</p>") {
		t.Errorf("%d rows, %+v", rows, cut)
	}
	if !strings.Contains(string(page), "file-3999.md</span>") {
		t.Error("a file that is replaced has no row")
	}
}
