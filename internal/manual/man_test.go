package manual_test

import (
	"os/exec"
	"strings"
	"testing"

	"example.org/compose/internal/manual"
)

// Nothing in a text is taken for a request or an escape of roff.
func TestPageEscapes(t *testing.T) {
	p := line()
	p.Commands[0].Summary = `.so /etc/passwd \fBx`
	p.Commands[0].About = "'quoted' -dash `tick`\n\n  .sp 10\n  \\n"
	page := p.Pages()[1]
	if page.Name != "tool-run.1" {
		t.Fatal(page.Name)
	}
	for text := range strings.Lines(page.Text) {
		request, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		switch request {
		case `.\"`, ".TH", ".SH", ".SS", ".PP", ".TP", ".IP", ".RS", ".RE", ".nf", ".fi":
			continue
		}
		if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
			t.Errorf("a request: %s", text)
		}
	}
	for _, want := range []string{`\&.so /etc/passwd \efBx`, `\(aqquoted\(aq \-dash \(gatick\(ga`, "\n\\&.sp 10\n\\en\n", "\\fB\\-\\-mode\\fR \\fIMODE\\fR\n"} {
		if !strings.Contains(page.Text, want) {
			t.Errorf("%s\nhas no %q", page.Text, want)
		}
	}
}

// The pages are read without a complaint by the two formatters that systems come with.
func TestFormattersReadPages(t *testing.T) {
	for _, formatter := range [][]string{{"mandoc", "-Tlint", "-Wwarning"}, {"groff", "-man", "-ww", "-z"}} {
		t.Run(formatter[0], func(t *testing.T) {
			if _, err := exec.LookPath(formatter[0]); err != nil {
				t.Skip(formatter[0], "is not installed")
			}
			for _, page := range line().Pages() {
				command := exec.Command(formatter[0], formatter[1:]...)
				command.Stdin = strings.NewReader(page.Text)
				out, _ := command.CombinedOutput() // mandoc also fails for what is passed over here
				for complaint := range strings.Lines(string(out)) {
					if !strings.Contains(complaint, "missing date") { // a page of the same program is the same
						t.Errorf("%s: %s", page.Name, complaint)
					}
				}
			}
		})
	}
}

func TestReference(t *testing.T) {
	got := line().Reference()
	for _, want := range []string{
		"| [`tool list new`](#tool-list-new) | List the new |\n",
		"## tool run\n\n```\ntool run FILE [SPEED] [flags]\n```\n\nRun it.\n\nIt runs.\n",
		"| `--dry` | Run \\*dry\\*\\|wet. |\n",
		"```\ntool list new [NAME...] [flags]\n```",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nhas no\n%s", got, want)
		}
	}
	if strings.Contains(got, "## tool list\n") {
		t.Error("a group has a part of its own")
	}
}

func TestScripts(t *testing.T) {
	for _, shell := range manual.Shells() {
		if script := line().Script(shell); !strings.Contains(script, "command tool complete") || strings.Contains(script, "PROGRAM") {
			t.Errorf("%s: %s", shell, script)
		}
	}
	if got := line().Script("../shell.go"); got != "" {
		t.Error("a path is no shell")
	}
}
