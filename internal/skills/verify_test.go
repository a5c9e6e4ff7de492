package skills_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/skills"
)

// write makes files below base, "/"-joined path by path; a content "-> x" makes a symlink.
func write(t testing.TB, base string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		at := filepath.Join(base, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, link := strings.CutPrefix(files[i+1], "-> "); link {
			if err := os.Symlink(to, at); err != nil {
				t.Skip(err)
			}
			continue
		}
		if err := os.WriteFile(at, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// computed is the folder form of paths and contents in the order given.
func computed(parts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(parts, ""))))
}

const at = ".agents/skills/it/"

func TestReasons(t *testing.T) {
	nul := "a\x00\r\n"
	for name, c := range map[string]struct {
		files    []string
		recorded string
		want     string // the reason of a mismatch
		paths    []string
	}{
		"LF was recorded": {[]string{"SKILL.md", "a\r\n", "x.bin", nul}, computed("SKILL.md", "a\n", "x.bin", nul), skills.ReasonLineEndings, []string{"SKILL.md"}},
		"CRLF was recorded": {[]string{"SKILL.md", "a\n", "b.md", "x\r\n"}, computed("b.md", "x\r\n", "SKILL.md", "a\r\n"), skills.ReasonLineEndings,
			[]string{"SKILL.md"}},
		"CRLF in the snapshot form": {[]string{"SKILL.md", "a\n"}, computed("SKILL.md", "\x00", "a\r\n", "\x00"), skills.ReasonLineEndings, []string{"SKILL.md"}},
		"links were followed": {[]string{"SKILL.md", "x", "d/b.md", "y", "e", "-> d", "out", "-> ../../../outside"},
			computed("d/b.md", "y", "e/b.md", "y", "SKILL.md", "x"), skills.ReasonSymlinks, []string{"e/b.md"}},
		"a copied link": {[]string{"SKILL.md", "x", "notes.md", "outside"}, computed("SKILL.md", "x"), skills.ReasonLeftOut, []string{"notes.md"}},
		"a copied folder link": {[]string{"SKILL.md", "x", "more/a.md", "1", "more/b.md", "2"}, computed("SKILL.md", "x"), skills.ReasonLeftOut,
			[]string{"more/a.md", "more/b.md"}},
		"two copied links": {[]string{"SKILL.md", "x", "AGENTS.md", "x", "CLAUDE.md", "x"}, computed("SKILL.md", "x"), skills.ReasonLeftOut, []string{"AGENTS.md", "CLAUDE.md"}},
		"metadata.json":    {[]string{"SKILL.md", "x", "metadata.json", "{}", "README.md", "r"}, computed("README.md", "r", "SKILL.md", "x"), skills.ReasonExcluded, []string{"metadata.json"}},
		"all that is left out": {[]string{"SKILL.md", "x", "metadata.json", "{}", "README.md", "r", "_t.md", "t", ".DS_Store", "d", "__pycache__/m", "p"}, computed("SKILL.md", "x"), skills.ReasonExcluded,
			[]string{".DS_Store", "README.md", "__pycache__/m", "_t.md", "metadata.json"}},
		"byte order":        {[]string{"SKILL.md", "x", "a.md", "y"}, computed("SKILL.md", "x", "a.md", "y"), skills.ReasonWrongOrder, nil},
		"other bytes":       {[]string{"SKILL.md", "x", "b", "y"}, computed("SKILL.md", "y"), skills.ReasonUnexplained, nil},
		"no digest":         {[]string{"SKILL.md", "x"}, "", skills.ReasonInvalidRecord, nil},
		"upper case":        {[]string{"SKILL.md", "x"}, strings.ToUpper(computed("SKILL.md", "x")), skills.ReasonInvalidRecord, nil},
		"more than one way": {[]string{"SKILL.md", "a\r\n", "metadata.json", "{}\r\n"}, computed("SKILL.md", "a\n"), skills.ReasonExcluded, []string{"metadata.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			write(t, base, "outside", "secret")
			for i := 0; i < len(c.files); i += 2 {
				write(t, base, at+c.files[i], c.files[i+1])
			}
			r := recorded(t, base, c.recorded)
			reason := has(r, c.want)
			if r.Verdict != skills.Mismatch || r.Form != "" || reason == nil {
				t.Fatalf("got %s by %q, reasons %+v", r.Verdict, r.Form, r.Reasons)
			}
			if !slices.Equal(reason.Paths, c.paths) {
				t.Errorf("paths %q, want %q", reason.Paths, c.paths)
			}
		})
	}
}

// Several ties leave many orders; past what can be tried, the answer is not a match and says so.
func TestTies(t *testing.T) {
	base := t.TempDir()
	var names []string
	for i := range 3 {
		for _, hidden := range []string{"", "\u200d", "\u200b"} {
			name := fmt.Sprintf("f%d%s", i, hidden)
			names = append(names, name)
			write(t, base, at+name, hidden)
		}
	}
	var parts []string
	for i := range 3 {
		for _, k := range []int{2, 0, 1} {
			parts = append(parts, names[3*i+k], []string{"", "\u200d", "\u200b"}[k])
		}
	}
	if r := recorded(t, base, computed(parts...)); r.Verdict != skills.Match || has(r, skills.ReasonTiedNames) == nil {
		t.Errorf("got %s, reasons %+v", r.Verdict, r.Reasons)
	}
	for i := range 12 {
		write(t, base, at+"g"+strings.Repeat("\u200d", i), fmt.Sprint(i))
	}
	r := recorded(t, base, computed("x"))
	if r.Verdict != skills.Mismatch || has(r, skills.ReasonUndecided) == nil {
		t.Errorf("got %s, reasons %+v", r.Verdict, r.Reasons)
	}
}

func TestUnreadable(t *testing.T) {
	base := t.TempDir()
	write(t, base, at+"SKILL.md", "x", at+"odd\xff", "y")
	if r := recorded(t, base, computed("SKILL.md", "x")); r.Verdict != skills.Mismatch || has(r, skills.ReasonUnreadable) == nil || has(r, skills.ReasonNoTreeDigest) == nil {
		t.Errorf("got %s, reasons %+v", r.Verdict, r.Reasons)
	}
}

func verify(t testing.TB, base string, records skills.Records, dirs ...string) []skills.Result {
	t.Helper()
	folders, err := skills.Find(base, dirs)
	if err != nil {
		t.Fatal(err)
	}
	results, err := skills.Verify(context.Background(), records, folders)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func lock(t testing.TB, names ...string) *skills.Lock {
	t.Helper()
	var members []string
	for _, name := range names {
		members = append(members, fmt.Sprintf(`%q: {"computedHash": %q}`, name, computed("SKILL.md", "x")))
	}
	l, err := skills.ParseLock("lock", []byte(`{"version": 1, "skills": {`+strings.Join(members, ",")+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Links that lead around, or that multiply, end in an answer, and a folder around a link is not what it stands for.
func TestLinksAround(t *testing.T) {
	for name, c := range map[string]struct {
		links    func(base string)
		recorded string
		want     []string
	}{
		"around": {func(base string) { write(t, base, "d/up", "-> ..", "d/here", "-> .", "d/x", "y") },
			computed("d/x", "y", "SKILL.md", "x", "ups"), []string{skills.ReasonUnexplained}},
		"around, and one that counts": {func(base string) { write(t, base, "d/up", "-> ..", "e", "-> SKILL.md") },
			computed("e", "x", "SKILL.md", "x"), []string{skills.ReasonSymlinks}},
		"eightfold, eight deep": {func(base string) {
			for level := range 8 {
				for link := range 8 {
					write(t, base, fmt.Sprintf("d%d/l%d", level, link), fmt.Sprintf("-> ../d%d", level+1))
				}
			}
			write(t, base, "d8/x", "y")
		}, computed("x"), []string{skills.ReasonUnexplained, skills.ReasonUndecided}},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			write(t, base, at+"SKILL.md", "x")
			c.links(filepath.Join(base, at))
			var reasons []string
			for _, r := range recorded(t, base, c.recorded).Reasons {
				if r.Reason != skills.ReasonNoTreeDigest {
					reasons = append(reasons, r.Reason)
				}
			}
			if !slices.Equal(reasons, c.want) {
				t.Errorf("got %q, want %q", reasons, c.want)
			}
		})
	}
}

// Every recorded and every installed skill has an entry; the installer's links add none.
func TestFind(t *testing.T) {
	base, more := t.TempDir(), t.TempDir()
	write(t, base, ".agents/skills/a/SKILL.md", "x", ".agents/skills/my-skill/SKILL.md", "x", ".agents/skills/extra/SKILL.md", "x",
		".agents/skills/no-skill/x", "x", ".agents/skills/file", "x", ".claude/skills/a", "-> ../../.agents/skills/a", ".claude/skills/gone", "-> nowhere",
		".claude/skills/b/SKILL.md", "x")
	write(t, more, "a/SKILL.md", "y")
	var got []string
	for _, r := range verify(t, base, skills.Records{Lock: lock(t, "My Skill", "../../etc", "a", "b", "gone")}, more, filepath.Join(base, ".claude", "skills")) {
		folder, reason := strings.TrimPrefix(r.Folder, filepath.ToSlash(base)+"/"), ""
		if len(r.Reasons) > 0 {
			reason = r.Reasons[0].Reason
		}
		got = append(got, strings.Join([]string{r.Name, strings.TrimPrefix(folder, filepath.ToSlash(more)+"/"), string(r.Verdict), reason}, " "))
	}
	want := []string{
		"../../etc  missing not-installed",
		"My Skill .agents/skills/my-skill match ",
		"a .agents/skills/a match ",
		"a a mismatch different-files",
		"b .claude/skills/b match ",
		"extra .agents/skills/extra mismatch not-in-lock",
		"gone  missing not-installed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := skills.Find(base, []string{filepath.Join(base, "none")}); code(err) != skills.CodeReadFailed {
		t.Errorf("error %v", err)
	}
}

func TestPins(t *testing.T) {
	base := t.TempDir()
	write(t, base, at+"SKILL.md", "x")
	pins, err := skills.Pin(verify(t, base, skills.Records{}))
	if err != nil {
		t.Fatal(err)
	}
	again, err := skills.ParsePins("pins", pins.Encode())
	if err != nil || !slices.Equal(again.Skills, pins.Skills) {
		t.Fatalf("got %v, error %v", again, err)
	}
	one := func(records skills.Records) skills.Result { return verify(t, base, records)[0] }
	if r := one(skills.Records{Pins: pins}); r.Verdict != skills.Match || r.Form != skills.FormTree || r.Recorded != pins.Skills[0].Value {
		t.Errorf("the pins alone: %+v", r)
	}
	if r := one(skills.Records{Lock: lock(t, "it"), Pins: pins}); r.Verdict != skills.Match || r.Form != skills.FormFolder {
		t.Errorf("lock and pins: %+v", r)
	}
	// The folder form does not tell these apart; the pin does.
	if err := os.Remove(filepath.Join(base, at, "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	write(t, base, at+"SKILL.m", "dx")
	if r := one(skills.Records{Lock: lock(t, "it"), Pins: pins}); r.Verdict != skills.Mismatch || has(r, skills.ReasonPinMismatch) == nil {
		t.Errorf("a collision: %+v", r)
	}
	if r := one(skills.Records{Lock: lock(t, "it")}); r.Verdict != skills.Match {
		t.Errorf("a collision, without pins: %+v", r)
	}

	write(t, base, ".claude/skills/it/SKILL.md", "y")
	if _, err := skills.Pin(verify(t, base, skills.Records{Lock: lock(t, "it")})); code(err) != skills.CodeCopiesDiffer {
		t.Errorf("error %v", err)
	}
	if _, err := skills.Pin(verify(t, base, skills.Records{Lock: lock(t, "gone", "it")})); code(err) != skills.CodeNotInstalled {
		t.Errorf("error %v", err)
	}
	write(t, base, ".claude/skills/linked/SKILL.md", "-> x")
	if _, err := skills.Pin(verify(t, base, skills.Records{Lock: lock(t, "linked")})); code(err) == "" {
		t.Errorf("a skill without a value is pinned")
	}
}

func code(err error) string {
	var coded *skills.Error
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

func TestParse(t *testing.T) {
	conflict := "{\n<<<<<<< ours\n\"version\": 1,\n=======\n\"version\": 1,\n>>>>>>> theirs\n\"skills\": {}}"
	digest := "sha256-tree-v2:" + strings.Repeat("0", 64)
	for text, want := range map[string]string{
		`{"version":1,"skills":{}}`:                       "",
		`{"version":1,"skills":{"a":{"x":1}},"extra":[]}`: "",
		`{"version":1.0,"skills":{}}`:                     skills.CodeInvalidLock,
		`{"version":"1","skills":{}}`:                     skills.CodeInvalidLock,
		`{"version":2,"skills":{}}`:                       skills.CodeUnsupportedVersion,
		`{"version":1}`:                                   skills.CodeInvalidLock,
		`{"version":1,"skills":[]}`:                       skills.CodeInvalidLock,
		`{"version":1,"skills":{"a":1}}`:                  skills.CodeInvalidLock,
		`[]`:                                              skills.CodeInvalidLock,
		`{"version":1,"skills":{"a":{},"a":{}}}`:          "INVALID_JSON",
		conflict:                                          "INVALID_JSON",
		strings.Repeat(" ", skills.MaxRecordBytes+1):      skills.CodeInvalidLock,
	} {
		_, err := skills.ParseLock("lock", []byte(text))
		if code(err) != want {
			t.Errorf("%.60s: error %v, want %q", text, err, want)
		}
		if text == conflict && !strings.Contains(err.Error(), "conflict") {
			t.Errorf("the conflict is not named: %v", err)
		}
	}
	for text, want := range map[string]string{
		`{"schema_version":1,"skills":{}}`: "",
		`{"skills":{"b":{"digest":"` + digest + `"},"a":{"digest":"` + digest + `"}},"schema_version":1}`: "",
		`{"schema_version":2,"skills":{}}`:                                      skills.CodeInvalidPins,
		`{"schema_version":1,"skills":{},"x":1}`:                                skills.CodeInvalidPins,
		`{"schema_version":1,"skills":{"a":{}}}`:                                skills.CodeInvalidPins,
		`{"schema_version":1,"skills":{"a":{"digest":"` + digest[15:] + `"}}}`:  skills.CodeInvalidPins,
		`{"schema_version":1,"skills":{"a":{"digest":"` + digest + `","x":1}}}`: skills.CodeInvalidPins,
		conflict: "INVALID_JSON",
	} {
		if _, err := skills.ParsePins("pins", []byte(text)); code(err) != want {
			t.Errorf("%.60s: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(`{"version":1,"skills":{"a":{"computedHash":"x"}}}`))
	f.Add([]byte(`{"version":1,"skills":{"a":{"computedHash":1}},"skills":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := skills.ParseLock("lock", b); err != nil && code(err) == "" {
			t.Errorf("an error without a code: %v", err)
		}
	})
}

func FuzzParsePins(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"skills":{"a":{"digest":"sha256-tree-v2:` + strings.Repeat("0", 64) + `"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := skills.ParsePins("pins", b)
		if err != nil {
			if code(err) == "" {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		if again, err := skills.ParsePins("pins", p.Encode()); err != nil || !slices.Equal(again.Skills, p.Skills) {
			t.Errorf("got %v, error %v", again, err)
		}
	})
}
