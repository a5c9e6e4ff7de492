package scaffold_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/scaffold"
	"example.org/compose/internal/strictjson"
)

// Nothing but the list changes, and the new entry looks like its neighbours.
func TestInsertID(t *testing.T) {
	for _, test := range []struct{ name, text, id, want string }{
		{"canonical", "{\n  \"components\": [\n    \"a\",\n    \"c\"\n  ]\n}\n", "b", "{\n  \"components\": [\n    \"a\",\n    \"b\",\n    \"c\"\n  ]\n}\n"},
		{"canonical and empty", "{\n  \"components\": []\n}\n", "b", "{\n  \"components\": [\n    \"b\"\n  ]\n}\n"},
		{"on one line, in the middle", `{"x": 1,  "components": ["a", "c"] }`, "b", `{"x": 1,  "components": ["a", "b", "c"] }`},
		{"on one line, first", `{"components": ["b", "c"]}`, "a", `{"components": ["a", "b", "c"]}`},
		{"on one line, last", `{"components": ["a", "b"]}`, "c", `{"components": ["a", "b", "c"]}`},
		{"on one line, after the only one", `{"components": [ "a" ]}`, "c", `{"components": [ "a", "c" ]}`},
		{"on one line, empty", `{"components": [ ]}`, "c", `{"components": ["c"]}`},
		{"four blanks", "{\n    \"components\": [\n        \"b\"\n    ]\n}", "a", "{\n    \"components\": [\n        \"a\",\n        \"b\"\n    ]\n}"},
		{"tabs, last", "{\n\t\"components\": [\n\t\t\"b\"\n\t]\n}\n", "c", "{\n\t\"components\": [\n\t\t\"b\",\n\t\t\"c\"\n\t]\n}\n"},
		{"CRLF", "{\r\n  \"components\": [\r\n    \"a\",\r\n    \"c\"\r\n  ]\r\n}\r\n", "b", "{\r\n  \"components\": [\r\n    \"a\",\r\n    \"b\",\r\n    \"c\"\r\n  ]\r\n}\r\n"},
		{"a name with an escape", `{"\u0063omponents": ["a"]}`, "b", `{"\u0063omponents": ["a", "b"]}`},
		{"commas first", "{\"components\": [\"a\"\n , \"c\"]}", "b", "{\"components\": [\"a\"\n , \"b\", \"c\"]}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := scaffold.InsertID([]byte(test.text), "components", test.id)
			if err != nil || string(got) != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// However an index is laid out, it holds the new id in its place, and everything else as before.
func FuzzInsertID(f *testing.F) {
	f.Add([]byte(`{"components": ["a", "c"], "recipes": []}`), "b")
	f.Add([]byte("{\"components\":\n[\n]}"), "b")
	f.Add([]byte("{\"components\":[\"z\"]}"), "zz")
	f.Fuzz(func(t *testing.T, text []byte, id string) {
		doc, err := strictjson.Parse(text, 0)
		if err != nil || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz.-") != "" {
			return
		}
		list, found := doc.Get("components")
		ids := []string{}
		for _, item := range list.Items {
			if item.Kind != strictjson.String {
				return
			}
			ids = append(ids, item.Text)
		}
		if !found || list.Kind != strictjson.Array || !slices.IsSorted(ids) || slices.Contains(ids, id) {
			return
		}
		got, err := scaffold.InsertID(text, "components", id)
		if err != nil {
			t.Fatal(err)
		}
		now, err := strictjson.Parse(got, 0)
		if err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		want := slices.Sorted(slices.Values(append(ids, id)))
		for i, m := range now.Members {
			if m.Name == "components" {
				if string(strictjson.Encode(m.Value)) != string(strictjson.Encode(strictjson.Strs(want))) {
					t.Fatalf("%q", got)
				}
			} else if string(strictjson.Encode(m.Value)) != string(strictjson.Encode(doc.Members[i].Value)) || m.Name != doc.Members[i].Name {
				t.Fatalf("%q", got)
			}
		}
		if len(now.Members) != len(doc.Members) {
			t.Fatalf("%q", got)
		}
	})
}
