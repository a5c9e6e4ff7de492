package codehost_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/codehost"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// find validates a target and finds its faults.
func find(t *testing.T, dir, prefix string) ([]codehost.Finding, *validator.Report) {
	t.Helper()
	report, err := validator.Validate(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	root, err := rootfs.Open(dir)
	if err != nil {
		return codehost.Find(report, nil, prefix), report
	}
	defer root.Close()
	return codehost.Find(report, root, prefix), report
}

// Whatever is wrong with a target, each fault has a place that a host can show, a rule and a fingerprint of its own.
func TestEveryFault(t *testing.T) {
	for _, c := range targettest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			targettest.Write(t, dir)
			c.Bend(t, dir)
			found, report := find(t, filepath.Join(dir, filepath.FromSlash(c.Root)), "")
			if len(found) != len(report.Faults) {
				t.Fatalf("%d findings of %d faults", len(found), len(report.Faults))
			}
			var prints []string
			for i, f := range found {
				if f.Code != report.Faults[i].Code {
					t.Errorf("%d: code %s, want %s", i, f.Code, report.Faults[i].Code)
				}
				if f.Line < 1 || f.Column < 0 || len(f.Fingerprint) != 64 {
					t.Errorf("%d: %+v", i, f)
				}
				if !strings.Contains(f.Path+f.Message, string(report.Faults[i].Destination)) {
					t.Errorf("%d: neither path nor message names %s: %+v", i, report.Faults[i].Destination, f)
				}
				if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path))); report.Faults[i].Destination != "" && (err != nil || !info.Mode().IsRegular()) {
					t.Errorf("%d: %s is nothing that a host can show: %v", i, f.Path, err)
				}
				prints = append(prints, f.Fingerprint)
			}
			slices.Sort(prints)
			if len(slices.Compact(prints)) != len(found) {
				t.Error("two findings have one fingerprint")
			}
			checkSARIF(t, codehost.SARIF(found, "0.1.0", ""))
		})
	}
}

func TestPlaces(t *testing.T) {
	encoded, err := lockv2.Encode(targettest.Lock())
	if err != nil {
		t.Fatal(err)
	}
	lineOf := func(text, part string) int {
		before, _, found := strings.Cut(text, part)
		if !found {
			t.Fatalf("%q is not there", part)
		}
		return 1 + strings.Count(before, "\n")
	}
	lock := string(encoded)
	const entry = `"destination": "a.txt"`
	const otherSource = `{"schema_version": 1, "repositories": ["other/one"]}`
	for _, test := range []struct {
		name         string
		bend         func(t *testing.T, dir string)
		path         string
		line, column int
	}{
		{"edited", func(t *testing.T, dir string) { targettest.File(t, dir, "a.txt", "b\n") }, "a.txt", 1, 0},
		{"missing", func(t *testing.T, dir string) { targettest.Remove(t, dir, "a.txt") }, lockv2.LockPath, lineOf(lock, entry), 7},
		{"a folder", func(t *testing.T, dir string) {
			targettest.Remove(t, dir, "a.txt")
			targettest.File(t, dir, "a.txt/x", "")
		}, lockv2.LockPath, lineOf(lock, entry), 7},
		{"a lock that breaks a rule", func(t *testing.T, dir string) {
			targettest.File(t, dir, lockv2.LockPath, strings.Replace(lock, entry, `"destination": "../a.txt"`, 1))
		}, lockv2.LockPath, lineOf(lock, entry), 7},
		{"a lock after a merge", func(t *testing.T, dir string) {
			targettest.File(t, dir, lockv2.LockPath, strings.Replace(lock, "      "+entry, "<<<<<<< ours\n      "+entry, 1))
		}, lockv2.LockPath, lineOf(lock, entry), 1},
		{"no lock", func(t *testing.T, dir string) { targettest.Remove(t, dir, lockv2.LockPath) }, lockv2.LockPath, 1, 0},
		{"a marker", func(t *testing.T, dir string) { targettest.File(t, dir, lockv2.MarkerPath, "") }, lockv2.MarkerPath, 1, 0},
		{"a policy that is no JSON", func(t *testing.T, dir string) { targettest.File(t, dir, lockv2.PolicyPath, "{\n \"ä\": }") }, lockv2.PolicyPath, 2, 7},
		{"a policy that breaks a rule", func(t *testing.T, dir string) {
			targettest.File(t, dir, lockv2.PolicyPath, "{\"schema_version\": 1, \"repositories\": [\"a/b\",\n \"ä\"]}")
		}, lockv2.PolicyPath, 2, 2},
		{"a repository that is not allowed", func(t *testing.T, dir string) { targettest.File(t, dir, lockv2.PolicyPath, otherSource) }, lockv2.LockPath, lineOf(lock, `"repository"`), 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			targettest.Write(t, dir)
			test.bend(t, dir)
			found, _ := find(t, dir, "")
			if len(found) == 0 || found[0].Path != test.path || found[0].Line != test.line || found[0].Column != test.column {
				t.Errorf("got %+v, want %s, line %d, column %d", found, test.path, test.line, test.column)
			}
		})
	}
}

// A fingerprint outlives changes around the fault, and tells targets and files apart.
func TestFingerprints(t *testing.T) {
	prints := func(prefix, text string, others ...string) map[string]string {
		dir := t.TempDir()
		targettest.Write(t, dir)
		targettest.File(t, dir, "docs/guide/deep.md", text)
		for _, name := range others {
			targettest.Remove(t, dir, name)
		}
		found, report := find(t, dir, prefix)
		all := map[string]string{}
		for i, f := range found {
			all[string(report.Faults[i].Destination)] = f.Fingerprint
		}
		return all
	}
	const file = "docs/guide/deep.md"
	first := prints("", "x\n")[file]
	if again := prints("", "another\nedit\n", "a.txt")[file]; again != first {
		t.Error("the fingerprint changes with the file and with other faults")
	}
	if other := prints("sub", "x\n")[file]; other == first {
		t.Error("two targets share a fingerprint")
	}
	if both := prints("", "x\n", "a.txt"); both["a.txt"] == both[file] {
		t.Error("two files share a fingerprint")
	}
	// What hosts have stored must stay what it is.
	if want := "7ca1a61634dc"; !strings.HasPrefix(first, want) {
		t.Errorf("fingerprint %s, want %s...", first, want)
	}
}

// hostile is a report as no catalog makes it, so that what is written from it must be safe whatever comes.
func hostile() []codehost.Finding {
	return []codehost.Finding{
		{Code: "MATERIAL_MODIFIED", Message: "100% [x](y) {0} \\ <b>&\n::stop-commands::x\r", Path: "a:b/ü \xff,%2f#?/[x]", Line: 1, Fingerprint: "aa"},
		{Code: "NEW_CODE", Message: "\u2028\x1b[31m", Path: "..", Line: 2, Column: 3, Fingerprint: "bb"},
	}
}

func TestSARIFHostile(t *testing.T) {
	log := checkSARIF(t, codehost.SARIF(hostile(), "0.1.0", "a b:c/\xfe"))
	run := log.Runs[0]
	if got, want := run.AutomationDetails.ID, "compose/a%20b%3Ac/%FE/"; got != want {
		t.Errorf("category %q, want %q", got, want)
	}
	first := run.Results[0]
	uri := first.Locations[0].PhysicalLocation.ArtifactLocation.URI
	if parsed, err := url.Parse(uri); err != nil || parsed.Scheme != "" || parsed.RawQuery != "" || parsed.Fragment != "" || parsed.Path != hostile()[0].Path {
		t.Errorf("%q is read as %+v, %v", uri, parsed, err)
	}
	if want := `100% \[x\](y) {{0}} \\ <b>&` + "\n::stop-commands::x\r"; first.Message.Text != want {
		t.Errorf("message %q, want %q", first.Message.Text, want)
	}
	if run.Results[1].RuleIndex != nil {
		t.Error("a code that is no rule has the place of one")
	}
}

func TestGitHubHostile(t *testing.T) {
	got := string(codehost.GitHub(hostile()))
	want := "::error file=a%3Ab/ü \uFFFD%2C%252f#?/[x],line=1,title=compose%3A MATERIAL_MODIFIED::100%25 [x](y) {0} \\ <b>&%0A::stop-commands::x%0D\n" +
		"::error file=..,line=2,col=3,title=compose%3A NEW_CODE::\u2028\x1b[31m\n"
	if got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestGitLabHostile(t *testing.T) {
	var list []struct {
		Description, Fingerprint, Severity string
		CheckName                          string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(codehost.GitLab(hostile()), &list); err != nil {
		t.Fatal(err)
	}
	first := list[0]
	if first.Description != hostile()[0].Message || first.Fingerprint != "aa" || first.Severity != "major" ||
		first.CheckName != "compose/MATERIAL_MODIFIED" || first.Location.Path != "a:b/ü \uFFFD,%2f#?/[x]" || first.Location.Lines.Begin != 1 {
		t.Errorf("%+v", first)
	}
}

func TestNothingAtFault(t *testing.T) {
	if got := string(codehost.GitHub(nil)); got != "" {
		t.Errorf("GitHub: %q", got)
	}
	if got := string(codehost.GitLab(nil)); got != "[]\n" {
		t.Errorf("GitLab: %q", got)
	}
	if log := checkSARIF(t, codehost.SARIF(nil, "0.1.0", "")); log.Runs[0].Results == nil {
		t.Error("SARIF: no list of results, which is read as a run that found nothing out")
	}
}

func TestGolden(t *testing.T) {
	dir := t.TempDir()
	targettest.Write(t, dir)
	targettest.File(t, dir, "a.txt", "b\n")
	targettest.Remove(t, dir, "docs/guide/deep.md")
	found, _ := find(t, dir, "skills/one")
	for name, got := range map[string][]byte{
		"faults.sarif":       codehost.SARIF(found, "0.1.0", "skills/one"),
		"faults.github":      codehost.GitHub(found),
		"faults.gitlab.json": codehost.GitLab(found),
	} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// The rules are the codes that docs/validation.md lists, in its order.
func TestRulesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/validation.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		want = append(want, m[1])
	}
	var got []string
	for _, rule := range checkSARIF(t, codehost.SARIF(nil, "0.1.0", "")).Runs[0].Tool.Driver.Rules {
		got = append(got, rule.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("rules %q, and docs/validation.md lists %q", got, want)
	}
}
