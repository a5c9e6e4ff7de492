package txn

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/schemas"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// marker returns the marker of an upgrade of l.
func (l *lifecycle) marker(t testing.TB) *Marker {
	t.Helper()
	root, err := rootfs.Open(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	old, err := planner.ReadManaged(root)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planner.Reconcile(t.Context(), l.op, old, l.after, root)
	if err != nil {
		t.Fatal(err)
	}
	return newMarker(plan)
}

func TestMarkerBytes(t *testing.T) {
	m := newLifecycle(t).marker(t)
	got := m.Encode()
	golden := filepath.Join("testdata", "transaction.json")
	if *updateGolden {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	parsed, err := ParseMarker(want)
	if err != nil {
		t.Fatal(err)
	}
	if m.text, m.lock = nil, nil; !reflect.DeepEqual(parsed, m) {
		t.Errorf("got %+v\nwant %+v", parsed, m)
	}
	crlf := bytes.ReplaceAll(want, []byte("\n"), []byte("\r\n"))
	if again, err := ParseMarker(crlf); err != nil || !bytes.Equal(again.Encode(), want) {
		t.Errorf("a marker in other white space: %v", err)
	}
}

// badMarkers are texts that no reader may take for a transaction, with the place of the fault.
func badMarkers(t testing.TB, good []byte) map[string]struct{ text, code, path string } {
	t.Helper()
	type bad = struct{ text, code, path string }
	edit := func(path string, change func(m map[string]any)) bad {
		var m map[string]any
		if err := json.Unmarshal(good, &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return bad{string(b), CodeInvalidTransaction, lockv2.MarkerPath + path}
	}
	set := func(key string, v any) bad { return edit("#/"+key, func(m map[string]any) { m[key] = v }) }
	action := func(i int, path string, change func(a map[string]any)) bad {
		return edit(path, func(m map[string]any) { change(m["actions"].([]any)[i].(map[string]any)) })
	}
	// forge changes the new lock, and the digest with it.
	forge := func(path string, change func(m, lock map[string]any)) bad {
		b := edit(path, func(m map[string]any) { change(m, m["new_lock"].(map[string]any)) })
		doc, err := strictjson.Parse([]byte(b.text), 0)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := doc.Get("new_lock")
		lock, err := lockv2.FromValue(v)
		if err != nil {
			return b
		}
		canonical, err := lockv2.Encode(lock)
		if err != nil {
			t.Fatal(err)
		}
		old, _ := doc.Get("new_lock_file_sha256")
		b.text = strings.ReplaceAll(b.text, old.Text, fingerprint.Of[fingerprint.LockFile](canonical).String())
		return b
	}
	json := func(text string) bad { return bad{text, CodeInvalidJSON, lockv2.MarkerPath} }
	return map[string]bad{
		"an action with a huge name": action(0, "#/actions/0", func(a map[string]any) { a["destination"] = strings.Repeat("x", 1<<16) }),
		"empty":                      json(""),
		"torn":                       json("{"),
		"half":                       json(string(good[:len(good)/2])),
		"no UTF-8":                   json("\xff"),
		"byte order mark":            json("\ufeff" + string(good)),
		"twice":                      json(string(good) + string(good)),
		"a name twice":               json(strings.Replace(string(good), "{", `{"schema_version": 1,`, 1)),
		"a conflict of git":          json("<<<<<<< ours\n" + string(good) + "=======\n>>>>>>> theirs\n"),
		"a list":                     {"[]", CodeInvalidTransaction, lockv2.MarkerPath},
		"an empty object":            {"{}", CodeInvalidTransaction, lockv2.MarkerPath},
		"another version":            set("schema_version", 2),
		"no integer":                 {strings.Replace(string(good), `"schema_version": 1`, `"schema_version": 1.0`, 1), CodeInvalidTransaction, lockv2.MarkerPath + "#/schema_version"},
		"initial":                    set("operation", "initial"),
		"a long operation":           set("operation", strings.Repeat("x", 1<<20)),
		"a further field":            set("extra", 1),
		"a field less":               edit("", func(m map[string]any) { delete(m, "old_lock_file_sha256") }),
		"a digest":                   set("old_lock_file_sha256", "x"),
		"an upper-case digest":       set("old_lock_file_sha256", strings.Repeat("A", 64)),
		"another source":             edit("#/source", func(m map[string]any) { m["source"].(map[string]any)["repository"] = "other/x" }),
		"another digest":             set("new_lock_file_sha256", strings.Repeat("0", 64)),
		"a lock that is none":        edit("#/old_lock", func(m map[string]any) { m["old_lock"] = map[string]any{} }),
		"no actions":                 edit("#/actions", func(m map[string]any) { m["actions"] = []any{} }),
		"an action less":             edit("#/actions", func(m map[string]any) { m["actions"] = m["actions"].([]any)[:6] }),
		"other order":                edit("#/actions/0", func(m map[string]any) { slices.Reverse(m["actions"].([]any)) }),
		"an action more": edit("#/actions/7", func(m map[string]any) {
			m["actions"] = append(m["actions"].([]any), map[string]any{"action": "create", "destination": "z", "component": "artifact.app", "ownership": "managed", "to_sha256": strings.Repeat("a", 64)})
		}),
		"another action":       action(0, "#/actions/0/action", func(a map[string]any) { a["action"] = "adopt" }),
		"outside":              action(0, "#/actions/0", func(a map[string]any) { a["destination"] = "../outside" }),
		"other bytes":          action(0, "#/actions/0", func(a map[string]any) { a["to_sha256"] = strings.Repeat("b", 64) }),
		"a field of a removal": action(6, "#/actions/6/to_sha256", func(a map[string]any) { a["to_sha256"] = strings.Repeat("b", 64) }),
		"a field too few":      action(0, "#/actions/0", func(a map[string]any) { delete(a, "from_sha256") }),
		"a seed that is replaced": forge("#/new_lock", func(m, lock map[string]any) {
			for _, f := range lock["files"].([]any) {
				if f := f.(map[string]any); f["destination"] == "seed.md" {
					f["materialized_sha256"] = strings.Repeat("c", 64)
				}
			}
		}),
		"a new owner": forge("#/new_lock", func(m, lock map[string]any) {
			for _, f := range lock["files"].([]any) {
				if f := f.(map[string]any); f["destination"] == "same.txt" {
					f["component"] = "lifecycle.composition-state"
				}
			}
		}),
		"an update with another choice": forge("#/new_lock/intent", func(m, lock map[string]any) {
			m["operation"] = "update"
			lock["configuration_sha256"] = strings.Repeat("d", 64)
		}),
		"of another catalog": edit("#/old_lock/source/repository", func(m map[string]any) {
			m["old_lock"].(map[string]any)["source"].(map[string]any)["repository"] = "other/x"
		}),
	}
}

func TestBadMarkers(t *testing.T) {
	l := newLifecycle(t)
	good := l.marker(t).Encode()
	for name, bad := range badMarkers(t, good) {
		m, err := ParseMarker([]byte(bad.text))
		var coded diag.Coded
		if !errors.As(err, &coded) || coded.Code() != bad.code || coded.Path() != bad.path {
			t.Errorf("%s: got %v, %v; want %s at %s", name, m, err, bad.code, bad.path)
			continue
		}
		if len(err.Error()) > 1000 || coded.Hint() == "" {
			t.Errorf("%s: %.2000v, hint %q", name, err, coded.Hint())
		}
	}
}

// What the schema refuses the reader refuses; what it takes and the reader does not breaks a rule that needs both locks.
func TestMarkerAgainstSchema(t *testing.T) {
	good := newLifecycle(t).marker(t).Encode()
	check := func(text string) int {
		doc, err := strictjson.Parse([]byte(text), 0)
		if err != nil {
			return -1
		}
		return len(schemas.Validate(schemas.Transaction, doc))
	}
	if n := check(string(good)); n != 0 {
		t.Errorf("the schema finds %d faults in a good marker", n)
	}
	refused := 0
	for name, bad := range badMarkers(t, good) {
		if _, err := ParseMarker([]byte(bad.text)); err == nil {
			t.Errorf("%s: taken", name)
		}
		if check(bad.text) > 0 {
			refused++
		}
	}
	if refused < 10 {
		t.Errorf("the schema refuses only %d", refused)
	}
}

// What is no marker of this target is refused, and nothing is touched.
func TestRecoverRefuses(t *testing.T) {
	l := newLifecycle(t)
	m := l.marker(t)
	good := m.Encode()
	put(t, l.dir, lockv2.MarkerPath, string(good))
	put(t, l.dir, "Precious.txt", "precious\n")

	// A forged old lock, from which a removal of somebody's file follows.
	forged := *m
	old := *m.OldLock
	forged.OldLock = &old
	old.Files = append([]lockv2.File{{Destination: "Precious.txt", Component: "artifact.app", Ownership: lockv2.Managed, Digest: fingerprint.Of[fingerprint.Material]([]byte("precious\n"))}}, old.Files...)
	slices.SortFunc(old.Files, func(a, b lockv2.File) int { return strings.Compare(string(a.Destination), string(b.Destination)) })
	forged.Actions, _ = planner.Implied(&old, m.NewLock)
	// A forged new lock, that the source does not give.
	other := *m
	next := *m.NewLock
	other.NewLock = &next
	next.RecipeDigest[0]++
	other.lock = nil
	b, err := lockv2.Encode(&next)
	if err != nil {
		t.Fatal(err)
	}
	other.NewLockDigest = fingerprint.Of[fingerprint.LockFile](b)

	for name, text := range map[string]string{
		"a forged old lock":                   string(forged.Encode()),
		"a lock that the source doesn't give": string(other.Encode()),
	} {
		put(t, l.dir, lockv2.MarkerPath, text)
		before := tree(t, l.dir)
		d := &faultDisk{}
		_, err := l.again(t.Context(), l.dir, d)
		var fault *Error
		if !errors.As(err, &fault) || fault.Code() != CodeInvalidTransaction {
			t.Errorf("%s: %v", name, err)
		}
		sameTree(t, tree(t, l.dir), before, name)
		for _, call := range d.calls {
			if op, _, _ := strings.Cut(call, " "); !slices.Contains([]string{"read", "digest", "list"}, op) {
				t.Errorf("%s: call %q", name, call)
			}
		}
	}

	// Another marker than the one that was read, none at all, and things that are none.
	for name, c := range map[string]struct {
		bend func()
		code string
	}{
		"another marker": {func() { put(t, l.dir, lockv2.MarkerPath, string(forged.Encode())) }, CodePreconditionChanged},
		"no marker":      {func() { os.Remove(filepath.Join(l.dir, lockv2.MarkerPath)) }, CodePreconditionChanged},
		"a torn marker":  {func() { put(t, l.dir, lockv2.MarkerPath, "{") }, CodeInvalidJSON},
	} {
		c.bend()
		_, err := Recover(t.Context(), l.dir, m, l.after, Options{})
		var fault *Error
		if !errors.As(err, &fault) || fault.Code() != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	os.RemoveAll(l.dir)
	var fault *Error
	if _, err := Recover(t.Context(), l.dir, m, l.after, Options{}); !errors.As(err, &fault) || fault.Code() != CodeInvalidTarget {
		t.Errorf("an absent target: %v", err)
	}
	if _, err := os.Lstat(l.dir); err == nil {
		t.Error("an absent target was made")
	}
}

func TestReadMarker(t *testing.T) {
	for name, c := range map[string]struct {
		bend func(dir string) error
		code string
	}{
		"none":      {func(string) error { return nil }, ""},
		"a symlink": {func(dir string) error { return os.Symlink("lock.json", filepath.Join(dir, lockv2.MarkerPath)) }, CodeInvalidTransaction},
		"a folder":  {func(dir string) error { return os.Mkdir(filepath.Join(dir, lockv2.MarkerPath), 0o755) }, CodeInvalidTransaction},
		"a file for the state folder": {func(dir string) error {
			if err := os.RemoveAll(filepath.Join(dir, lockv2.StateFolder)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, lockv2.StateFolder), nil, 0o644)
		}, ""},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, lockv2.StateFolder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := c.bend(dir); err != nil {
			t.Fatal(err)
		}
		root, err := rootfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ReadMarker(root)
		root.Close()
		var coded diag.Coded
		if m != nil || c.code == "" && err != nil || c.code != "" && (!errors.As(err, &coded) || coded.Code() != c.code) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func FuzzParseMarker(f *testing.F) {
	good, err := os.ReadFile(filepath.Join("testdata", "transaction.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, bad := range badMarkers(f, good) {
		if len(bad.text) < 1<<16 {
			f.Add([]byte(bad.text))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseMarker(b)
		if err != nil {
			var coded diag.Coded
			if !errors.As(err, &coded) {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		text := m.Encode()
		again, err := ParseMarker(text)
		if err != nil || !bytes.Equal(again.Encode(), text) {
			t.Fatalf("reads %q back as %v, %v", text, again, err)
		}
	})
}
