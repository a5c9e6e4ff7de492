package jsonplace_test

import (
	"strings"
	"testing"

	"example.org/compose/internal/jsonplace"
	"example.org/compose/internal/strictjson"
)

func TestFind(t *testing.T) {
	const text = "{\n  \"id\": \"app\",\n  \"list\": [1, {\"a/b\": null, \"~\": true}],\n\t\"\\u0061\": {\r\n    \"deep\": [\n      [2]\n    ]}\n}\n"
	for _, test := range []struct {
		pointer      string
		line, column int
		value        string
		whole        bool
	}{
		{"", 1, 1, strings.TrimSuffix(text, "\n"), true},
		{"/id", 2, 3, `"app"`, true},
		{"/list", 3, 3, `[1, {"a/b": null, "~": true}]`, true},
		{"/list/0", 3, 12, `1`, true},
		{"/list/1/a~1b", 3, 16, `null`, true},
		{"/list/1/~0", 3, 29, `true`, true},
		{"/a/deep/0/0", 6, 8, `2`, true},
		{"/list/2", 3, 3, `[1, {"a/b": null, "~": true}]`, false},
		{"/list/01", 3, 3, `[1, {"a/b": null, "~": true}]`, false},
		{"/id/0", 2, 3, `"app"`, false},
		{"/nothing/at/all", 1, 1, strings.TrimSuffix(text, "\n"), false},
	} {
		got := jsonplace.Find([]byte(text), test.pointer)[0]
		if got.Line != test.line || got.Column != test.column || got.Whole != test.whole || text[got.Value:got.End] != test.value {
			t.Errorf("%s: %+v %q, want line %d, column %d, %q", test.pointer, got, text[got.Value:got.End], test.line, test.column, test.value)
		}
	}
}

// Places come back in the order of the pointers, also where that is not the order of the text.
func TestFindMany(t *testing.T) {
	places := jsonplace.Find([]byte("{\"b\": [\n1,\n2],\n\"a\": 3}"), "/a", "/b/1", "/b", "/b/0", "/b/1")
	want := []int{4, 3, 1, 2, 3}
	for i, p := range places {
		if p.Line != want[i] {
			t.Errorf("%d: line %d, want %d", i, p.Line, want[i])
		}
	}
}

func TestFindInNoJSON(t *testing.T) {
	for _, text := range []string{"", "  ", "]", "{", `{"a"`, `{"a" 1}`, `{"a": "b`, "[1,,2]", strings.Repeat("[", 100_000), "\x00"} {
		for _, p := range jsonplace.Find([]byte(text), "", "/a", "/0", "x") {
			if p.End > len(text) || p.Begin > p.Value || p.Value > p.End {
				t.Errorf("%.20q: %+v", text, p)
			}
		}
	}
}

// Of every value in a document, what stands at its place is the value itself, and no hostile text does harm.
func FuzzFind(f *testing.F) {
	f.Add([]byte(`{"a": [1, {"b~/": "x"}], "\u0062": {}, "c": -1.5e3}`), "/a/1/b~0~1")
	f.Add([]byte("[[[\n]]]"), "/0/0/0")
	f.Add([]byte(`{"a":1`), "~")
	f.Fuzz(func(t *testing.T, text []byte, pointer string) {
		jsonplace.Find(text, pointer)
		doc, err := strictjson.Parse(text, 0)
		if err != nil {
			return
		}
		pointers, values := []string{}, []strictjson.Value{}
		var walk func(string, strictjson.Value)
		walk = func(at string, v strictjson.Value) {
			if len(pointers) == 50 {
				return
			}
			pointers, values = append(pointers, at), append(values, v)
			for i, item := range v.Items {
				walk(strictjson.Pointer(at, string(strictjson.Int(int64(i)).Text)), item)
			}
			for _, m := range v.Members {
				walk(strictjson.Pointer(at, m.Name), m.Value)
			}
		}
		walk("", doc)
		for i, p := range jsonplace.Find(text, pointers...) {
			got, err := strictjson.Parse(text[p.Value:p.End], 0)
			if err != nil || !p.Whole || string(strictjson.Encode(got)) != string(strictjson.Encode(values[i])) {
				t.Fatalf("%q is at %+v: %q, %v", pointers[i], p, text[p.Value:p.End], err)
			}
			if before := string(text[:p.Begin]); p.Line != 1+strings.Count(before, "\n") || p.Column != len(before)-strings.LastIndex(before, "\n") {
				t.Fatalf("%q: %+v", pointers[i], p)
			}
		}
	})
}
