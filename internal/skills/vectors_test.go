package skills_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.org/compose/internal/skills"
)

type entry struct {
	Path      string
	Content   string `json:"content_base64"`
	SymlinkTo string `json:"symlink_to"`
	Dir       bool
}

type vector struct {
	Name    string
	Entries []entry
	Expect  struct {
		Folder, Snapshot string
		FolderAnyOf      []string          `json:"folder_any_of"`
		OtherLocales     map[string]string `json:"other_locales"`
		Wrong            map[string]string
	}
}

func vectors(t testing.TB) []vector {
	t.Helper()
	b, err := os.ReadFile("../../testdata/vectors/skills-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Cases []vector }
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Cases) == 0 {
		t.Fatal("no cases")
	}
	return v.Cases
}

// lay writes entries as the skill "it" in the usual place and returns the folder above all.
func lay(t testing.TB, entries []entry) string {
	t.Helper()
	base := t.TempDir()
	root := filepath.Join(base, ".agents", "skills", "it")
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.MkdirAll(root, 0o755))
	for _, e := range entries {
		at := filepath.Join(root, e.Path)
		if e.Dir {
			check(os.MkdirAll(at, 0o755))
			continue
		}
		check(os.MkdirAll(filepath.Dir(at), 0o755))
		if e.SymlinkTo != "" {
			check(os.Symlink(e.SymlinkTo, at))
			continue
		}
		b, err := base64.StdEncoding.DecodeString(e.Content)
		check(err)
		check(os.WriteFile(at, b, 0o644))
	}
	return base
}

// recorded returns what Verify says of the skill "it" below base, of which the lock has this value.
func recorded(t testing.TB, base, value string) skills.Result {
	t.Helper()
	lock, err := skills.ParseLock("skills-lock.json", fmt.Appendf(nil, `{"version":1,"skills":{"it":{"computedHash":%q}}}`, value))
	if err != nil {
		t.Fatal(err)
	}
	folders, err := skills.Find(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := skills.Verify(context.Background(), skills.Records{Lock: lock}, folders)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 1 || results[0].Name != "it" || results[0].Folder == "" {
		t.Fatalf("results %+v", results)
	}
	return results[0]
}

func has(r skills.Result, reason string) *skills.Reason {
	if i := slices.IndexFunc(r.Reasons, func(x skills.Reason) bool { return x.Reason == reason }); i >= 0 {
		return &r.Reasons[i]
	}
	return nil
}

func TestVectors(t *testing.T) {
	for _, c := range vectors(t) {
		t.Run(c.Name, func(t *testing.T) {
			base := lay(t, c.Entries)
			good := map[string]bool{}
			match := func(value string, form skills.Form) {
				if value == "" || good[value] {
					return
				}
				good[value] = true
				if r := recorded(t, base, value); r.Verdict != skills.Match || r.Form != form {
					t.Errorf("%s: got %s by the form %q, want a match by %q: %+v", value, r.Verdict, r.Form, form, r.Reasons)
				}
			}
			match(c.Expect.Folder, skills.FormFolder)
			for _, value := range c.Expect.FolderAnyOf {
				match(value, skills.FormFolder)
				if r := recorded(t, base, value); has(r, skills.ReasonTiedNames) == nil {
					t.Errorf("the tie is not told: %+v", r.Reasons)
				}
			}
			match(c.Expect.Snapshot, skills.FormSnapshot)
			for locale, value := range c.Expect.OtherLocales {
				r := recorded(t, base, value)
				language := locale[:2]
				if language == "nb" {
					language = "no"
				}
				if reason := has(r, skills.ReasonOtherLocale); r.Verdict != skills.Match || reason == nil || !slices.Contains(reason.Locales, language) {
					t.Errorf("%s: got %s, reasons %+v", locale, r.Verdict, r.Reasons)
				}
				good[value] = true
			}
			for mistake, value := range c.Expect.Wrong {
				if good[value] {
					continue
				}
				r := recorded(t, base, value)
				if r.Verdict != skills.Mismatch || r.Form != "" || len(r.Reasons) == 0 {
					t.Errorf("%s: got %s by the form %q, reasons %+v", mistake, r.Verdict, r.Form, r.Reasons)
				}
				want := map[string]string{"newlines_normalised": skills.ReasonLineEndings, "symlinks_followed": skills.ReasonSymlinks, "byte_order": skills.ReasonWrongOrder}[mistake]
				if want != "" && has(r, want) == nil && c.Name != "content-binary" {
					t.Errorf("%s: reasons %+v, want %s", mistake, r.Reasons, want)
				}
			}
		})
	}
}
