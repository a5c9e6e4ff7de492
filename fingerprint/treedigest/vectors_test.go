package treedigest_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"example.org/compose/fingerprint/treedigest"
)

type vectors struct {
	Cases []struct {
		Name    string
		Entries []entry
		Expect  struct {
			V2          string
			V2Error     string `json:"v2_error"`
			Legacy      string
			LegacyError string `json:"legacy_error"`
		}
	}
	MatchCases []struct {
		Tree     *string
		Recorded string
		Match    bool
		Error    string
	} `json:"match_cases"`
	Relations []struct {
		Cases      []string
		V2, Legacy string
	}
}

type entry struct {
	Path       string
	PathBase64 string `json:"path_base64"`
	Content    string `json:"content_base64"`
	SymlinkTo  string `json:"symlink_to"`
	Dir        bool
	Mode       string
}

func load(t testing.TB) *vectors {
	t.Helper()
	b, err := os.ReadFile("../../testdata/vectors/tree-digests.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Cases) == 0 || len(v.MatchCases) == 0 {
		t.Fatal("no cases")
	}
	return &v
}

func decode(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (e entry) name(t testing.TB) string {
	if e.PathBase64 != "" {
		return string(decode(t, e.PathBase64))
	}
	return e.Path
}

// lay writes entries below a new folder.
func lay(t testing.TB, entries []entry) string {
	t.Helper()
	root := t.TempDir()
	for _, e := range entries {
		at := filepath.Join(root, e.name(t))
		folder, mode := filepath.Dir(at), fs.FileMode(0o644)
		if e.Dir {
			folder = at
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if e.Mode == "0755" {
			mode = 0o755
		}
		var err error
		switch {
		case e.Dir:
		case e.SymlinkTo != "":
			err = os.Symlink(e.SymlinkTo, at)
		default:
			err = os.WriteFile(at, decode(t, e.Content), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// memory is entries as a file system of the standard library.
func memory(t testing.TB, entries []entry) fs.FS {
	m := fstest.MapFS{}
	for _, e := range entries {
		switch {
		case e.Dir:
			m[e.name(t)] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		case e.SymlinkTo != "":
			m[e.name(t)] = &fstest.MapFile{Data: []byte(e.SymlinkTo), Mode: fs.ModeSymlink | 0o777}
		default:
			m[e.name(t)] = &fstest.MapFile{Data: decode(t, e.Content), Mode: 0o644}
		}
	}
	return m
}

func open(t testing.TB, path string) *treedigest.Tree {
	t.Helper()
	tree, err := treedigest.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// codes translates the error names of the vectors.
func wantCode(t testing.TB, name string) string {
	switch name {
	case "":
		return ""
	case "symlink":
		return treedigest.CodeSymlink
	case "non_utf8_name":
		return treedigest.CodeNameNotUTF8
	case "not_a_directory":
		return treedigest.CodeReadFailed
	}
	t.Fatalf("an error name that this test does not know: %q", name)
	return ""
}

func code(err error) string {
	var coded *treedigest.Error
	if errors.As(err, &coded) {
		return coded.Code()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestVectors(t *testing.T) {
	v := load(t)
	current, legacy := map[string]string{}, map[string]string{}
	for _, c := range v.Cases {
		t.Run(c.Name, func(t *testing.T) {
			tree := open(t, lay(t, c.Entries))
			check := func(t *testing.T, tree *treedigest.Tree) {
				got, err := tree.Digest(t.Context())
				if code(err) != wantCode(t, c.Expect.V2Error) {
					t.Errorf("error %v, want %q", err, c.Expect.V2Error)
				}
				if err == nil && got.String() != c.Expect.V2 {
					t.Errorf("got %s, want %s", got, c.Expect.V2)
				}
				old, err := tree.Legacy(t.Context())
				if code(err) != wantCode(t, c.Expect.LegacyError) {
					t.Errorf("legacy: error %v, want %q", err, c.Expect.LegacyError)
				}
				if err == nil && old.String() != c.Expect.Legacy {
					t.Errorf("legacy: got %s, want %s", old, c.Expect.Legacy)
				}
				current[c.Name], legacy[c.Name] = got.String(), old.String()
			}
			check(t, tree)
			if c.Name != "non-utf8-name" { // fs.FS has no such names
				t.Run("fs.FS", func(t *testing.T) { check(t, treedigest.New(memory(t, c.Entries))) })
			}
		})
	}
	for _, r := range v.Relations {
		checkRelation(t, r.Cases, r.V2, current)
		checkRelation(t, r.Cases, r.Legacy, legacy)
	}
}

func checkRelation(t *testing.T, cases []string, relation string, values map[string]string) {
	t.Helper()
	distinct := map[string]bool{}
	for _, name := range cases {
		if values[name] == "" {
			t.Errorf("no value for %s", name)
		}
		distinct[values[name]] = true
	}
	want := 1
	if relation == "different" {
		want = len(cases)
	}
	if len(distinct) != want {
		t.Errorf("%v should be %s; there are %d values", cases, relation, len(distinct))
	}
}

func TestCompareVectors(t *testing.T) {
	v := load(t)
	for _, c := range v.MatchCases {
		name := "missing"
		if c.Tree != nil {
			name = *c.Tree
		}
		t.Run(name+" "+c.Recorded, func(t *testing.T) {
			if c.Tree == nil {
				_, err := treedigest.Open(filepath.Join(t.TempDir(), "missing"))
				if code(err) != wantCode(t, c.Error) {
					t.Errorf("error %v, want %q", err, c.Error)
				}
				return
			}
			for _, tree := range v.Cases {
				if tree.Name != name {
					continue
				}
				got, err := open(t, lay(t, tree.Entries)).Compare(t.Context(), c.Recorded)
				if code(err) != wantCode(t, c.Error) {
					t.Errorf("error %v, want %q", err, c.Error)
				}
				if match := got != treedigest.Mismatch; match != c.Match {
					t.Errorf("match %v, want %v", match, c.Match)
				}
				return
			}
			t.Fatal("no such tree")
		})
	}
}
