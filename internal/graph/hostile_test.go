package graph_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"example.org/compose/internal/graph"
	"example.org/compose/lockv2"
)

// hostile are texts that mean something in one of the languages.
var hostile = []string{
	"]]></title></svg><script>alert(1)</script>", "<!-- a --> &amp; &#x3c; &unknown; <![CDATA[", `" onload="alert(1)`, `'"\`, `\N \G \l \" \`,
	"`**bold**` [a](javascript:alert(1))", "a\nb\r\nc\td", "end\n  recipe --> x", `"]:::x; click recipe "javascript:alert(1)"`, "#quot; #35; #", "%%{init: {}}%%", "---\ntitle: x\n---",
	"\x1b[31mred\x1b[0m \x00 \u202eevil\u2066 \ufeff", "not \xff UTF-8 \xc3", "漢字 한국어 🎉 e\u0301", "\uffff\ufffe", strings.Repeat("long ", 3000), strings.Repeat("W", 9000), "",
}

// spoiled returns a model in which every text that a catalog's author writes is the given one.
func spoiled(text string) *graph.Model {
	m := samples()["small"]
	m.Recipe.Summary = text
	for i := range m.Components {
		m.Components[i].Summary = text
	}
	m.Outside[0].Summary = text
	for i := range m.Components[0].Folders { // no catalog has such a path, but the escaping does not lean on that
		m.Components[0].Folders[i].Path = text
	}
	return m
}

// checkSVG wants well-formed XML of known elements and attributes, without anything that runs or is fetched.
func checkSVG(t *testing.T, svg []byte) (text string) {
	t.Helper()
	known := strings.Fields("svg title desc style rect path text g")
	attributes := strings.Fields("xmlns class role aria-labelledby aria-describedby viewBox width height id x y rx d transform")
	if strings.ContainsFunc(string(svg), func(r rune) bool { return r != '\n' && (!unicode.IsPrint(r)) }) {
		t.Error("characters that are not to be seen")
	}
	if regexp.MustCompile(`(?i)url\(|@import|https?:`).Match(regexp.MustCompile(`xmlns="[^"]*"`).ReplaceAll(onlyStyle(svg), nil)) {
		t.Error("the style sheet fetches something")
	}
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	var all strings.Builder
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; !slices.Contains(known, token.Name.Local) || depth == 1 && token.Name.Local != "svg" {
				t.Errorf("element %s", token.Name.Local)
			}
			for _, a := range token.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					t.Errorf("attribute %s of %s", a.Name.Local, token.Name.Local)
				}
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			all.Write(token)
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Errorf("%T", token)
		}
	}
}

func onlyStyle(svg []byte) []byte { return regexp.MustCompile(`(?s)<style>.*?</style>`).Find(svg) }

// mermaidLine are the lines that a flowchart may have: text stands in quotes alone, where all but letters, digits and some signs has
// its number.
var mermaidLine = regexp.MustCompile(`^(flowchart LR` +
	`|  acc(Title|Descr): [A-Za-z0-9 .,:/()_-]*` +
	`|  [a-z_0-9]+(>|\[\[|\(|\(\[|\[\(|\{\{|\[/|\[)"([A-Za-z0-9 .,:/()\x{80}-\x{10ffff}-]|#[0-9]+;|<br/>)*"(\]|\]\]|\)|\]\)|\)\]|\}\}|/\]):::[a-z]+` +
	`|  [a-z_0-9]+ (-->|==>|x-\. conflicts \.-x) [a-z_0-9]+` +
	`|  classDef [a-z]+ [a-z0-9:,# -]+` +
	`|  %% left out because others imply them: [0-9]+ requirements?)$`)

func checkMermaid(t *testing.T, text []byte) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		if !mermaidLine.MatchString(line) {
			t.Errorf("Mermaid line %q", line)
		}
	}
}

// dotLine are the lines of a graph of Graphviz: a quoted text ends at the first quote without a backslash.
var dotLine = regexp.MustCompile(`^(digraph composition \{|\}|  ("(\\[\\"nl]|[^"\\])*"|[A-Za-z0-9_#.,=>\[\] -])+)$`)

func checkDOT(t *testing.T, text []byte) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		if !dotLine.MatchString(line) {
			t.Errorf("DOT line %q", line)
		}
	}
}

func TestHostileTexts(t *testing.T) {
	for _, text := range hostile {
		m := spoiled(text)
		checkSVG(t, m.SVG())
		checkMermaid(t, m.Mermaid())
		checkDOT(t, m.DOT())
	}
	shown := checkSVG(t, spoiled("a < b & c").SVG())
	if !strings.Contains(shown, "a < b & c") {
		t.Errorf("the summary is not shown: %q", shown)
	}
}

func FuzzTexts(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, "skill")
	}
	f.Fuzz(func(t *testing.T, text, id string) {
		m := spoiled(text)
		if lockv2.RecipeID(id).Valid() {
			m.Recipe.ID = lockv2.RecipeID(id)
			m.Components[0].ID = lockv2.ComponentID("artifact." + id)
		}
		checkSVG(t, m.SVG())
		checkMermaid(t, m.Mermaid())
		checkDOT(t, m.DOT())
	})
}
