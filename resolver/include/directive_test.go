package include

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestDirective(t *testing.T) {
	for line, want := range map[string]string{
		"@<a.md>":                          "a.md",
		" \t @<a.md>\u00a0\r\n":            "a.md",
		"\u2003@<a.md>\u2028\n":            "a.md",
		"\v@<a.md>\f\n":                    "a.md",
		"@< a.md >":                        " a.md ",
		"@<a>b>":                           "a>b",
		"@<a.md>>":                         "a.md>",
		"@<@<a.md>>":                       "@<a.md>",
		"@<ü/図.md>":                        "ü/図.md",
		"@<>":                              "!",
		"@<a.md> tail":                     "!",
		"@<a.md":                           "!",
		"@<":                               "!",
		"@<a.md>\ufeff":                    "!",
		"@<a\r@<b>":                        "a\r@<b",
		"x @<a.md>":                        "",
		"\ufeff@<a.md>":                    "",
		"`@<a.md>`":                        "",
		"@ <a.md>":                         "",
		"\\@<a.md>":                        "",
		"":                                 "",
		"@<{{ x }}>":                       "!",
		"@<a{{x}}.md>":                     "!",
		"@<{%x%}>":                         "!",
		"@<${x}.md>":                       "!",
		"@<$x {x} %}>":                     "$x {x} %}",
		`@<{{ "a.md" }}>`:                  "a.md",
		`@< {{'a.md'}} >`:                  "a.md",
		`@<{{""}}>`:                        "!",
		`@<{{"}}>`:                         "!",
		`@<{{"a.md'}}>`:                    "!",
		`@<{{a.md}}>`:                      "!",
		`@<{{"${x}"}}>`:                    "!",
		`@<{{}>`:                           "!",
		`@<{{}}>`:                          "!",
		`@<{{ "a.md" if c else 'b.md' }}>`: "a.md ? c : b.md",
		`@<{{ "a.md"  if  x == "y" and z  else "b" }}>`: `a.md ? x == "y" and z : b`,
		`@<{{ "a" if x else "b" if y else "c" }}>`:      "!",
		`@<{{ "a" if else "b" }}>`:                      "!",
		`@<{{ "a" if  else "b" }}>`:                     "!",
		`@<{{ a if x else "b" }}>`:                      "!",
		`@<{{ "a" if x }}>`:                             "!",
		`@<{{ "a if b else c" }}>`:                      "!",
		"@<{{ \"a\tb\" }}>":                             "!",
	} {
		got := ""
		if d, found := next([]byte(line), 0); found {
			switch d.kind {
			case static:
				got = d.targets[0]
			case conditional:
				got = fmt.Sprintf("%s ? %s : %s", d.targets[0], d.condition, d.targets[1])
			default:
				got = "!"
			}
			if d.at != 0 || d.end != len(line) {
				t.Errorf("%q: the line is %d to %d", line, d.at, d.end)
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestFrontMatter(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"text":                            "text",
		"---\na: 1\n---\ntext":            "text",
		"---\r\na: 1\r\n---\r\ntext":      "text",
		"---\n...\ntext":                  "text",
		"---\n---":                        "",
		"---\n---\r\r\ntext":              "text",
		"\ufeff---\n---\ntext":            "text",
		"\ufefftext":                      "text",
		"\ufeff\ufefftext":                "\ufefftext",
		"---\n1\n---\n---\n2\n---\ntext":  "text",
		"---\n1\n---\n---\n{{x}}\n---\nt": "---\n{{x}}\n---\nt",
		"---\n1\n---\n---\n{#x\n...\nt":   "---\n{#x\n...\nt",
		"---\n{%x%}\n---\nt":              "t",
		"---\n1\n---\n\n---\n2\n---\n":    "\n---\n2\n---\n",
		"--- \na\n---\nt":                 "--- \na\n---\nt",
		" ---\na\n---\nt":                 " ---\na\n---\nt",
		"----\na\n---\nt":                 "----\na\n---\nt",
		"---\na\n --- \nb\n---\nt":        "t",
		"---":                             "!",
		"---\na":                          "!",
		"---\n1\n---\n---\n{{x}}\nno end": "!",
		"---\n1\n---\n---":                "!",
		"---\r":                           "---\r",
	} {
		got := "!"
		if at, ok := body([]byte(text)); ok {
			got = text[at:]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// FuzzDirective: every line that begins with @< is found, once, in order, and nothing else; what is between stays.
func FuzzDirective(f *testing.F) {
	for _, seed := range []string{"a\n@<b>\nc", "@<{{ \"a\" if x else \"b\" }}>", "@<\n\n @< x\n@@<y>\n", "\u2028@<\xff>\n@<a>"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want [][2]int
		at := 0
		for line := range bytes.Lines(text) {
			if strings.HasPrefix(string(bytes.TrimSpace(line)), "@<") {
				want = append(want, [2]int{at, at + len(line)})
			}
			at += len(line)
		}
		for from := 0; ; {
			d, found := next(text, from)
			if !found {
				if len(want) > 0 {
					t.Fatalf("the line at %d is not found", want[0][0])
				}
				return
			}
			if len(want) == 0 || want[0] != [2]int{d.at, d.end} {
				t.Fatalf("found %d to %d, want %v", d.at, d.end, want)
			}
			if d.kind != unresolved && d.targets[0] == "" || d.kind == conditional && (d.targets[1] == "" || d.condition == "") {
				t.Fatalf("%+v names nothing", d)
			}
			want, from = want[1:], d.end
		}
	})
}

// FuzzFrontMatter: the text is the end of the file, and what was taken off can't be taken off again but by a further block.
func FuzzFrontMatter(f *testing.F) {
	f.Add([]byte("\ufeff---\na\n---\n---\n{{x}}\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		at, ok := body(text)
		if !ok {
			return
		}
		if at > len(text) || at > 0 && text[at-1] != '\n' && at < len(text) && at != len(bom) {
			t.Fatalf("the text begins at %d of %q", at, text)
		}
	})
}
