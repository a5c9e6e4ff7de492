package lockv2_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// sample returns a lock of two components beside the artifact, and its canonical bytes.
func sample(t testing.TB) (*lockv2.Lock, string) {
	t.Helper()
	doc := vectors(t)[0].lock
	l, err := lockv2.FromValue(doc)
	if err != nil {
		t.Fatal(err)
	}
	return l, string(strictjson.Encode(doc))
}

func TestParseRefuses(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	file := func(destination, component, ownership string) string {
		return fmt.Sprintf("{\"destination\": %q, \"component\": %q, \"ownership\": %q, \"materialized_sha256\": %q}", destination, component, ownership, digest)
	}
	// insert adds a file before the one that is named.
	insert := func(file, before string) [2]string {
		return [2]string{"    {\n      \"destination\": \"" + before, file + ",\n    {\n      \"destination\": \"" + before}
	}
	component := func(id string) string {
		return fmt.Sprintf("{\"id\": %q, \"version\": 1, \"descriptor_sha256\": %q},\n    {\n      \"id\": \"lifecycle.", id, digest)
	}
	const nextComponent = "{\n      \"id\": \"lifecycle."
	tests := []struct {
		name    string
		edit    [2]string // old, new; the first occurrence
		pointer string
		msg     string
	}{
		{"extra field", [2]string{"{\n", "{\n\"extra\": 1,\n"}, "/extra", "unknown field"},
		{"extra field below", [2]string{`"repository"`, `"branch": "main", "repository"`}, "/source/branch", "unknown field"},
		{"extra field of a file", [2]string{`"destination"`, `"mode": "755", "destination"`}, "/files/0/mode", "unknown field"},
		{"missing field", [2]string{`  "recipe_sha256": "e1d8e552330911f9f779f85b6f2c00a15e790dcc3fbb3b28f5da1d660a30c5b8",` + "\n", ""}, "", `lacks "recipe_sha256"`},
		{"missing field below", [2]string{`"exclude": []`, `"x": []`}, "/intent/components", `lacks "exclude"`},
		{"version with a point", [2]string{`"schema_version": 2`, `"schema_version": 2.0`}, "/schema_version", "without a point"},
		{"version as text", [2]string{`"schema_version": 2`, `"schema_version": "2"`}, "/schema_version", "want a number"},
		{"version 0", [2]string{`"schema_version": 2`, `"schema_version": 0`}, "/schema_version", "want 2"},
		{"empty repository", [2]string{"example/catalog", ""}, "/source/repository", "empty"},
		{"repository with a control character", [2]string{"example/catalog", `a\nb`}, "/source/repository", "want names"},
		{"repository with an empty name", [2]string{"example/catalog", "a//b"}, "/source/repository", "want names"},
		{"repository that climbs", [2]string{"example/catalog", "../b"}, "/source/repository", "want names"},
		{"long repository", [2]string{"example/catalog", strings.Repeat("a", 256)}, "/source/repository", "255 bytes"},
		{"zero revision", [2]string{strings.Repeat("1", 40), strings.Repeat("0", 40)}, "/source/revision", "commit id"},
		{"short revision", [2]string{strings.Repeat("1", 40), "1111111"}, "/source/revision", "commit id"},
		{"upper-case revision", [2]string{strings.Repeat("1", 40), strings.Repeat("A", 40)}, "/source/revision", "commit id"},
		{"bad recipe", [2]string{`"recipe": "app"`, `"recipe": "App"`}, "/intent/recipe", "recipe's id"},
		{"included artifact", [2]string{`"capability.cli"`, `"artifact.app-core"`}, "/intent/components/include/0", "capability, lifecycle"},
		{"included twice", [2]string{`"capability.cli"`, `"capability.cli", "capability.cli"`}, "/intent/components/include/1", "byte order"},
		{"include not sorted", [2]string{`"capability.cli"`, `"capability.cli", "capability.a"`}, "/intent/components/include/1", "byte order"},
		{"included and excluded", [2]string{`"exclude": []`, `"exclude": ["capability.a", "capability.cli"]`}, "/intent/components/exclude/1", "included too"},
		{"excluded foundation", [2]string{`"exclude": []`, `"exclude": ["foundation.x"]`}, "/intent/components/exclude/0", "capability, lifecycle"},
		{"parameters of no component", [2]string{`"artifact.app-core": {`, `"artifact.none": {`}, "/intent/parameters/artifact.none", "no resolved component"},
		{"parameters of no kind of id", [2]string{`"artifact.app-core": {`, `"a/b": {`}, "/intent/parameters/a~1b", "no resolved component"},
		{"parameters no object", [2]string{`"parameters": {`, `"parameters": [], "x": {`}, "/intent/x", "unknown field"},
		{"parameters an array", [2]string{"\"parameters\": {\n      \"artifact.app-core\": {\n        \"name\": \"é<&>\"\n      }\n    }", `"parameters": []`}, "/intent/parameters", "want an object"},
		{"a component's parameters no object", [2]string{"{\n        \"name\": \"é<&>\"\n      }", "7"}, "/intent/parameters/artifact.app-core", "want an object"},
		{"parameters not sorted", [2]string{`"name": "é<&>"`, `"x": [{"b": 1, "a": 2}]`}, "/intent/parameters/artifact.app-core/x/0/a", "byte order"},
		{"upper-case digest", [2]string{"e1d8e552", "E1D8E552"}, "/recipe_sha256", "64 lower-case"},
		{"short digest", [2]string{"b7d64a92", ""}, "/configuration_sha256", "64 lower-case"},
		{"digest null", [2]string{`"04750cde99cf30ae8e65e9ae21874bbe04440adf16330c02bf6a85ec15013a8b"`, "null"}, "/resolved_components/0/descriptor_sha256", "want a string"},
		{"component version 0", [2]string{`"version": 1`, `"version": 0`}, "/resolved_components/0/version", "1 or more"},
		{"component version with a point", [2]string{`"version": 1`, `"version": 1.0`}, "/resolved_components/0/version", "without a point"},
		{"component version true", [2]string{`"version": 1`, `"version": true`}, "/resolved_components/0/version", "want a number"},
		{"component of no role", [2]string{`"id": "artifact.app-core"`, `"id": "thing.app-core"`}, "/resolved_components/0/id", "role"},
		{"component twice", [2]string{nextComponent, component("capability.cli")}, "/resolved_components/2/id", "byte order"},
		{"components not sorted", [2]string{nextComponent, component("capability.a")}, "/resolved_components/2/id", "byte order"},
		{"no artifact", [2]string{`"id": "artifact.app-core"`, `"id": "capability.a"`}, "/resolved_components", "no artifact"},
		{"two artifacts", [2]string{`"id": "capability.cli"`, `"id": "artifact.b"`}, "/resolved_components/1/id", "second artifact"},
		{"two topologies", [2]string{`"id": "lifecycle.composition-state"`, `"id": "topology.a", "version": 1, "descriptor_sha256": "` + digest + `"}, {"id": "topology.b"`}, "/resolved_components/3/id", "second topology"},
		{"two workspaces", [2]string{`"id": "lifecycle.composition-state"`, `"id": "workspace.a", "version": 1, "descriptor_sha256": "` + digest + `"}, {"id": "workspace.b"`}, "/resolved_components/3/id", "second workspace"},
		{"owns nothing", [2]string{nextComponent, component("capability.lazy")}, "/resolved_components/2", "owns no file"},
		{"no files", [2]string{`"files": [`, `"files": [], "x": [`}, "/x", "unknown field"},
		{"foreign owner", [2]string{`"component": "capability.cli"`, `"component": "capability.none"`}, "/files/3/component", "no resolved component"},
		{"escaping path", [2]string{"ci.yml", "c/../../x"}, "/files/2/destination", `".."`},
		{"absolute path", [2]string{".template-composition/about.txt", "/etc/passwd"}, "/files/0/destination", "absolute"},
		{"git's folder", [2]string{".template-composition/about.txt", ".GIT/config"}, "/files/0/destination", "git's own"},
		{"device name", [2]string{"ci.yml", "c/aux.yml"}, "/files/2/destination", "device"},
		{"reserved", [2]string{".template-composition/about.txt", ".template-composition/LOCK.json"}, "/files/0/destination", "composer's own"},
		{"reserved, below staging", [2]string{".template-composition/about.txt", ".template-composition/staging/x"}, "/files/0/destination", "composer's own"},
		{"reserved, in another spelling of the folder", [2]string{".template-composition/about.txt", ".Template-Composition/notes.md"}, "/files/0/destination", `".Template-Composition/notes.md" spells the composer's own folder in another way; that is ".template-composition"`},
		{"reserved, the folder", [2]string{".template-composition/about.txt", ".Template-Composition"}, "/files/0/destination", "composer's own"},
		{"files not sorted", [2]string{"README.md", "zz"}, "/files/2/destination", "byte order"},
		{"file twice", insert(file("ci.yml", "artifact.app-core", "managed"), "ci.yml"), "/files/3/destination", "byte order"},
		{"unknown ownership", [2]string{`"ownership": "seed"`, `"ownership": "shared"`}, "/files/1/ownership", "managed, generated or seed"},
		{"a file differs in case alone", insert(file("Ci.yml", "artifact.app-core", "managed"), "README"), "/files/3/destination", "case alone"},
		{"a file that is a folder", insert(file("docs", "artifact.app-core", "managed"), "docs/cli.md"), "/files/5/destination", "folder of another"},
		{"a file that is a folder, in another case", insert(file("Docs", "artifact.app-core", "managed"), "README"), "/files/5/destination", "folder of another"},
		{"a folder in two spellings", insert(file("Docs/a.md", "artifact.app-core", "managed"), "README"), "/files/5/destination", "two ways"},
	}
	_, good := sample(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(good, tt.edit[0]) {
				t.Fatalf("the sample does not hold %q", tt.edit[0])
			}
			l, err := lockv2.Parse([]byte(strings.Replace(good, tt.edit[0], tt.edit[1], 1)))
			var e *lockv2.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, error %v", l, err)
			}
			if e.Code() != lockv2.CodeInvalidLock {
				t.Errorf("code %s", e.Code())
			}
			if e.Pointer != tt.pointer || !strings.Contains(e.Message(), tt.msg) {
				t.Errorf("got %q: %s\nwant %q: %s", e.Pointer, e.Message(), tt.pointer, tt.msg)
			}
			if want := ".template-composition/lock.json"; !strings.HasPrefix(e.Error(), want) {
				t.Errorf("the text %q does not name the file", e)
			}
		})
	}
}

func TestParseOtherVersions(t *testing.T) {
	_, good := sample(t)
	for _, text := range []string{
		strings.Replace(good, `"schema_version": 2`, `"schema_version": 1`, 1),
		strings.Replace(good, `"schema_version": 2`, `"schema_version": 3`, 1),
		`{"schema_version": 1, "anything": []}`,
		`{"anything": [], "schema_version": 1}`,
	} {
		_, err := lockv2.Parse([]byte(text))
		var e *lockv2.Error
		if !errors.As(err, &e) || e.Code() != lockv2.CodeUnsupportedLockVersion || e.Pointer != "/schema_version" || e.Hint() == "" {
			t.Errorf("%.40s: error %#v", text, err)
		}
	}
}

// A message stays short, whatever a lock holds.
func TestParseLongTexts(t *testing.T) {
	_, good := sample(t)
	long := strings.Repeat("é", 1<<16)
	for _, old := range []string{"example/catalog", strings.Repeat("1", 40), `"app"`, "capability.cli", "artifact.app-core", "ci.yml", "seed", "schema_version", "e1d8e552", "docs/cli.md"} {
		edited := long
		if strings.HasPrefix(old, `"`) {
			edited = `"` + long + `"`
		}
		_, err := lockv2.Parse([]byte(strings.Replace(good, old, edited, 1)))
		if err == nil || len(err.Error()) > 1500 {
			t.Errorf("%s: %d bytes, %.200s", old, len(fmt.Sprint(err)), fmt.Sprint(err))
		}
	}
}

func TestParseNoJSON(t *testing.T) {
	_, good := sample(t)
	for _, text := range []string{"", good + "x", "\xef\xbb\xbf" + good, "<<<<<<< ours\n" + good, strings.Replace(good, "{", `{"files": [],`, 1)} {
		_, err := lockv2.Parse([]byte(text))
		var e *strictjson.Error
		if !errors.As(err, &e) {
			t.Errorf("%.40q: error %v", text, err)
		}
	}
}

func TestParseTooLarge(t *testing.T) {
	_, err := lockv2.Parse(make([]byte, lockv2.MaxSize+1))
	var e *lockv2.Error
	if !errors.As(err, &e) || e.Code() != lockv2.CodeInvalidLock || !strings.Contains(e.Error(), "64 MiB") {
		t.Errorf("error %v", err)
	}
}

// White space and the order of fields are free; the next Encode gives the canonical form.
func TestParseAnyLayout(t *testing.T) {
	want, good := sample(t)
	doc, err := strictjson.Parse([]byte(good), 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"CRLF":             []byte(strings.ReplaceAll(good, "\n", "\r\n")),
		"one line":         strictjson.AppendCompact(nil, doc),
		"no final newline": []byte(strings.TrimSuffix(good, "\n")),
		"escapes":          []byte(strings.ReplaceAll(good, "é", `\u00e9`)),
		"fields by name":   strictjson.Encode(doc.Sorted()),
	} {
		l, err := lockv2.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(l, want) {
			t.Errorf("%s: got %+v", name, l)
		}
		if b, err := lockv2.Encode(l); err != nil || string(b) != good {
			t.Errorf("%s: encodes as %s, error %v", name, b, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	tests := map[string]struct {
		change  func(l *lockv2.Lock)
		pointer string
	}{
		"zero":                     {func(l *lockv2.Lock) { *l = lockv2.Lock{} }, "/source/repository"},
		"no parameters":            {func(l *lockv2.Lock) { l.Intent.Parameters = strictjson.Value{} }, "/intent/parameters"},
		"parameters not UTF-8":     {func(l *lockv2.Lock) { l.Intent.Parameters.Members[0].Value.Members[0].Value.Text = "\xff" }, "/intent/parameters/artifact.app-core/name"},
		"parameters too deep":      {func(l *lockv2.Lock) { l.Intent.Parameters.Members[0].Value.Members[0].Value = nested(61) }, "/intent/parameters/artifact.app-core/name" + strings.Repeat("/0", 60)},
		"unsorted files":           {func(l *lockv2.Lock) { l.Files[0], l.Files[1] = l.Files[1], l.Files[0] }, "/files/1/destination"},
		"an owner that is nowhere": {func(l *lockv2.Lock) { l.Files[4].Component = "capability.none" }, "/files/4/component"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, _ := sample(t)
			tt.change(l)
			b, err := lockv2.Encode(l)
			if _, also := lockv2.Digest(l); fmt.Sprint(also) != fmt.Sprint(err) {
				t.Errorf("Digest says %v", also)
			}
			var e *lockv2.Error
			if !errors.As(err, &e) || e.Pointer != tt.pointer || e.Code() != lockv2.CodeInvalidLock {
				t.Errorf("got %s, error %v; want a fault at %s", b, err, tt.pointer)
			}
		})
	}
	l, _ := sample(t)
	l.Intent.Parameters.Members[0].Value.Members[0].Value = nested(60)
	b, err := lockv2.Encode(l)
	if err == nil {
		_, err = lockv2.Parse(b)
	}
	if err != nil {
		t.Errorf("parameters at the greatest depth: %v", err)
	}
}

// nested returns arrays inside each other, depth of them.
func nested(depth int) strictjson.Value {
	v := strictjson.Arr()
	for range depth - 1 {
		v = strictjson.Arr(v)
	}
	return v
}

func FuzzParse(f *testing.F) {
	_, good := sample(f)
	f.Add([]byte(good))
	f.Add([]byte(strings.ReplaceAll(good, "\n", "\r\n")))
	f.Add([]byte(strings.Replace(good, "é<&>", `\u0001`, 1)))
	f.Add([]byte(strings.Replace(good, `"é<&>"`, `{"b":[1.0,-0,1e5,{}],"c":null}`, 1)))
	f.Add([]byte(strings.Replace(good, "ci.yml", "CI.yml", 1)))
	f.Add([]byte(`{"schema_version":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := lockv2.Parse(b)
		if err != nil {
			var coded interface{ Code() string }
			if !errors.As(err, &coded) || coded.Code() == "" {
				t.Fatalf("error without a code: %v", err)
			}
			return
		}
		canonical, err := lockv2.Encode(l)
		if err != nil {
			t.Fatalf("a lock that was read can't be written: %v", err)
		}
		again, err := lockv2.Parse(canonical)
		if err != nil {
			t.Fatalf("a lock that was written can't be read: %v\n%s", err, canonical)
		}
		if !reflect.DeepEqual(again, l) {
			t.Fatalf("Parse(Encode(x)) is\n%+v\nx is\n%+v", again, l)
		}
		rewritten, err := lockv2.Encode(again)
		if err != nil || !bytes.Equal(rewritten, canonical) {
			t.Fatalf("Encode(Parse(b)) is\n%s (error %v)\nb is\n%s", rewritten, err, canonical)
		}
		l.Composition()
	})
}

// grown returns a lock of n files in n/250 components, deep and wide as real ones are.
func grown(tb testing.TB, n int) *lockv2.Lock {
	tb.Helper()
	l := &lockv2.Lock{
		Source: lockv2.Source{Repository: "example-org/templates", Revision: lockv2.Revision(strings.Repeat("1a", 20))},
		Intent: lockv2.Intent{Recipe: "app", Parameters: strictjson.Obj()},
	}
	components := max(1, n/250)
	for i := range components {
		id := lockv2.ComponentID(fmt.Sprintf("capability.c%04d", i))
		if i == 0 {
			id = "artifact.app"
		}
		l.Components = append(l.Components, lockv2.Component{ID: id, Version: 1})
	}
	for i := range n {
		owner := i * components / n
		l.Files = append(l.Files, lockv2.File{
			Destination: lockv2.Destination(fmt.Sprintf("src/area%04d/group%03d/Some-File-%06d.md", owner, i/20%100, i)),
			Component:   l.Components[owner].ID,
			Ownership:   lockv2.Managed,
			Digest:      fingerprint.Of[fingerprint.Material](fmt.Append(nil, i)),
		})
	}
	if _, err := lockv2.Encode(l); err != nil {
		tb.Fatal(err)
	}
	return l
}

// What is allocated does not grow with the number of files, but for blocks of 16 KiB and the list itself.
func TestParseAllocates(t *testing.T) {
	text, err := lockv2.Encode(grown(t, 10_000))
	if err != nil {
		t.Fatal(err)
	}
	if got := testing.AllocsPerRun(5, func() { lockv2.Parse(text) }); got > 100 {
		t.Errorf("%v allocations for 10,000 files; want 100 at most", got)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text, err := lockv2.Encode(grown(b, n))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := lockv2.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		l := grown(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := lockv2.Encode(l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkComposition(b *testing.B) {
	l := grown(b, 10_000)
	for b.Loop() {
		l.Composition()
	}
}

// Files come early in the order of the list, up to the first that is not sound by itself.
func TestParseEarly(t *testing.T) {
	want, good := sample(t)
	for _, tt := range []struct {
		name, old, new string
		early          int // how many files
		fails          bool
	}{
		{"a lock", "", "", len(want.Files), false},
		{"an unsafe destination", "ci.yml", "c/../x", 2, true},
		{"a reserved destination", ".template-composition/about.txt", ".template-composition/LOCK.json", 0, true},
		{"an unknown ownership", `"ownership": "seed"`, `"ownership": "shared"`, 1, true},
		{"out of order", "README.md", "zz", 2, true},
		{"an owner that is not resolved is found later", `"component": "capability.cli"`, `"component": "capability.none"`, len(want.Files), true},
		{"a fault before the files", `"repository"`, `"repo"`, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []lockv2.File
			l, err := lockv2.ParseEarly([]byte(strings.Replace(good, tt.old, tt.new, 1)), func(f *lockv2.File) { got = append(got, *f) })
			if (err != nil) != tt.fails || len(got) != tt.early {
				t.Fatalf("%d files came early, want %d; error %v", len(got), tt.early, err)
			}
			if err == nil && !reflect.DeepEqual(got, l.Files) {
				t.Errorf("early %+v\nlock %+v", got, l.Files)
			}
		})
	}
}
