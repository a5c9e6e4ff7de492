package strictjson_test

import (
	"testing"

	"example.org/compose/internal/strictjson"
)

func TestEncode(t *testing.T) {
	everything := strictjson.Obj(
		strictjson.F("controls", strictjson.Str("\x00\x01\b\t\n\v\f\r\x1f \x7f")),
		strictjson.F("kept", strictjson.Str("\"\\/<>&'é\u2028\u2029\ufeff😀")),
		strictjson.F("n", strictjson.Value{Kind: strictjson.Number, Text: "1.50"}),
		strictjson.F("empty", strictjson.Arr(strictjson.Arr(), strictjson.Obj(), strictjson.Str(""))),
		strictjson.F("deep", strictjson.Arr(strictjson.Obj(strictjson.F("", strictjson.Boolean(false))), strictjson.Value{}, strictjson.Int(-7))),
	)
	const canonical = `{
  "controls": "\u0000\u0001\b\t\n\u000b\f\r\u001f ` + "\x7f" + `",
  "kept": "\"\\/<>&'é` + "\u2028\u2029\ufeff" + `😀",
  "n": 1.50,
  "empty": [
    [],
    {},
    ""
  ],
  "deep": [
    {
      "": false
    },
    null,
    -7
  ]
}
`
	const compact = `{"controls":"\u0000\u0001\b\t\n\u000b\f\r\u001f ` + "\x7f" + `","kept":"\"\\/<>&'é` + "\u2028\u2029\ufeff" +
		`😀","n":1.50,"empty":[[],{},""],"deep":[{"":false},null,-7]}`
	if got := string(strictjson.Encode(everything)); got != canonical {
		t.Errorf("Encode\n got %q\nwant %q", got, canonical)
	}
	if got := string(strictjson.AppendCompact([]byte("x"), everything)); got != "x"+compact {
		t.Errorf("AppendCompact\n got %q\nwant %q", got, "x"+compact)
	}
	for text, v := range map[string]strictjson.Value{
		"[]\n":              strictjson.Arr(),
		"{}\n":              strictjson.Obj(),
		"null\n":            {},
		"\"\"\n":            strictjson.Str(""),
		"\"a\uFFFDb\"\n":    strictjson.Str("a\xffb"),
		"[\n  \"x\"\n]\n":   strictjson.Strs([]string{"x"}),
		"[\n  1,\n  2\n]\n": strictjson.List([]int64{1, 2}, strictjson.Int),
	} {
		if got := string(strictjson.Encode(v)); got != text {
			t.Errorf("Encode(%+v) is %q, want %q", v, got, text)
		}
	}
}

func TestSorted(t *testing.T) {
	v, err := strictjson.Parse([]byte(`{"b":[{"z":1,"a":2}],"é":1,"a":1.0,"B":{}}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	before := string(strictjson.AppendCompact(nil, v))
	if got, want := string(strictjson.AppendCompact(nil, v.Sorted())), `{"B":{},"a":1.0,"b":[{"a":2,"z":1}],"é":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if after := string(strictjson.AppendCompact(nil, v)); after != before {
		t.Errorf("the value itself changed to %s", after)
	}
}

func TestCheck(t *testing.T) {
	str := strictjson.Str[string]
	num := func(token string) strictjson.Value { return strictjson.Value{Kind: strictjson.Number, Text: token} }
	tests := []struct {
		name    string
		v       strictjson.Value
		pointer string // "ok" when nothing is wrong
	}{
		{"good", strictjson.Obj(strictjson.F("a", strictjson.Arr(num("1e9"), str("é"), strictjson.Value{}))), "ok"},
		{"text not UTF-8", strictjson.Arr(str("ok"), str("\xff")), "/1"},
		{"name not UTF-8", strictjson.Obj(strictjson.F("\xff", str(""))), "/\xff"},
		{"name twice", strictjson.Obj(strictjson.F("b", str("")), strictjson.F("a", str("")), strictjson.F("b", str(""))), "/b"},
		{"no number", strictjson.Obj(strictjson.F("a/b~", num("01"))), "/a~1b~0"},
		{"empty number", num(""), ""},
		{"no kind", strictjson.Arr(strictjson.Value{Kind: 9}), "/0"},
		{"at the depth", strictjson.Arr(strictjson.Arr(strictjson.Arr())), "ok"},
		{"too deep", strictjson.Arr(strictjson.Arr(strictjson.Arr(strictjson.Arr()))), "/0/0/0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fault := strictjson.Check(tt.v, 3)
			if (fault == nil) != (tt.pointer == "ok") || fault != nil && fault.Pointer != tt.pointer {
				t.Errorf("got %v, want a fault at %q", fault, tt.pointer)
			}
		})
	}
}
